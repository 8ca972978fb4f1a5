/**
 * Caucus elects leaders. N copies of a service run, exactly one does the job, and when it dies another takes over:
 *
 *     const member = await join({ id: 'a', peers, data: '/var/lib/service' });
 *     await member.election('nightly-report').lead(async ({ token, signal, assert }) => { … });
 *
 * What is exported here as a value is loaded by every program, so it is taken from the files themselves: the index of a room
 * loads all of that room.
 */
export type { TokenOption } from './auth/index.ts';
export { BadInput, parseId } from './core/values.ts';
export { type Caucus, type CaucusStoreOptions, caucus } from './door/caucus.ts';
export { join } from './door/join.ts';
export type { ElectionStatus, IsolatedMember, Member, Membership } from './door/member.ts';
export { Election } from './election/election.ts';
export { CaucusError, LeadershipLost } from './election/errors.ts';
export { checkToken, Gate, TOKEN_HEADER } from './election/fencing.ts';
export type {
  Cancellable,
  Cause,
  Clock,
  ElectionOptions,
  Engine,
  ErrorCode,
  ErrorDetails,
  HealthCheck,
  HealthOptions,
  Held,
  InTransaction,
  Leadership,
  LeadOptions,
  Observation,
  Occasion,
  OnceContext,
  OnceOptions,
  OnceOutcome,
  OnceWork,
  OpenRun,
  OwnedShard,
  Partition,
  PartitionObservation,
  PartitionOptions,
  Prepare,
  ResignationOptions,
  ResignationRequest,
  Run,
  Runs,
  ScheduleOptions,
  Seat,
  ShardOccasion,
  ShardOwner,
  ShardScheduleOptions,
  ShardScheduleWork,
  ShardWork,
  Standing,
  TokenCheck,
  Transaction,
  TransactionContext,
  Why,
  Work,
} from './election/index.ts';
export type { EngineOptions, LeaseEngineOptions, OpenEngine } from './engines/index.ts';
export { openEngine } from './engines/open.ts';
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
export type { ChangedOptions, ChangedTiming, ProtocolName } from './protocols/index.ts';
