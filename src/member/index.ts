export { parseId } from './ids.ts';
export type { JoinOptions, Limits, LogEntry } from './join-options.ts';
export type { LinkStatus, Peer } from './links/links.ts';
export { join, Member } from './member.ts';
export type { Change, ElectionPort, MemberPort, Refusal } from './port.ts';
