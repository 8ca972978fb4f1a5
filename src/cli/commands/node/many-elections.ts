/** Many elections of one member, to try and to measure them: `caucus node --elections N`, and `caucus up`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { integer } from '../../../core/index.ts';
import { anyOf } from '../../../election/index.ts';
import type { ElectionPort, Member } from '../../../member/index.ts';
import { Refusal } from '../../input/refusal.ts';
import { readNumberOr } from '../../input/values.ts';
import type { Log } from '../../terminal/log.ts';
import { standFor } from './standing.ts';

/** With the main one as many as `limits.elections` allows. */
const MOST_ELECTIONS = 9999;
/**
 * So many are opened at a time. All at once, their votes would wait for each other, and the first leaders would lose
 * their leases before the last ones are elected.
 */
const BATCH = 50;
/** The next batch waits until the last one has its leaders, or for so long. */
const BATCH_WITHIN_MS = 1000;
/** How often the number of those that it leads is logged, at most. */
const TELL_EVERY_MS = 250;

/** How many elections besides the main one; null if the flag is not given. */
export function readElectionCount(text: string | undefined): number | null {
  return readNumberOr(text, '--elections', integer(1, MOST_ELECTIONS), null);
}

/** `job-0001` and so on: in the order of their numbers also where names are sorted as text. */
export function electionNames(count: number): readonly string[] {
  const digits = Math.max(4, String(count).length);
  return Array.from({ length: count }, (_, i) => `job-${String(i + 1).padStart(digits, '0')}`);
}

/** The main election is none of the others, or there would be one election less than was asked for. */
export function refuseMainAmong(count: number | null, main: string): void {
  if (count !== null && electionNames(count).includes(main))
    throw new Refusal(`--election: expected another name than those of --elections, found ${main}`);
}

/**
 * Stands in all of them until the signal, or only votes. Each change of the number that this member leads is logged, as
 * `elections` with `leads` and `of`. Settles when it stands in none any more.
 */
export async function standInMany(
  member: Member,
  count: number,
  { log, stands, signal }: { readonly log: Log; readonly stands: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const tally = new Tally(member, count, log);
  const standing: Promise<void>[] = [];
  const batch: ElectionPort[] = [];
  for (const [i, name] of electionNames(count).entries()) {
    if (signal.aborted) break;
    const election = member.election(name);
    const port = member.electionPort(name);
    tally.add(port);
    if (stands) standing.push(standFor(election, signal));
    batch.push(port);
    if (i % BATCH === BATCH - 1) await haveLeaders(batch.splice(0), signal);
  }
  await Promise.all(standing);
  tally.close();
}

/** Settles when all of them have a leader, after a while, or with the signal. */
async function haveLeaders(ports: readonly ElectionPort[], signal: AbortSignal): Promise<void> {
  const waiting = new AbortController();
  const look = (): void => {
    if (ports.every(({ view }) => view.leader !== null)) waiting.abort();
  };
  const stops = ports.map((port) => port.subscribe(look));
  look();
  const ends = anyOf([signal, waiting.signal]);
  await sleep(BATCH_WITHIN_MS, null, { signal: ends }).catch(() => {});
  for (const stop of stops) stop();
}

/** Counts those that this member leads. */
class Tally {
  readonly #member: Member;
  readonly #of: number;
  readonly #log: Log;
  readonly #acting = new Set<string>();
  readonly #stops: (() => void)[] = [];
  #told = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(member: Member, of: number, log: Log) {
    this.#member = member;
    this.#of = of;
    this.#log = log;
  }

  add(port: ElectionPort): void {
    const look = (): void => {
      if (port.acting) this.#acting.add(port.name);
      else this.#acting.delete(port.name);
      if (this.#acting.size !== this.#told) this.#timer ??= setTimeout(() => this.#tell(), TELL_EVERY_MS);
    };
    this.#stops.push(port.subscribe(look));
    look();
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const stop of this.#stops) stop();
  }

  #tell(): void {
    this.#timer = undefined;
    const leads = this.#acting.size;
    if (leads === this.#told) return;
    this.#told = leads;
    const { id } = this.#member;
    const text = `${id} leads ${leads} of ${this.#of} elections`;
    this.#log({ level: 'info', event: 'elections', text, id, leads, of: this.#of });
  }
}
