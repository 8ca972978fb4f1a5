export { type Coding, pureCoding } from './coding.ts';
export { type Batches, type Done, GroupCommit, type LogFolder } from './group-commit.ts';
export type { LogEntry, LoggedRecord, LogOwner } from './log-batch.ts';
export { type LogRecovery, recoverLog } from './log-recovery.ts';
export { BESIDE_LOG, type Owner } from './record-copy.ts';
export { newLog, RecordLog } from './record-log.ts';
export { type FileName, type PlannedWrite, perform, type RecordFolder, RecordStore } from './record-store.ts';
export { type Recovery, recover } from './recovery.ts';
export { PAGE, SECTOR } from './sectors.ts';
