import type { MemberId, Random } from '../../../core/index.ts';
import type { Action, WorldEvent } from '../../scenario.ts';
import { at } from '../damage.ts';

/** The times of a deputy storm, in milliseconds: what is interesting happens within some heartbeats, or about a lease. */
export interface Pace {
  readonly heartbeatMs: number;
  /** What members promise. A leader or a deputy counts on a little less. */
  readonly leaseMs: number;
  /** The longest that a member waits before it reacts to silence. */
  readonly timeoutMs: number;
}

/** Who plays which part: the deputy is the one that the leader is expected to name. */
export interface Roles {
  readonly leader: MemberId;
  readonly deputy: MemberId;
  readonly others: readonly MemberId[];
}

/** The leader is asked to lead; the deputy stands by; the leadership ends. */
export interface Times {
  readonly beginMs: number;
  readonly readyMs: number;
  readonly endMs: number;
}

/**
 * One act of a deputy storm: a member is made the leader, and names a deputy; some things go wrong; then the leader dies or hands
 * over. It collects events, and draws their moments around those that matter: the first request of the deputy, the end of the
 * leadership, and the end of the lease after it.
 */
export class Act {
  readonly events: WorldEvent[] = [];
  readonly random: Random;
  readonly pace: Pace;
  readonly roles: Roles;
  readonly ids: readonly MemberId[];
  readonly beginMs: number;
  readonly readyMs: number;
  readonly endMs: number;

  constructor(
    random: Random,
    pace: Pace,
    roles: Roles,
    ids: readonly MemberId[],
    { beginMs, readyMs, endMs }: Times,
  ) {
    this.random = random;
    this.pace = pace;
    this.roles = roles;
    this.ids = ids;
    this.beginMs = beginMs;
    this.readyMs = readyMs;
    this.endMs = endMs;
  }

  add(atMs: number, action: Action): void {
    this.events.push(at(Math.max(0, atMs), action));
  }

  /** When the last of what was drawn so far happens. */
  get lastMs(): number {
    return this.events.reduce((last, { atMs }) => Math.max(last, atMs), this.endMs);
  }

  /** Mostly within a fraction of a heartbeat, else within some. */
  aMoment(): number {
    return this.pace.heartbeatMs * this.random.pick([0, 0.1, 0.5, 1, 3])! * this.random.fraction();
  }

  /** From nothing to a little more than a lease, as often just before its end as long before. */
  aLease(): number {
    const share = this.random.chance(0.5) ? this.random.fraction() : 0.7 + 0.5 * this.random.fraction();
    return this.pace.leaseMs * share;
  }

  /** When something goes wrong: as the deputy is named, while it stands by, or just as the leadership ends. */
  before(): number {
    const { random, beginMs, readyMs, endMs, pace } = this;
    switch (random.below(5)) {
      case 0:
        return beginMs + (readyMs - beginMs) * random.fraction();
      case 1:
        return readyMs - pace.heartbeatMs * 2 * random.fraction();
      case 2:
        return readyMs + (endMs - readyMs) * random.fraction();
      default:
        return endMs - this.aMoment();
    }
  }

  /** A member, mostly the deputy or one of those that are neither. */
  anyone(): MemberId {
    const { leader, deputy } = this.roles;
    return this.random.pick([leader, deputy, deputy, this.other(), this.other()])!;
  }

  other(): MemberId {
    return this.random.pick(this.roles.others) ?? this.roles.deputy;
  }

  /** The two ends of a link that matters, in the order in which messages are lost. */
  link(): { readonly from: MemberId; readonly to: MemberId } {
    const { leader, deputy } = this.roles;
    const other = this.other();
    return this.random.pick([
      { from: leader, to: deputy },
      { from: deputy, to: leader },
      { from: deputy, to: other },
      { from: other, to: deputy },
      { from: leader, to: other },
      { from: other, to: leader },
    ])!;
  }
}
