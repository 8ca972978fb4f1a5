export type { Cause, Why } from '../core/index.ts';
export type { Occasion, OpenRun, Run } from '../once/index.ts';
export { isSlotElection, recordElections } from '../shards/index.ts';
export { anyOf, type Cancellable } from './aborts.ts';
export { type Clock, processClock } from './clock.ts';
export { Election } from './election.ts';
export type { ElectionOptions, ResignationOptions } from './election-options.ts';
export type { Engine } from './engine.ts';
export { CaucusError, type ErrorCode, type ErrorDetails, LeadershipLost } from './errors.ts';
export { checkToken, Gate, readToken, staleToken, TOKEN_HEADER, type TokenCheck } from './fencing.ts';
export type { HealthCheck, HealthOptions } from './health.ts';
export { inventName } from './invented-name.ts';
export type { LeadOptions, Work } from './lead.ts';
export type { Leadership } from './leadership.ts';
export type { LogEntry } from './log-entry.ts';
export type { Observation } from './observation.ts';
export { fireTimes } from './once/fire-times.ts';
export type { Runs } from './once/occasions.ts';
export { CutShort, type OnceOutcome } from './once/once.ts';
export type {
  InTransaction,
  OnceContext,
  OnceOptions,
  OnceWork,
  TransactionContext,
} from './once/options.ts';
export { othersFirst } from './once/others-first.ts';
export type { ScheduleOptions } from './once/schedule.ts';
export type { Prepare } from './preparation.ts';
export { expectDone, ProtocolSeat, type SeatHost } from './protocol-seat.ts';
export { isRecorded } from './publication.ts';
export type {
  Held,
  Opening,
  ResignationRequest,
  Seat,
  Standing,
  TransactedWork,
  Transaction,
} from './seat.ts';
export type { PartitionObservation, ShardOwner } from './shards/observation.ts';
export type { OwnedShard } from './shards/owned-shard.ts';
export { Partition } from './shards/partition.ts';
export { checkPartitionName, type PartitionOptions } from './shards/partition-options.ts';
export type { ShardWork } from './shards/session.ts';
export type { ShardOccasion, ShardScheduleOptions, ShardScheduleWork } from './shards/shard-schedules.ts';
export { SleepWatch } from './sleep-watch.ts';
