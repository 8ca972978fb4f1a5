/**
 * Whether this process may act, by the clock. Two rules: an expired lease ends the right to act at once, whether or
 * not the protocol has noticed; and a leadership whose lease expired is never resumed, even if it is renewed. A
 * renewed lease would carry the same token, so a fenced store could not tell late writes from before the expiry from
 * new ones.
 */
import type { Cause, Effect, Ending, Input, MemberId, Message, Protocol, View, Why } from '../core/index.ts';
import type { HostClock } from './clock.ts';
import { explain, type Outlook } from './explain.ts';
import type { Timer } from './timers.ts';

/** A leadership that this process holds. Every leadership has its own object, which stays the same until it ends. */
export interface Hold {
  readonly token: bigint;
  /**
   * From this moment of the clock on the process may not act. Every renewal moves it, so it is computed at every
   * read.
   */
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
  /** It is about this process alone, which has started or left: it says nothing about the leader of the others. */
  readonly about?: 'member';
}

/** Until when the leader may act, by the clock. */
export interface Lease {
  /** Zero if this member may not act; infinite where a protocol has no leases. */
  readonly endsAtMs: number;
  readonly lengthMs: number;
}

/** Of a process that has reported nothing. */
export const NO_VIEW: View = {
  role: 'none',
  leader: null,
  term: null,
  lease: null,
  version: 0,
  value: null,
};

export const NO_LEASE: Lease = { endsAtMs: 0, lengthMs: 0 };
const ENDLESS: Lease = { endsAtMs: Number.POSITIVE_INFINITY, lengthMs: 0 };

/**
 * The lease of a reported view, from the timer that bounds it. If the machine slept after that timer was set, the
 * lease counts as expired.
 */
export function leaseOf({ role, lease }: View, timer: Timer | undefined, { sleeps }: HostClock): Lease {
  if (role !== 'leader') return NO_LEASE;
  if (lease === null) return ENDLESS;
  if (timer === undefined || timer.sleeps !== sleeps) return NO_LEASE;
  return timer;
}

/** The input that was just processed, and its effects. */
export interface Turn {
  readonly input: Input | null;
  readonly effects: readonly Effect[];
  /** How long this process was blocked before the input. */
  readonly blockedMs: number;
  /** Why it may not lead, whatever the input: the others refuse this process. */
  readonly why: Why | null;
  /** Why the disk refuses records now, or null. */
  readonly illness: string | null;
}

const FEW = 8;
/** Older changes are dropped. */
const LONGEST_HISTORY = 1000;

/** The leadership that this process holds, the changes of leader it saw, and the cause of each. */
export class Holder {
  /** The leadership that this member holds. It may already have expired by the clock. */
  held: Hold | null = null;
  explanation: Why = { cause: 'started', detail: 'no election has been decided yet' };

  #changes: Change[] = [];
  readonly #self: MemberId;
  readonly #clock: HostClock;
  readonly #host: { readonly lease: Lease };
  readonly #protocol: Pick<Protocol, 'ending' | 'ledMs' | 'hasLeases'>;
  #outlook: Outlook = { leader: null, token: null, acting: false, isMember: true };
  #lapsed: bigint | null = null;
  /** The last leadership that this member heard of, kept after its end. */
  #latest: Pick<Outlook, 'leader' | 'token'> = { leader: null, token: null };
  #leaseMs = 0;
  #sleeps: number;
  /** The lease of the held leadership expired, and `consider` has not seen that yet. */
  #hasRunOut = false;
  /** The view of the last call. */
  #view: View | null = null;
  #term = 0;
  /** The token of that term. */
  #token = 0n;

  constructor(
    self: MemberId,
    clock: HostClock,
    host: { readonly lease: Lease },
    protocol: Pick<Protocol, 'ending' | 'ledMs' | 'hasLeases'>,
  ) {
    this.#self = self;
    this.#clock = clock;
    this.#host = host;
    this.#protocol = protocol;
    this.#sleeps = clock.sleeps;
  }

  get changes(): readonly Change[] {
    return this.#changes;
  }

  get outlook(): Outlook {
    return this.#outlook;
  }

  /**
   * Called before an input is processed: its step may renew a lease that has already expired. Example: a member that is the only
   * voter was stopped for longer than its lease, and renews it in its first step.
   */
  look(): void {
    if (this.held !== null && this.#clock.now() >= this.#host.lease.endsAtMs) this.#hasRunOut = true;
  }

  /** Is there nothing to `consider`? Most inputs change nothing that matters here. */
  isSettled(view: View): boolean {
    // The clock is read first: that detects a sleep of the machine.
    const nowMs = this.#clock.now();
    return (
      view === this.#view &&
      !this.#hasRunOut &&
      nowMs < this.#host.lease.endsAtMs === (this.held !== null) &&
      this.#clock.sleeps === this.#sleeps
    );
  }

  /**
   * Compares the view with the clock. `lapsed`: the lease is valid again, but its leadership has already ended and
   * has to be resigned.
   */
  consider(view: View, turn: Turn): 'lapsed' | 'settled' {
    const nowMs = this.#clock.now();
    const lease = this.#host.lease;
    const mayAct = nowMs < lease.endsAtMs;
    const hasRunOut = this.#hasRunOut;
    this.#hasRunOut = false;
    const stoodOn = this.#view?.lease ?? null;
    this.#view = view;
    const token = this.#tokenOf(view);
    if (this.held !== null && (hasRunOut || !mayAct || this.held.token !== (token ?? 0n))) {
      if (stoodOn !== null) this.#lapsed = this.held.token;
      this.held = null;
    }
    const hasLapsed = mayAct && this.held === null && token !== null && token === this.#lapsed;
    if (mayAct && this.held === null && !hasLapsed) this.held = new HeldLease(this, token ?? 0n);
    this.#compare(view, turn, hasRunOut || isOver(turn, stoodOn, lease, nowMs));
    if (this.held !== null) this.#leaseMs = lease.lengthMs;
    this.#sleeps = this.#clock.sleeps;
    return hasLapsed ? 'lapsed' : 'settled';
  }

  /** Records an explanation although the leader did not change. */
  note(explanation: Why): void {
    this.#enter(explanation);
  }

  close(): void {
    this.held = null;
    this.#outlook = { ...this.#outlook, leader: null, token: null, acting: false };
    this.#enter({ cause: 'closed', detail: `${this.#self} has left` }, { about: 'member' });
  }

  /** Until when this leadership may act. */
  endOf(held: Hold): number {
    this.#clock.now(); // Detects a sleep of the machine, which ends every lease.
    return this.held === held ? this.#host.lease.endsAtMs : 0;
  }

  #compare(view: View, turn: Turn, isExpired: boolean): void {
    const before = this.#outlook;
    const after = this.#outlookOn(view);
    this.#outlook = after;
    if (isSame(before, after)) return;
    const isSuccession = this.#isSuccession(before, after, turn);
    if (isSuccession) this.#outlook = { ...after, leader: null, token: null, acting: false };
    this.#enter(this.#explain(before, this.#outlook, turn, isExpired));
    if (isSuccession) {
      this.#outlook = after;
      this.#enter(
        this.#explain({ ...after, leader: null, token: null, acting: false }, after, turn, isExpired),
      );
    }
    const { leader, token } = after;
    if (leader !== null) this.#latest = { leader, token };
  }

  /**
   * Did a deputy take over, so that there was no moment without a leader? The end of the one leadership has a cause of its
   * own, and people ask for that.
   */
  #isSuccession(before: Outlook, { leader }: Outlook, { input, why }: Turn): boolean {
    if (this.#protocol.hasLeases !== true || why !== null) return false;
    if (before.acting || before.leader === null || leader === null || leader === before.leader) return false;
    if (input?.type === 'peer-gone') return input.peer === before.leader;
    return input?.type === 'message' && this.#endingIn(input.message) !== null;
  }

  #explain(before: Outlook, after: Outlook, turn: Turn, isExpired: boolean): Why {
    if (turn.why !== null) return turn.why;
    const sleptMs = this.#clock.sleeps === this.#sleeps ? 0 : this.#clock.sleptMs;
    const { leader, token } = this.#latest;
    const isKnown = leader === after.leader && token !== null && token === after.token;
    const { input, effects, blockedMs } = turn;
    const protocol = this.#protocol;
    return explain(this.#self, before, after, {
      input,
      effects,
      blockedMs,
      why: turn.why,
      illness: turn.illness,
      hasLeases: protocol.hasLeases === true,
      ending: (message) => this.#endingIn(message),
      ledMs: input?.type === 'message' ? protocol.ledMs?.(input.message) : undefined,
      isExpired,
      isKnown,
      sleptMs,
      leaseMs: this.#leaseMs,
    });
  }

  #endingIn(message: Message): Ending | null {
    return this.#protocol.ending?.(message) ?? null;
  }

  /** A leader that may not act is not shown as leader. */
  #outlookOn(view: View): Outlook {
    const acting = this.held !== null;
    const leader = view.leader === this.#self && !acting ? null : view.leader;
    return {
      leader,
      token: leader === null ? null : this.#tokenOf(view),
      acting,
      isMember: view.members?.includes(this.#self) ?? true,
      members: view.members,
    };
  }

  /** The token of a view is its term. Most views have the term of the one before. */
  #tokenOf({ term }: View): bigint | null {
    if (term === null) return null;
    if (term !== this.#term) {
      this.#term = term;
      this.#token = BigInt(term);
    }
    return this.#token;
  }

  #enter(explanation: Why, marks: Pick<Change, 'about'> = {}): void {
    const { leader, token } = this.#outlook;
    const { cause, detail } = explanation;
    this.explanation = explanation;
    const change = { atMs: this.#clock.wallNow(), leader, token, cause, detail, ...marks };
    // A list that grows in place has room for many more, and most elections change a few times only.
    if (this.#changes.length < FEW) this.#changes = this.#changes.concat(change);
    else this.#changes.push(change);
    if (this.#changes.length > LONGEST_HISTORY) this.#changes.shift();
  }
}

class HeldLease implements Hold {
  readonly token: bigint;
  readonly #holder: Holder;

  constructor(holder: Holder, token: bigint) {
    this.token = token;
    this.#holder = holder;
  }

  get expiresAtMs(): number {
    return this.#holder.endOf(this);
  }
}

/** The lease timer came due, or another input was processed after the deadline. */
function isOver({ input }: Turn, stoodOn: string | null, { endsAtMs }: Lease, nowMs: number): boolean {
  return (input?.type === 'timer' && input.timer === stoodOn) || (endsAtMs > 0 && endsAtMs <= nowMs);
}

/** Each loss is recorded once: what a protocol still does about a leadership that has already ended adds nothing. */
function isSame(a: Outlook, b: Outlook): boolean {
  return a.leader === b.leader && a.token === b.token && a.acting === b.acting && a.isMember === b.isMember;
}
