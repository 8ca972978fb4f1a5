export { assert, assertNever } from './assert.ts';
export { BadInput, show } from './bad-input.ts';
export { CAUSES, type Cause, type Why } from './cause.ts';
export type { Delay, Effect, Outcome } from './effect.ts';
export {
  addId,
  compareIds,
  idSet,
  type MemberId,
  outranks,
  type Preference,
  preferredId,
  removeId,
} from './ids.ts';
export type { Command, Input, Reason } from './input.ts';
export { canonicalText, clonePlain, type Json } from './json.ts';
export { majority } from './majority.ts';
export { harmless, oneLine } from './one-line.ts';
export {
  type Assumption,
  type Config,
  type Definition,
  define,
  type Ending,
  type Liveness,
  type Message,
  type Objection,
  type Pledge,
  type Property,
  type Protocol,
  type SeatedDisk,
  type Self,
} from './protocol.ts';
export { Random } from './random.ts';
export { readSettings, type Setting, type Settings, type SettingsOf, setting } from './settings.ts';
export {
  anyJson,
  asObject,
  byMember,
  choice,
  durationMs,
  flag,
  integer,
  join,
  LONGEST_MS,
  listOf,
  memberId,
  natural,
  nullable,
  number,
  optional,
  rangeMs,
  record,
  refuseUnknown,
  type Shape,
  text,
  timeMs,
} from './shape.ts';
export {
  encodeTraceLine,
  type TraceEvent,
  type TraceHeader,
  type TraceLine,
  type TraceStep,
} from './trace.ts';
export { refusalOf, transition } from './transition.ts';
export type { Role, View } from './view.ts';
