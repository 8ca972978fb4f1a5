/**
 * caucus/local: one leader among the processes of this machine, with no server at all: `onlyLeader` in one line, and the
 * engine `local` behind it.
 */
export { type LocalOptions, local } from '../../engines/local/index.ts';
export { type LocalLeaderOptions, onlyLeader, type Shift } from './only-leader.ts';
