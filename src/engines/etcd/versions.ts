import type { LogEntry } from '../../election/index.ts';
import type { Endpoint } from './address.ts';

/** The first release of each line that does not end renewed leases early (etcd issue 15247). Later lines never did. */
const MENDED: ReadonlyMap<string, number> = new Map([
  ['3.4', 31],
  ['3.5', 13],
]);

/**
 * Whether an etcd of this version can end leases that were renewed at another member, when it was the leader, stalled
 * and resumed.
 */
export function endsRenewedLeases(version: string): boolean {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (parts === null) return false; // Unknown version.
  const [major, minor, patch] = parts.slice(1).map(Number) as [number, number, number];
  const mended = MENDED.get(`${major}.${minor}`);
  return mended === undefined ? major < 3 || (major === 3 && minor < 4) : patch < mended;
}

/** Warns once, for all endpoints of an engine, if etcd has this defect. */
export class VersionWarning {
  readonly #log: (entry: LogEntry) => void;
  #isTold = false;

  constructor(log: ((entry: LogEntry) => void) | undefined) {
    this.#log = log ?? warnOfProcess;
  }

  onVersion({ host, port }: Endpoint, version: string): void {
    if (this.#isTold || !endsRenewedLeases(version)) return;
    this.#isTold = true;
    const what = `etcd ${version} at ${host}:${port} can end the lease of a live leader when a stalled etcd member resumes`;
    const remedy = 'upgrade to 3.4.31, 3.5.13 or newer, and check tokens until then';
    this.#log({
      level: 'warning',
      message: `${what} (etcd issue 15247), and two may lead for a moment: ${remedy}`,
    });
  }
}

function warnOfProcess({ message }: LogEntry): void {
  process.emitWarning(message, { type: 'CaucusWarning', code: 'CAUCUS_ETCD_VERSION' });
}
