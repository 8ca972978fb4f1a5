/**
 * How late the event loop of this process was, and how long its saves took, in the last minute: the two delays that
 * cost a healthy leader its lease.
 */
import type { Delays } from '../api/index.ts';
import type { Json } from '../core/index.ts';
import type { Store } from './data-folder.ts';
import type { ElectionStore } from './election-records.ts';

/**
 * A timer that is due while the loop is blocked runs late by the rest of the block. Two wake-ups a second cost nothing
 * that can be measured; a finer timer (perf_hooks.monitorEventLoopDelay has one of 10 ms) would wake an idle machine.
 */
const LOOK_EVERY_MS = 500;
const BUCKET_MS = 10_000;
const BUCKETS = 6;

/** The worst of the last minute, in parts of ten seconds. */
export class WorstOfMinute {
  readonly #buckets: { part: number; worstMs: number }[] = [];
  #lastMs: number | null = null;

  add(tookMs: number, nowMs: number): void {
    const part = Math.floor(nowMs / BUCKET_MS);
    this.#lastMs = tookMs;
    const newest = this.#buckets.at(-1);
    if (newest?.part === part) newest.worstMs = Math.max(newest.worstMs, tookMs);
    else this.#buckets.push({ part, worstMs: tookMs });
    if (this.#buckets.length > BUCKETS) this.#buckets.shift();
  }

  at(nowMs: number): Delays {
    const oldest = Math.floor(nowMs / BUCKET_MS) - BUCKETS;
    const recent = this.#buckets.filter(({ part }) => part > oldest);
    return { worstMs: Math.max(0, ...recent.map(({ worstMs }) => worstMs)), lastMs: this.#lastMs };
  }
}

export class LoopLag {
  readonly #worst = new WorstOfMinute();
  readonly #timer: NodeJS.Timeout;
  #dueMs: number;

  constructor() {
    this.#dueMs = performance.now() + LOOK_EVERY_MS;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  get recent(): Delays {
    // A loop that was blocked until now has not run the timer yet.
    const nowMs = performance.now();
    if (nowMs > this.#dueMs) this.#worst.add(nowMs - this.#dueMs, nowMs);
    return this.#worst.at(nowMs);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowMs = performance.now();
    this.#worst.add(Math.max(0, nowMs - this.#dueMs), nowMs);
    this.#dueMs = nowMs + LOOK_EVERY_MS;
  }
}

/** The same store, whose saves are measured; one that failed counts too. */
export function timedStore(store: Store, saves: WorstOfMinute): Store {
  return {
    get member() {
      return store.member;
    },
    saveVoters: (voters) => store.saveVoters(voters),
    saveMembers: (members, removed) => store.saveMembers(members, removed),
    adopt: (recovery) => store.adopt(recovery),
    records: (protocol) => store.records(protocol),
    isRecorded: (election) => store.isRecorded(election),
    history: (election, onFailure) => store.history(election, onFailure),
    assertOurs: () => store.assertOurs(),
    close: () => store.close(),
    election: (name, protocol) => {
      const records = store.election(name, protocol);
      return records.saveSoon === undefined ? new Timed(records, saves) : new TimedSoon(records, saves);
    },
  };
}

/** What is saved of one election. A class, since a member may have thousands: they share its functions. */
class Timed implements ElectionStore {
  protected readonly records: ElectionStore;
  readonly #saves: WorstOfMinute;

  constructor(records: ElectionStore, saves: WorstOfMinute) {
    this.records = records;
    this.#saves = saves;
  }

  load(inherit: (main: Json) => Json | null): Json {
    return this.records.load(inherit);
  }

  save(record: Json): void {
    const startMs = performance.now();
    try {
      this.records.save(record);
    } finally {
      this.note(startMs);
    }
  }

  protected note(startMs: number): void {
    const nowMs = performance.now();
    this.#saves.add(nowMs - startMs, nowMs);
  }
}

/** The same where a record can be saved without blocking. */
class TimedSoon extends Timed {
  saveSoon(record: Json, done: (failure: Error | null) => void): void {
    const startMs = performance.now();
    this.records.saveSoon!(record, (failure) => {
      this.note(startMs);
      done(failure);
    });
  }

  settle(): void {
    this.records.settle?.();
  }
}
