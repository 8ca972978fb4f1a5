export { type Coding, pureCoding } from './coding.ts';
export type { Owner } from './record-copy.ts';
export { type FileName, type PlannedWrite, perform, type RecordFolder, RecordStore } from './record-store.ts';
export type { Recovery } from './recovery.ts';
export { PAGE, SECTOR } from './sectors.ts';
