/**
 * Whether this process may act, by the clock. Two rules: a lease that has run out binds at once, whether or not the process has
 * noticed; and a leadership that ended before its time is never taken up again. A renewed lease would give the same token a second
 * time, and a store that is fenced by it could not tell the late writes of before from those of now.
 */
import type { Cause, Effect, Input, MemberId, Protocol, View, Why } from '../core/index.ts';
import type { HostClock } from './clock.ts';
import { explain, type Outlook } from './explain.ts';
import type { Timer } from './timers.ts';

/** A leadership that this process holds. A new object for every leadership, the same one for as long as it lasts. */
export interface Hold {
  readonly token: bigint;
  /** From this moment of the clock on it may not act. It is looked up at every read, since each renewal moves it. */
  readonly expiresAtMs: number;
}

/** One change of who leads, as this process saw it. */
export interface Change {
  /** Milliseconds since 1970, by this host's wall clock. */
  readonly atMs: number;
  readonly leader: MemberId | null;
  readonly token: bigint | null;
  readonly cause: Cause;
  readonly detail: string;
}

/** How far a leadership reaches by the clock. */
export interface Lease {
  /** Zero if this member may not act; infinite where a protocol has no leases. */
  readonly endsAtMs: number;
  readonly lengthMs: number;
}

const NO_LEASE: Lease = { endsAtMs: 0, lengthMs: 0 };
const ENDLESS: Lease = { endsAtMs: Number.POSITIVE_INFINITY, lengthMs: 0 };

/** The lease of what was reported, given the timer that it stands on. A sleep since that was set has ended it. */
export function leaseOf({ role, lease }: View, timer: Timer | undefined, { sleeps }: HostClock): Lease {
  if (role !== 'leader') return NO_LEASE;
  if (lease === null) return ENDLESS;
  if (timer === undefined || timer.sleeps !== sleeps) return NO_LEASE;
  return { endsAtMs: timer.atMs, lengthMs: timer.atMs - timer.setAtMs };
}

/** What was taken before a change is looked for. */
export interface Turn {
  readonly input: Input | null;
  readonly effects: readonly Effect[];
  /** For how long nothing had run in this process. */
  readonly blockedMs: number;
}

/** Older changes are forgotten. */
const LONGEST_HISTORY = 1000;

/** The leadership that this process holds, if it does, the changes of who leads, and why each came about. */
export class Holder {
  /** The leadership that this member holds. By the clock it may have run out already. */
  held: Hold | null = null;
  explanation: Why = { cause: 'started', detail: 'no election has been decided yet' };
  readonly changes: Change[] = [];

  readonly #self: MemberId;
  readonly #clock: HostClock;
  readonly #lease: () => Lease;
  readonly #protocol: Pick<Protocol, 'ending' | 'ledMs'>;
  #outlook: Outlook = { leader: null, token: null, acting: false, isMember: true };
  #lapsed: bigint | null = null;
  /** The leadership that this member heard of last, also after its end. */
  #latest: Pick<Outlook, 'leader' | 'token'> = { leader: null, token: null };
  #leaseMs = 0;
  #sleeps: number;
  /** The lease of what is held has run out, and nothing has been made of that yet. */
  #hasRunOut = false;
  /** What was looked at last. */
  #view: View | null = null;

  constructor(
    self: MemberId,
    clock: HostClock,
    lease: () => Lease,
    protocol: Pick<Protocol, 'ending' | 'ledMs'>,
  ) {
    this.#self = self;
    this.#clock = clock;
    this.#lease = lease;
    this.#protocol = protocol;
    this.#sleeps = clock.sleeps;
  }

  get outlook(): Outlook {
    return this.#outlook;
  }

  /**
   * Something is about to be taken. What it does may renew a lease that has run out by now: a member that votes alone and was
   * stopped for longer than its lease renews it in the first step that it takes.
   */
  look(): void {
    if (this.held !== null && this.#clock.now() >= this.#lease().endsAtMs) this.#hasRunOut = true;
  }

  /** Looks at everything anew. `lapsed`: the lease is back, but its leadership has ended and has to be given up. */
  consider(view: View, turn: Turn): 'lapsed' | 'settled' {
    const nowMs = this.#clock.now();
    const lease = this.#lease();
    const mayAct = nowMs < lease.endsAtMs;
    const hasRunOut = this.#hasRunOut;
    this.#hasRunOut = false;
    // Most inputs change nothing that is looked at here.
    if (
      view === this.#view &&
      !hasRunOut &&
      mayAct === (this.held !== null) &&
      this.#clock.sleeps === this.#sleeps
    )
      return 'settled';
    const stoodOn = this.#view?.lease ?? null;
    this.#view = view;
    const token = tokenOf(view);
    if (this.held !== null && (hasRunOut || !mayAct || this.held.token !== (token ?? 0n))) {
      if (stoodOn !== null) this.#lapsed = this.held.token;
      this.held = null;
    }
    const hasLapsed = mayAct && this.held === null && token !== null && token === this.#lapsed;
    if (mayAct && this.held === null && !hasLapsed) this.held = this.#begin(token ?? 0n);
    this.#compare(view, turn, hasRunOut || isOver(turn, stoodOn, lease, nowMs));
    if (this.held !== null) this.#leaseMs = lease.lengthMs;
    this.#sleeps = this.#clock.sleeps;
    return hasLapsed ? 'lapsed' : 'settled';
  }

  /** Nothing has changed, but there is something to be said about that. */
  note(explanation: Why): void {
    this.#enter(explanation);
  }

  close(): void {
    this.held = null;
    this.#outlook = { ...this.#outlook, leader: null, token: null, acting: false };
    this.#enter({ cause: 'closed', detail: `${this.#self} has left` });
  }

  #begin(token: bigint): Hold {
    const endsAtMs = (held: Hold): number => {
      this.#clock.now(); // A sleep since the last look ends every lease.
      return this.held === held ? this.#lease().endsAtMs : 0;
    };
    return {
      token,
      get expiresAtMs() {
        return endsAtMs(this);
      },
    };
  }

  #compare(view: View, turn: Turn, isExpired: boolean): void {
    const before = this.#outlook;
    const after = this.#outlookOn(view);
    this.#outlook = after;
    if (isSame(before, after)) return;
    this.#enter(this.#explain(before, after, turn, isExpired));
    const { leader, token } = after;
    if (leader !== null) this.#latest = { leader, token };
  }

  #explain(before: Outlook, after: Outlook, turn: Turn, isExpired: boolean): Why {
    const sleptMs = this.#clock.sleeps === this.#sleeps ? 0 : this.#clock.sleptMs;
    const { leader, token } = this.#latest;
    const isKnown = leader === after.leader && token !== null && token === after.token;
    const { input } = turn;
    const protocol = this.#protocol;
    return explain(this.#self, before, after, {
      ...turn,
      ending: (message) => protocol.ending?.(message) ?? null,
      ledMs: input?.type === 'message' ? protocol.ledMs?.(input.message) : undefined,
      isExpired,
      isKnown,
      sleptMs,
      leaseMs: this.#leaseMs,
    });
  }

  /** A leader that may not act is not shown as one. */
  #outlookOn(view: View): Outlook {
    const acting = this.held !== null;
    const leader = view.leader === this.#self && !acting ? null : view.leader;
    return {
      leader,
      token: leader === null ? null : tokenOf(view),
      acting,
      isMember: view.members?.includes(this.#self) ?? true,
      members: view.members,
    };
  }

  #enter(explanation: Why): void {
    const { leader, token } = this.#outlook;
    this.explanation = explanation;
    this.changes.push({ atMs: this.#clock.wallNow(), leader, token, ...explanation });
    if (this.changes.length > LONGEST_HISTORY) this.changes.shift();
  }
}

/** Its timer came due, or something else came first after its time was up. */
function isOver({ input }: Turn, stoodOn: string | null, { endsAtMs }: Lease, nowMs: number): boolean {
  return (input?.type === 'timer' && input.timer === stoodOn) || (endsAtMs > 0 && endsAtMs <= nowMs);
}

function tokenOf({ term }: View): bigint | null {
  return term === null ? null : BigInt(term);
}

/** What a protocol does about a leadership that has ended already is no news: one loss is told of once. */
function isSame(a: Outlook, b: Outlook): boolean {
  return a.leader === b.leader && a.token === b.token && a.acting === b.acting && a.isMember === b.isMember;
}
