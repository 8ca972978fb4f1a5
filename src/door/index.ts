export { type Caucus, type CaucusStoreOptions, caucus } from './caucus.ts';
export { join } from './join.ts';
export type { ElectionStatus, IsolatedMember, Member, Membership } from './member.ts';
