/**
 * Caucus elects leaders. N copies of a service run, exactly one does the job, and when it dies another takes over:
 *
 *     const member = await join({ id: 'a', peers, data: '/var/lib/service' });
 *     await member.election('nightly-report').lead(async ({ token, signal, assert }) => { … });
 */
export type { TokenOption } from './auth/index.ts';
export { BadInput, parseId } from './core/index.ts';
export {
  type Caucus,
  type CaucusStoreOptions,
  caucus,
  type ElectionStatus,
  type IsolatedMember,
  join,
  type Member,
  type Membership,
} from './door/index.ts';
export {
  type Cancellable,
  CaucusError,
  type Cause,
  type Clock,
  checkToken,
  Election,
  type ElectionOptions,
  type Engine,
  type ErrorCode,
  type ErrorDetails,
  Gate,
  type HealthCheck,
  type HealthOptions,
  type Held,
  type Leadership,
  LeadershipLost,
  type LeadOptions,
  type Observation,
  type Occasion,
  type OnceContext,
  type OnceOptions,
  type OnceOutcome,
  type OnceWork,
  type OpenRun,
  type Prepare,
  type ResignationOptions,
  type ResignationRequest,
  type Run,
  type Runs,
  type ScheduleOptions,
  type Seat,
  type Standing,
  TOKEN_HEADER,
  type TokenCheck,
  type Transaction,
  type Why,
  type Work,
} from './election/index.ts';
export { type EngineOptions, type LeaseEngineOptions, type OpenEngine, openEngine } from './engines/index.ts';
export type {
  Change,
  IsolatedJoinOptions,
  JoinOptions,
  Limits,
  LinkStatus,
  LogEntry,
  Peer,
  Refusal,
  TlsOptions,
} from './member/index.ts';
export type { ChangedTiming, ProtocolName } from './protocols/index.ts';
