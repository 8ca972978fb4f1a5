export type { Change, ElectionPort, LinkStatus, MemberPort, Peer, Refusal } from '../api/index.ts';
export { MemberAccess } from './access.ts';
export { SystemClock } from './clock.ts';
export type { JoinOptions, Limits, LogEntry } from './join-options.ts';
export { makeFolder } from './make-folder.ts';
export { join, Member } from './member.ts';
export { readOptions } from './options.ts';
export { RefusalLog } from './refusal-log.ts';
