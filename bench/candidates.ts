/**
 * Candidates of one kind, each a process of its own that tells over its channel when it may act, by the monotonic clock,
 * which all processes of a machine share. What is done to the leader is the same for every kind.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMsOf, rssMbOf } from './process-cost.ts';
import { byRole, type Rest, type Rivals } from './rivals.ts';

export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** What happens to the leader: `kill -9`, a resignation, SIGSTOP. */
export type Blow = 'kill' | 'resign' | 'pause';

/** The election that every candidate stands in. */
export const MAIN = 'main';

/** No wait is longer, but for those that say so; with many elections it is the second of these. */
const LONGEST_WAIT_MS = 30_000;
const LONGEST_WAIT_OF_MANY_MS = 300_000;
const MANY = 100;
const MOST_TRIES = 10;

/** What a candidate says. */
interface Word {
  /** `up`, `acting`, `refused`, `traffic`, `marks`. */
  readonly is: string;
  readonly name?: string;
  readonly acting?: boolean;
  readonly atMs: number;
  readonly messages?: number;
  readonly bytes?: number;
  readonly marks?: readonly Mark[];
}

/** What a candidate did at a moment (takeover-probe.cjs). */
export interface Mark {
  readonly what: string;
  readonly atMs: number;
}

export interface Candidate {
  readonly id: number;
  readonly child: ChildProcess;
  /** The elections in which it may act. */
  readonly leads: Set<string>;
}

/** The elections of a candidate that was killed. */
export interface LedAgain {
  readonly victim: number;
  /** How many it led. */
  readonly lost: number;
  /** When each of those that are led again began to be, in ms after the kill, in the order in which they told of it; it grows. */
  readonly timesMs: readonly number[];
  /** All of them are led again. */
  readonly ended: Promise<void>;
}

/** What a process costs at rest, each second. */
export interface Cost {
  readonly cpuMs: number;
  readonly rssMb: number;
  /** NaN: it does not count them. */
  readonly messages: number;
  readonly bytes: number;
}

export interface Takeover {
  /** Infinity: not within the limit. */
  readonly ms: number;
  readonly fromMs: number;
  /** The candidate that acts now. */
  readonly next: Candidate | null;
}

/** Added to the time before a blow: after a fixed time it would always come at the same moment between two heartbeats. */
const ANY_PHASE_MS = 100;

export interface CandidateOptions {
  /** Starts one of them. */
  launch(id: number): Promise<ChildProcess>;
  readonly elections?: number;
  /** For how long a leader has led before anything is done to it. */
  readonly settleMs?: number;
  /** A candidate that was paused does not learn that it lost: another process takes its place. */
  readonly replacesPaused?: boolean;
  /** They count their messages. */
  readonly countsMessages?: boolean;
}

export class Candidates implements Rivals {
  readonly #options: CandidateOptions;
  readonly #elections: number;
  readonly #all = new Map<number, Candidate>();
  readonly #listeners = new Set<(from: Candidate, word: Word) => void>();
  /** Since when every election has a leader; null if one has none. */
  #allLedAtMs: number | null = null;

  constructor(options: CandidateOptions) {
    this.#options = options;
    this.#elections = options.elections ?? 1;
  }

  async start(id: number): Promise<void> {
    const child = await this.#options.launch(id);
    const made: Candidate = { id, child, leads: new Set() };
    this.#all.set(id, made);
    child.on('message', (words: Word | readonly Word[]) => {
      for (const word of [words].flat()) this.#hear(made, word);
    });
    // One that ended by itself cannot be told anything; the next trial that needs it starts another.
    child.on('error', () => {});
    await this.#heard(`candidate ${id} up`, (from, { is }) => from === made && is === 'up');
  }

  #hear(from: Candidate, word: Word): void {
    if (word.is === 'acting') {
      if (word.acting!) from.leads.add(word.name!);
      else from.leads.delete(word.name!);
      if (this.#led < this.#elections) this.#allLedAtMs = null;
      else this.#allLedAtMs ??= word.atMs;
    }
    for (const listener of [...this.#listeners]) listener(from, word);
  }

  get list(): readonly Candidate[] {
    return [...this.#all.values()];
  }

  get leader(): Candidate | undefined {
    return this.list.find(({ leads }) => leads.has(MAIN));
  }

  get #led(): number {
    return this.list.reduce((sum, { leads }) => sum + leads.size, 0);
  }

  /** One leads, and has done so for a while: all others are connected to it, or wait in the store. */
  async settled(): Promise<Candidate> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { leader } = this;
      if (leader === undefined)
        await this.#heard('a leader', (_, { name, acting }) => acting === true && name === MAIN);
      else {
        await sleep((this.#options.settleMs ?? 500) + Math.random() * ANY_PHASE_MS);
        if (this.leader === leader) return leader;
      }
    }
    throw new Error(`the leader changed ${MOST_TRIES} times while one was waited for`);
  }

  /** Every election has a leader. Resolves with when that began. */
  async allLed(): Promise<number> {
    while (this.#allLedAtMs === null)
      await this.#heard('every election led', (_, { is }) => is === 'acting', Number.POSITIVE_INFINITY);
    return this.#allLedAtMs;
  }

  /**
   * How long it takes until a candidate acts again after this was done to the leader. It may be the same one: a leader that
   * resigned is elected again if the disks of the others take longer than a timeout. A leader that had lost its lease before it
   * was asked to resign says so, and the trial is held again. Afterwards, all are there as before.
   */
  async trial(blow: Blow, limitMs: number = LONGEST_WAIT_MS): Promise<Takeover> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const found = await this.#try(blow, limitMs);
      if (found !== null) return found;
    }
    throw new Error(`the leader refused to resign ${MOST_TRIES} times`);
  }

  async #try(blow: Blow, limitMs: number): Promise<Takeover | null> {
    const leader = await this.settled();
    let hasLost = false;
    let next: Candidate | null = null;
    const told = this.#heard(
      `a takeover after ${blow}`,
      (from, { is, acting, name }) => {
        if (is === 'refused') return true;
        if (is !== 'acting' || name !== MAIN) return false;
        if (from === leader && acting === false) hasLost = true;
        next = from;
        return acting === true && (from !== leader || hasLost);
      },
      limitMs,
    ).catch(() => null);
    const fromMs = nowMs();
    const gone = this.#strike(blow, leader);
    const word = await told;
    await gone;
    if (word?.is === 'refused') {
      await this.#restore(blow, leader);
      return null;
    }
    const took: Takeover =
      word === null
        ? { ms: Number.POSITIVE_INFINITY, fromMs, next: null }
        : { ms: word.atMs - fromMs, fromMs, next };
    await this.#restore(blow, leader);
    return took;
  }

  #strike(blow: Blow, leader: Candidate): Promise<void> {
    if (blow === 'kill') return this.kill(leader);
    if (blow === 'pause') leader.child.kill('SIGSTOP');
    else leader.child.send('resign');
    return Promise.resolve();
  }

  async #restore(blow: Blow, struck: Candidate): Promise<void> {
    if (blow === 'resign' && struck.child.connected) return void struck.child.send('stand');
    if (blow === 'pause') {
      struck.child.kill('SIGCONT');
      if (this.#options.replacesPaused !== true) return;
      await this.kill(struck);
    }
    await this.start(struck.id);
  }

  /** kill -9 of the candidate that leads most. */
  killBusiest(): LedAgain {
    const victim = this.list.reduce((a, b) => (b.leads.size > a.leads.size ? b : a));
    const open = new Set(victim.leads);
    const lost = open.size;
    const timesMs: number[] = [];
    const fromMs = nowMs();
    const all = this.#heard(
      'every election led again',
      (from, { is, acting, name, atMs }) => {
        if (is === 'acting' && from !== victim && acting === true && open.delete(name!))
          timesMs.push(atMs - fromMs);
        return open.size === 0;
      },
      Number.POSITIVE_INFINITY,
    );
    const ended = Promise.all([this.kill(victim), all]).then(() => {});
    return { victim: victim.id, lost, timesMs, ended };
  }

  async kill({ id, child }: Candidate): Promise<void> {
    this.#all.delete(id);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** What each of them costs during this time, by id. */
  async costs(seconds: number): Promise<Map<number, Cost>> {
    const before = await this.#counts();
    await sleep(seconds * 1000);
    const after = await this.#counts();
    const costs = new Map<number, Cost>();
    for (const [id, now] of after) {
      const then = before.get(id);
      if (then === undefined) continue;
      costs.set(id, {
        cpuMs: (now.cpuMs - then.cpuMs) / seconds,
        messages: (now.messages - then.messages) / seconds,
        bytes: (now.bytes - then.bytes) / seconds,
        rssMb: now.rssMb,
      });
    }
    return costs;
  }

  /** The same one leads during all of this time. */
  async rest(seconds: number): Promise<Rest> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const leader = await this.settled();
      const costs = await this.costs(seconds);
      if (this.leader === leader) return { ...byRole(costs, leader.id), server: null };
    }
    throw new Error(`the leader changed in each of ${MOST_TRIES} windows at rest`);
  }

  async #counts(): Promise<Map<number, Cost>> {
    const counts = new Map<number, Cost>();
    for (const each of this.list) {
      const { messages, bytes } =
        this.#options.countsMessages === true
          ? await this.ask(each, 'traffic')
          : { messages: Number.NaN, bytes: Number.NaN };
      const pid = each.child.pid!;
      counts.set(each.id, { cpuMs: cpuMsOf(pid), rssMb: rssMbOf(pid), messages: messages!, bytes: bytes! });
    }
    return counts;
  }

  /** What a candidate answers to a question of this name. */
  ask(candidate: Candidate, what: string): Promise<Word> {
    const answer = this.#heard(
      `${what} of ${candidate.id}`,
      (from, { is }) => from === candidate && is === what,
    );
    candidate.child.send(what);
    return answer;
  }

  async close(): Promise<void> {
    for (const { child } of this.list) child.kill('SIGKILL');
    this.#all.clear();
  }

  /** The first word that fits. Rejects if none does within the limit. */
  #heard(
    what: string,
    fits: (from: Candidate, word: Word) => boolean,
    limitMs: number = this.#elections > MANY ? LONGEST_WAIT_OF_MANY_MS : LONGEST_WAIT_MS,
  ): Promise<Word> {
    return new Promise((resolve, reject) => {
      let late: NodeJS.Timeout | undefined;
      const listener = (from: Candidate, word: Word): void => {
        if (!fits(from, word)) return;
        this.#listeners.delete(listener);
        clearTimeout(late);
        resolve(word);
      };
      this.#listeners.add(listener);
      if (limitMs === Number.POSITIVE_INFINITY) return;
      late = setTimeout(() => {
        this.#listeners.delete(listener);
        reject(new Error(`expected ${what} within ${limitMs / 1000} s`));
      }, limitMs);
    });
  }
}
