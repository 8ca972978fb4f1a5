import type { MemberId, View } from '../../core/index.ts';
import type { ProtocolHost } from '../../host/index.ts';
import type { ManyProcess } from './running.ts';

/** What must hold in every election, whatever the others do. */
export class ManyWatch {
  /** How many leaderships acted, and how many elections rested, over all looks. */
  leaderships = 0;
  rests = 0;

  readonly #fail: (what: string) => void;
  /** By election: the greatest token under which any process acted. */
  readonly #tokens = new Map<string, bigint>();
  /** By election and term: the process that led it. */
  readonly #leaders = new Map<string, string>();
  /** By election and term: the leader that members name. */
  readonly #named = new Map<string, MemberId>();
  /** By election and version: the value that members show. */
  readonly #values = new Map<string, string>();
  /** The leaderships that were seen, by process. */
  readonly #seen = new Map<ProtocolHost, bigint>();
  /** Those that did not act when they were last looked at. */
  readonly #stopped = new Set<ProtocolHost>();

  constructor(fail: (what: string) => void) {
    this.#fail = fail;
  }

  onReport(election: string, life: string, { role, term, leader, version, value }: View): void {
    if (leader !== null && noted(this.#named, `${election} ${term}`, leader) !== leader)
      this.#fail(`S9: ${life} names ${leader} as the leader of ${election} in term ${term}`);
    const text = JSON.stringify(value);
    if (version > 0 && noted(this.#values, `${election} ${version}`, text) !== text)
      this.#fail(`R1: ${life} shows ${text} as version ${version} of ${election}`);
    if (role !== 'leader') return;
    const key = `${election} ${term}`;
    const known = this.#leaders.get(key);
    if (known === undefined) this.#leaders.set(key, life);
    else if (known !== life) this.#fail(`S1: ${known} and ${life} lead ${election} in term ${term}`);
  }

  /** Before and after every event: at most one acts in each election, tokens grow, and a lapsed one is not used again. */
  look(elections: readonly string[], all: readonly (ManyProcess | null)[]): void {
    for (const election of elections) {
      let acting: string | null = null;
      for (const each of all) {
        const host = each?.hosts.get(election);
        if (host === undefined || each === null) continue;
        if (host.resting.isOn) this.rests += 1;
        // What a machine that sleeps would do once it runs, it does after it has seen that it slept.
        if (each.isAsleep || !host.acting) {
          this.#stopped.add(host);
          continue;
        }
        if (acting !== null) this.#fail(`S10: ${acting} and ${each.life} act in ${election}`);
        acting = each.life;
        this.#onActing(election, host, each.life);
      }
    }
  }

  #onActing(election: string, host: ProtocolHost, life: string): void {
    const { token } = host.held!;
    const hasStopped = this.#stopped.delete(host);
    if (this.#seen.get(host) === token) {
      if (hasStopped) this.#fail(`H2: ${life} acts again in ${election} with token ${token}`);
      return;
    }
    this.#seen.set(host, token);
    this.leaderships += 1;
    const newest = this.#tokens.get(election) ?? 0n;
    if (token <= newest) this.#fail(`S6: ${life} acts in ${election} with token ${token} after ${newest}`);
    this.#tokens.set(election, token);
  }
}

/** What the map has under this key; if it has nothing, it has this from now on. */
function noted<T>(map: Map<string, T>, key: string, value: T): T {
  const before = map.get(key);
  if (before === undefined) map.set(key, value);
  return before ?? value;
}
