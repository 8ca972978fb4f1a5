export { assert, assertNever } from './assert.ts';
export { BadInput, show } from './bad-input.ts';
export { CAUSES, type Cause, type Why } from './cause.ts';
export { type ClusterRecovery, clusterRecovery, MOST_EARLIER, recoveryWords } from './cluster-recovery.ts';
export type { Delay, Effect, Outcome } from './effect.ts';
export { type Explained, kindOf, type MessageKind, type Rule, type SeenStep, seenStep } from './explained.ts';
export {
  addId,
  compareIds,
  idSet,
  type MemberId,
  outranks,
  type Preference,
  parseId,
  preferredId,
  removeId,
} from './ids.ts';
export type { Command, Input, Reason, SetTimes } from './input.ts';
export { canonicalText, clonePlain, isSame, type Json } from './json.ts';
export { majority } from './majority.ts';
export { harmless, oneLine } from './one-line.ts';
export { OWN_TOKEN, OWN_TOKEN_JSON, withToken } from './own-token.ts';
export { plainHash } from './plain-hash.ts';
export {
  type Addresses,
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
  type Reconfiguration,
  type Recovered,
  type Recovering,
  type Retimed,
  type Retiming,
  type SeatedDisk,
  type Self,
} from './protocol.ts';
export { Random } from './random.ts';
export type {
  Rested,
  Resting,
  RestOffer,
  RestRequest,
  ResumedTimer,
  Same,
  SentRound,
  SupportTimes,
} from './resting.ts';
export { type Schema, withParsedIds } from './schema.ts';
export { readSettings, type Setting, type Settings, type SettingsOf, setting } from './settings.ts';
export {
  anyJson,
  anyText,
  asObject,
  byMember,
  choice,
  described,
  durationMs,
  electionName,
  flag,
  integer,
  isElectionName,
  join,
  LONGEST_MS,
  listOf,
  matching,
  memberId,
  named,
  natural,
  nullable,
  number,
  openRecord,
  optional,
  rangeMs,
  record,
  refuseUnknown,
  type Shape,
  text,
  timeMs,
  writtenId,
} from './shape.ts';
export { mix, textHash } from './text-hash.ts';
export {
  encodeTraceLine,
  type TraceEvent,
  type TraceHeader,
  type TraceLine,
  type TraceStep,
} from './trace.ts';
export { refusalOf, transition } from './transition.ts';
export type { Lack, Role, View } from './view.ts';
