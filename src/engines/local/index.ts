/**
 * local: elections among the processes of one machine, with no server at all.
 *
 * Promises: one leader at a time, tokens that only grow, and a takeover as soon as a leader's process is gone, since the kernel
 * closes what a dead process held. Containers that share a volume on one machine may take part.
 * Rests on: one kernel, and a folder on a disk of this machine that all can write to and from which no person deletes anything.
 * If `ELECTION@info` is lost while there is no leader, tokens go on from the wall clock in milliseconds. They still grow if that clock was
 * not set back behind the first leader's, and there was less than one leader per millisecond since.
 * Does not promise: anything between machines, whatever disk they share; nor a takeover from a process that is stopped or hangs:
 * it lives, so it keeps what it holds.
 *
 * How: the leader with token n listens on a socket that is called `ELECTION@n`. A socket that refuses a connection has no
 * process behind it any more. A candidate for the place of the dead leader n binds a socket to the name `ELECTION@n+1`, which the
 * kernel grants to one alone, and then looks around; see `LocalStore`. `ELECTION@info` tells who leads and what it published.
 */
import path from 'node:path';
import { BadInput, show } from '../../core/index.ts';
import { LeaseEngine, type LeaseEngineOptions } from '../lease/lease-engine.ts';
import { checkOptions } from '../lease/options.ts';
import type { LeaseTimes } from '../lease/settings.ts';
import { shownAddress } from '../secrets.ts';
import { defaultFolder } from './default-folder.ts';
import { Folder } from './folder.ts';
import { type LocalGrant, LocalStore } from './local-store.ts';

/** No times: leases of this engine do not expire. */
export type LocalOptions = Pick<LeaseEngineOptions, 'name' | 'retryMs' | 'log'>;

const RETRY_MS = 2000;
/** With a token of 19 digits it becomes the name of a socket, which is limited in length. */
const LONGEST_NAME = 64;

/** `local:` for a folder of this user's own, or `local:/path`. */
export function local(url = 'local:', options: LocalOptions = {}): LeaseEngine<LocalGrant> {
  checkOptions(options);
  const given = folderOf(url);
  const folder = new Folder(given ?? defaultFolder(), given === null);
  const { retryMs = RETRY_MS } = options;
  for (const time of ['leaseMs', 'renewMs', 'callMs', 'maxDrift'] as const) {
    const set = (options as LeaseEngineOptions)[time];
    if (set !== undefined)
      throw new BadInput(time, 'none with local:, whose leases do not expire', show(set));
  }
  if (!(typeof retryMs === 'number' && retryMs > 0))
    throw new BadInput('retryMs', 'a number of milliseconds above 0', show(retryMs));
  const times: LeaseTimes = {
    leaseMs: Number.POSITIVE_INFINITY,
    actMs: Number.POSITIVE_INFINITY,
    renewMs: Math.min(retryMs, RETRY_MS),
    retryMs,
    callMs: 1000,
  };
  const kind = {
    storeName: `the folder ${folder.path}`,
    times,
    checkName,
    open: (election: string, name: string) => new LocalStore(folder, election, name),
    close: async () => folder.close(),
  };
  return new LeaseEngine(kind, options);
}

/** Null: the folder of this user. */
function folderOf(url: string): string | null {
  const found = /^local:(.*)$/s.exec(url);
  if (found === null) throw new BadInput('url', 'local: or local:/path', shownAddress(url));
  const given = found[1]!.replace(/^\/\/(?=\/)/, '');
  if (given === '') return null;
  if (!path.isAbsolute(given) || given.startsWith('//'))
    throw new BadInput('url', 'an absolute path after local:', shownAddress(url));
  return path.normalize(given);
}

/** It is also the name of a file. */
function checkName(election: string): void {
  if (/^[\w.-]+$/.test(election) && election.length <= LONGEST_NAME) return;
  const expected = `a name of 1 to ${LONGEST_NAME} letters, digits, ".", "_" and "-"`;
  throw new BadInput('election', expected, show(election));
}
