export {
  type Belief,
  boundedFailover,
  eventualAgreement,
  isAgreed,
  LIVENESS,
  STEPS_DOWN_WITHIN,
  stability,
  steppingDown,
} from './liveness.ts';
export { appliesTo, isInForce, isPromised, propertyNamed } from './promised.ts';
export type { Finding, Process } from './property.ts';
export {
  growingTerms,
  growingTokens,
  majorityBehindWins,
  oneActing,
  oneName,
  oneValue,
  oneVote,
  oneWinner,
  SAFETY,
  SAFETY_NAMES,
  type TokenUse,
} from './safety.ts';
export { Watch } from './watch.ts';
