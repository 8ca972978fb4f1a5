import { noRefusals, type Refusal, type RefusalNote, RefusedMessage } from '../api/index.ts';
import { type MemberId, oneLine } from '../core/index.ts';
import type { Verdict } from '../peers/index.ts';
import type { Clock } from './clock.ts';

/** The same kind of refusal from the same address is logged once in this time. */
const TOLD_EVERY_MS = 1000;
/** How many addresses are counted separately within that time; refusals from further addresses are grouped by kind. */
const MOST_SENDERS = 100;
/** How many kinds and senders are remembered, the newest ones. */
const MOST_NOTED = 20;

interface Told {
  /** How many refusals came since the last log line, and the last of them. */
  more: number;
  last: string;
}

/**
 * Counts refusals, and logs them. The first is logged at once. Further refusals of the same kind and sender within a
 * second are counted and logged together, so that no sender can fill a disk with the log.
 */
export class RefusalLog {
  readonly counts: Record<Refusal, number> = noRefusals();
  readonly #clock: Clock;
  readonly #tell: (message: string) => void;
  readonly #told = new Map<string, Told>();
  readonly #timers = new Set<() => void>();
  readonly #noted = new Map<string, RefusalNote>();

  constructor(clock: Clock, tell: (message: string) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** `from`: the sender under which it is counted: a member, or an address without its port. */
  refused(kind: Refusal, from: string, reason: string): void {
    this.counts[kind] += 1;
    const message = oneLine(reason);
    this.#note(kind, from, message);
    const known = `${kind} ${from}`;
    const key = this.#told.has(known) || this.#told.size < MOST_SENDERS ? known : kind;
    const told = this.#told.get(key);
    if (told !== undefined) {
      told.more++;
      told.last = message;
      return;
    }
    this.#tell(message);
    this.#await(key, { more: 0, last: '' });
  }

  /** The last refusal of each kind and sender, newest last, bounded. */
  get recent(): readonly RefusalNote[] {
    return [...this.#noted.values()];
  }

  #note(kind: Refusal, from: string, reason: string): void {
    const key = `${kind} ${from}`;
    const count = (this.#noted.get(key)?.count ?? 0) + 1;
    this.#noted.delete(key);
    this.#noted.set(key, { kind, reason, count, lastAtMs: this.#clock.wallNow() });
    if (this.#noted.size > MOST_NOTED) this.#noted.delete(this.#noted.keys().next().value!);
  }

  /** Processes a message of a member; if it is refused, logs that. */
  hear(from: MemberId, take: () => void): void {
    try {
      take();
    } catch (error) {
      if (!(error instanceof RefusedMessage)) throw error;
      this.refused(error.kind, `member ${from}`, `a message of member ${from} is refused: ${error.message}`);
    }
  }

  close(): void {
    for (const cancel of [...this.#timers]) cancel();
    this.#timers.clear();
    this.#told.clear();
  }

  #await(key: string, told: Told): void {
    this.#told.set(key, told);
    const cancel = this.#clock.set(this.#clock.now() + TOLD_EVERY_MS, () => {
      this.#timers.delete(cancel);
      this.#told.delete(key);
      if (told.more === 0) return;
      this.#tell(told.more === 1 ? told.last : `${told.last} (${told.more} times within a second)`);
      this.#await(key, { more: 0, last: '' });
    });
    this.#timers.add(cancel);
  }
}

/** After the name of the other side, and before the reason. */
export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  refused: 'is refused',
  'refuses-us': 'refuses this member',
  'warns-us': 'warns this member',
};

/** An address without its port: one client with many connections has many ports. */
export function withoutPort(remote: string): string {
  return remote.replace(/:\d+$/, '');
}
