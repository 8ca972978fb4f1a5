export type { Cause } from './cause.ts';
export type { Clock } from './clock.ts';
export { type Cancellable, Election, type ElectionOptions } from './election.ts';
export { CaucusError, type ErrorCode, type ErrorDetails, LeadershipLost } from './errors.ts';
export { checkToken, Gate, TOKEN_HEADER, type TokenCheck } from './fencing.ts';
export type { Leadership } from './leadership.ts';
export type { Observation } from './observation.ts';
export type { Held, Seat, Standing } from './seat.ts';
