/**
 * The part of this room that checks what people and other programs give. `import 'caucus'` loads nothing else of it: a program
 * whose elections are on a store takes part in no protocol.
 */
export { assert } from './assert.ts';
export { BadInput, show } from './bad-input.ts';
export type { Why } from './cause.ts';
export { parseId } from './ids.ts';
export type { Json } from './json.ts';
export { oneLine } from './one-line.ts';
export { OWN_TOKEN } from './own-token.ts';
export {
  anyText,
  asObject,
  choice,
  integer,
  listOf,
  matching,
  natural,
  nullable,
  number,
  optional,
  record,
  refuseUnknown,
  type Shape,
  text,
} from './shape.ts';
