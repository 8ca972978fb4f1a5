/**
 * The decisions of the lease manager: which participant holds each election, with which token, and until when. Pure: the
 * caller gives the time, publishes the drafts, and says which of them are committed.
 *
 * Two states. The *draft* holds every decision at once, so that two requests that arrive together cannot both be
 * granted. The *committed* state is the last draft that a majority has on its disks; readings show only that. An answer
 * that depends on a change waits until the change is committed (`after`): a manager that dies before has promised
 * nothing. Requests that arrive while one draft is being published share the next one.
 *
 * When a lease ends. The manager counts it from when the request arrived, the participant from when it sent it, and less
 * a bound on drift: the participant stops first. Renewals change only when the lease ends, which is in memory only. A new
 * manager does not know the last renewals, so it lets every lease of the register run for its whole length from the
 * beginning of its own leadership. That is late enough: the earlier manager answered no renewal after its own lease
 * ended, and the new leadership began later.
 *
 * Tokens: the term of the manager, times 2^22, plus the number of the grant within the term. A later manager has a greater
 * term, so every token is greater than all earlier ones, whatever was lost of the register. They fit into 63 bits as long as the
 * term is below 2^41, that is for some 7,000 years of terms that begin with tenths of a second.
 */
import { type Json, withToken } from '../core/index.ts';
import { type Entry, LARGEST_REGISTER, LARGEST_VALUE, type Lease, type LeaseRegister } from './register.ts';
import type {
  Asking,
  FirstValue,
  LeaseReading,
  Publishing,
  Releasing,
  Renewal,
  Taken,
  Taking,
} from './wire.ts';

const COUNT_BITS = 22n;
const MOST_GRANTS = 4_194_303;
/** Attempts that are remembered, to recognise requests that were overtaken. */
const MOST_ATTEMPTS = 10_000;

/** An answer that may be given once the change of this number is committed; 0: at once. */
export interface Decision<T> {
  readonly after: number;
  readonly answer: T;
}

/** Why a request was not carried out: there is no room for it, or no token left in this term. */
export interface Refused {
  readonly refused: 'full' | 'value-too-large' | 'term-used-up';
}

/** What a commit changed in one election. */
export interface News {
  readonly election: string;
  readonly before: Lease | null;
  readonly after: Lease | null;
}

interface Row {
  readonly entry: Entry;
  /** Its length in the register. */
  readonly size: number;
}

type Rows = ReadonlyMap<string, Row>;

export class LeaseManager {
  readonly #term: bigint;
  #draft = new Map<string, Row>();
  #committed: Rows;
  #versions: number;
  #size: number;
  /** When each lease of the draft ends, by its token: only the draft's own are kept. */
  readonly #untilMs = new Map<string, number>();
  readonly #attempts = new Map<string, number>();
  #grants = 0;
  /** The number of the last change of the draft. */
  #changes = 0;
  #sent: { readonly number: number; readonly rows: Rows } | null = null;
  #published = 0;

  /** `term`: the token of the manager's own leadership. `nowMs`: no earlier than the beginning of it. */
  constructor(register: LeaseRegister, term: bigint, nowMs: number) {
    this.#term = term;
    this.#versions = register.versions;
    for (const entry of register.elections) {
      this.#draft.set(entry.name, { entry, size: sizeOf(entry) });
      if (entry.lease !== null) this.#untilMs.set(entry.lease.token, nowMs + entry.lease.leaseMs);
    }
    this.#committed = new Map(this.#draft);
    this.#size = JSON.stringify(register).length;
  }

  /** Elections that are in the register. */
  get count(): number {
    return this.#draft.size;
  }

  take(asked: Taking, nowMs: number): Decision<Taken> | Refused {
    const { election, session, attempt, name, leaseMs } = asked;
    const entry = this.#entryOf(election);
    const { lease } = entry;
    const key = `${session} ${election}`;
    const isOurs = lease !== null && lease.session === session;
    const known = Math.max(this.#attempts.get(key) ?? 0, isOurs ? lease.attempt : 0);
    const isLate = attempt <= known; // A newer request of the same process has overtaken it.
    if (!isLate) this.#remember(key, attempt);
    if (isLate || (lease !== null && !isOurs && !this.#isOver(lease, nowMs)))
      return { after: 0, answer: { token: null, reading: this.read(election, nowMs) } };
    if (this.#grants >= MOST_GRANTS) return { refused: 'term-used-up' };
    const token = String((this.#term << COUNT_BITS) + BigInt(this.#grants + 1));
    const granted = { holder: name, session, attempt, token, leaseMs, asked: null };
    const opened = this.#opened(entry, token, asked.first);
    const taken = [opened, entry].find((each) => each !== null && this.#change({ ...each, lease: granted }));
    if (taken == null) return { refused: 'full' };
    const { value, version } = taken;
    this.#versions = Math.max(this.#versions, version);
    this.#grants += 1;
    this.#untilMs.set(token, nowMs + leaseMs);
    const reading = { leader: name, token, freeInMs: leaseMs, value, version, opens: true };
    return { after: this.#changes, answer: { token, reading } };
  }

  /** With the value that is published with the lease. Null: there is none, or it does not follow the last one, or is too large. */
  #opened(entry: Entry, token: string, first: FirstValue | undefined): Entry | null {
    if (first === undefined || first.after !== entry.version) return null;
    const json = withToken(JSON.stringify(first.value), token);
    if (json.length > LARGEST_VALUE) return null;
    return { ...entry, value: JSON.parse(json), version: this.#versions + 1 };
  }

  /** Nothing is written: the register would have to be written for every renewal of every participant. */
  renew(asked: Releasing, nowMs: number): Decision<Renewal> {
    const lease = this.#held(asked, nowMs);
    if (lease === null) return { after: 0, answer: { held: false, asked: null } };
    this.#untilMs.set(lease.token, nowMs + lease.leaseMs);
    return { after: 0, answer: { held: true, asked: lease.asked } };
  }

  release(asked: Releasing, nowMs: number): Decision<object> {
    if (this.#held(asked, nowMs) === null) return { after: 0, answer: {} };
    this.#change({ ...this.#entryOf(asked.election), lease: null });
    return { after: this.#changes, answer: {} };
  }

  publish(asked: Publishing, nowMs: number): Decision<{ readonly version: number | null }> | Refused {
    if (this.#held(asked, nowMs) === null) return { after: 0, answer: { version: null } };
    if (JSON.stringify(asked.value).length > LARGEST_VALUE) return { refused: 'value-too-large' };
    const version = this.#versions + 1;
    if (!this.#change({ ...this.#entryOf(asked.election), value: asked.value, version }))
      return { refused: 'full' };
    this.#versions = version;
    return { after: this.#changes, answer: { version } };
  }

  ask({ election, token, reason }: Asking, nowMs: number): Decision<object> | Refused {
    const entry = this.#entryOf(election);
    const { lease } = entry;
    if (lease === null || lease.token !== token || this.#isOver(lease, nowMs))
      return { after: 0, answer: {} };
    if (!this.#change({ ...entry, lease: { ...lease, asked: reason } })) return { refused: 'full' };
    return { after: this.#changes, answer: {} };
  }

  /** The committed state. A lease that has expired is not shown, whether or not that is committed. */
  read(election: string, nowMs: number): LeaseReading {
    const { lease, value, version } = this.#committed.get(election)?.entry ?? emptyEntry(election);
    const untilMs = lease === null ? undefined : this.#untilMs.get(lease.token);
    if (lease === null || untilMs === undefined || untilMs <= nowMs)
      return { leader: null, token: null, freeInMs: null, value, version, opens: true };
    const freeInMs = untilMs - nowMs;
    return { leader: lease.holder, token: lease.token, freeInMs, value, version, opens: true };
  }

  /** Ends the leases whose time is up. Returns whether there were any. */
  expire(nowMs: number): boolean {
    const over = [...this.#draft.values()].filter(
      ({ entry: { lease } }) => lease !== null && this.#isOver(lease, nowMs),
    );
    for (const { entry } of over) this.#change({ ...entry, lease: null });
    return over.length > 0;
  }

  /** When the next lease expires, if it is not renewed; Infinity if none is held. */
  get dueMs(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...this.#untilMs.values());
  }

  /** The register to publish, or null if all is committed. Ask again after each answer; the number goes to `commit`. */
  draft(): { readonly number: number; readonly register: LeaseRegister } | null {
    if (this.#published === this.#changes) return null;
    const rows: Rows = new Map(this.#draft);
    this.#sent = { number: this.#changes, rows };
    const elections = [...rows.values()].map(({ entry }) => entry);
    return { number: this.#changes, register: { leases: 1, versions: this.#versions, elections } };
  }

  /** The draft of this number is committed. Returns what that changed. */
  commit(number: number): readonly News[] {
    if (this.#sent?.number !== number) return [];
    const before = this.#committed;
    const after = this.#sent.rows;
    this.#committed = after;
    this.#published = number;
    this.#sent = null;
    const names = new Set([...before.keys(), ...after.keys()]);
    return [...names]
      .filter((name) => before.get(name) !== after.get(name))
      .map((name) => ({
        election: name,
        before: before.get(name)?.entry.lease ?? null,
        after: after.get(name)?.entry.lease ?? null,
      }));
  }

  #entryOf(election: string): Entry {
    return this.#draft.get(election)?.entry ?? emptyEntry(election);
  }

  #isOver({ token }: Lease, nowMs: number): boolean {
    return (this.#untilMs.get(token) ?? 0) <= nowMs;
  }

  /** The lease, if exactly this grant holds it. */
  #held({ election, session, token }: Releasing, nowMs: number): Lease | null {
    const { lease } = this.#entryOf(election);
    if (lease === null || lease.session !== session || lease.token !== token) return null;
    return this.#isOver(lease, nowMs) ? null : lease;
  }

  /** False, without effect, if there is no room. What becomes shorter always has room. */
  #change(entry: Entry): boolean {
    const before = this.#draft.get(entry.name);
    // An election that is free and has no value is the same as one that was never held.
    const isKept = entry.lease !== null || entry.value !== null;
    const row = isKept ? { entry, size: sizeOf(entry) } : null;
    const grown = (row?.size ?? 0) - (before?.size ?? 0);
    if (grown > 0 && this.#size + grown > LARGEST_REGISTER - MARGIN) return false;
    const old = before?.entry.lease;
    if (old != null && old.token !== entry.lease?.token) this.#untilMs.delete(old.token);
    this.#size += grown;
    if (row === null) this.#draft.delete(entry.name);
    else this.#draft.set(entry.name, row);
    this.#changes += 1;
    return true;
  }

  #remember(key: string, attempt: number): void {
    this.#attempts.delete(key);
    this.#attempts.set(key, attempt);
    if (this.#attempts.size <= MOST_ATTEMPTS) return;
    for (const oldest of this.#attempts.keys()) {
      this.#attempts.delete(oldest);
      return;
    }
  }
}

/** For the digits of the number of versions, which are not counted. */
const MARGIN = 100;

/** With the comma after it. */
function sizeOf(entry: Entry): number {
  return JSON.stringify(entry).length + 1;
}

function emptyEntry(name: string): { name: string; lease: null; value: Json; version: number } {
  return { name, lease: null, value: null, version: 0 };
}
