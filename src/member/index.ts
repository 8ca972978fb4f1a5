export { electionName, parseId } from './ids.ts';
export type { JoinOptions, Limits, LogEntry } from './join-options.ts';
export type { LinkStatus, Peer } from './links/links.ts';
export { closeServer, listen, urlOfServer } from './listener.ts';
export { join, Member } from './member.ts';
export { type Change, type ElectionPort, type MemberPort, noRefusals, type Refusal } from './port.ts';
export { hostOf, isLoopback, urlOf } from './urls.ts';
