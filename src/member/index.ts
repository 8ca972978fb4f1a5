export type { Change, ElectionPort, LinkStatus, MemberPort, Peer, Refusal } from '../api/index.ts';
export type { JoinOptions, Limits, LogEntry } from './join-options.ts';
export { join, Member } from './member.ts';
