import type { MemberId, Message, Random } from '../core/index.ts';
import { drawLatencyMs, type Latency } from './latency.ts';

/** The quality of a link. A latency that varies already lets messages overtake each other. */
export interface LinkQuality {
  readonly latencyMs: Latency;
  /** Probability that a message is lost. */
  readonly loss: number;
  /** Probability that a message is duplicated. */
  readonly duplicate: number;
  /** Probability that a message is delayed, up to ten times as long as usual, so that later ones overtake it. */
  readonly reorder: number;
}

export const DEFAULT_QUALITY: LinkQuality = { latencyMs: [1, 10], loss: 0, duplicate: 0, reorder: 0 };

/** The messages that an order to hold, drop, duplicate or release matches. */
export interface Match {
  readonly from?: readonly MemberId[] | undefined;
  readonly to?: readonly MemberId[] | undefined;
  readonly type?: string | undefined;
}

export interface Envelope {
  readonly from: MemberId;
  readonly to: MemberId;
  readonly message: Message;
  /** It is for the second process of the receiver. */
  readonly toTwin?: boolean;
}

interface Order {
  readonly what: 'hold' | 'drop' | 'duplicate';
  readonly match: Match;
  left: number;
}

/** A quality with some of its parts changed. All are made here, as one shape of object: every message looks at one. */
function changed(quality: LinkQuality, change: Partial<LinkQuality> | undefined): LinkQuality {
  if (change === undefined) return quality;
  return {
    latencyMs: change.latencyMs ?? quality.latencyMs,
    loss: change.loss ?? quality.loss,
    duplicate: change.duplicate ?? quality.duplicate,
    reorder: change.reorder ?? quality.reorder,
  };
}

/** How many messages of each type were sent. */
export class MessageCounts {
  readonly #counts = new Map<string, { count: number }>();

  add({ type }: Message): void {
    const known = this.#counts.get(type);
    if (known === undefined) this.#counts.set(type, { count: 1 });
    else known.count += 1;
  }

  get byType(): Map<string, number> {
    return new Map([...this.#counts].map(([type, { count }]) => [type, count]));
  }
}

/** A set of links, each from one member to another. */
class Links {
  readonly #ends = new Map<MemberId, Set<MemberId>>();
  size = 0;

  has(from: MemberId, to: MemberId): boolean {
    return this.#ends.get(from)?.has(to) === true;
  }

  add(from: MemberId, to: MemberId): void {
    const ends = this.#ends.get(from) ?? new Set();
    if (ends.has(to)) return;
    this.#ends.set(from, ends.add(to));
    this.size += 1;
  }

  delete(from: MemberId, to: MemberId): void {
    if (this.#ends.get(from)?.delete(to) === true) this.size -= 1;
  }

  clear(): void {
    this.#ends.clear();
    this.size = 0;
  }
}

/**
 * Decides what happens to each message: how many copies arrive, and after how many milliseconds each does. It keeps
 * the cuts, the partition, the quality of links and the orders about single messages.
 */
export class Network {
  #quality: LinkQuality;
  readonly #random: Random;
  readonly #ofMember = new Map<MemberId, Partial<LinkQuality>>();
  readonly #ofLink = new Map<string, Partial<LinkQuality>>();
  /** The resulting quality of each link, by its two ends: cached until something changes. */
  readonly #known = new Map<MemberId, Map<MemberId, LinkQuality>>();
  readonly #cut = new Links();
  #partition: ReadonlyMap<MemberId, number> | null = null;
  /** Links that work although a partition separates their ends. */
  readonly #bridged = new Links();
  #orders: Order[] = [];
  #held: Envelope[] = [];
  /** The link that was last asked for: a message asks more than once. */
  #lastFrom: MemberId | null = null;
  #lastTo: MemberId | null = null;
  #last: LinkQuality;
  /** Only the one quality applies: the common case, decided without look-ups. */
  #plain = true;

  constructor(quality: LinkQuality, random: Random) {
    this.#quality = changed(DEFAULT_QUALITY, quality);
    this.#last = this.#quality;
    this.#random = random;
  }

  /** How many copies of a message will arrive, or why there are none. What is `held` has to be given to `hold`. */
  copiesOf(from: MemberId, to: MemberId, message: Message): number | 'lost' | 'cut' | 'dropped' | 'held' {
    let copies = 1;
    if (!this.#plain) {
      const order = this.#orders.length === 0 ? null : this.#takeOrder({ from, to, message });
      if (order === 'hold') return 'held';
      if (order === 'drop') return 'dropped';
      if (order === 'duplicate') copies = 2;
      if (!this.connected(from, to)) return 'cut';
    }
    const { loss, duplicate } = this.qualityOf(from, to);
    const random = this.#random;
    if (random.chance(loss)) return 'lost';
    return random.chance(duplicate) ? copies + 1 : copies;
  }

  /** Draws after how many milliseconds a copy arrives. */
  delayMs(from: MemberId, to: MemberId): number {
    const { latencyMs, reorder } = this.qualityOf(from, to);
    const random = this.#random;
    const delayMs = drawLatencyMs(latencyMs, random);
    return random.chance(reorder) ? delayMs * (1 + 9 * random.fraction()) : delayMs;
  }

  /** Orders that will still catch messages. */
  get isCatching(): boolean {
    return this.#orders.some((order) => order.what !== 'duplicate');
  }

  connected(from: MemberId, to: MemberId): boolean {
    if (this.#partition === null && this.#cut.size === 0) return true;
    if (this.#cut.size > 0 || this.#bridged.size > 0) {
      if (this.#cut.has(from, to)) return false;
      if (this.#bridged.has(from, to)) return true;
    }
    if (this.#partition === null) return true;
    const group = this.#partition.get(from);
    return group !== undefined && group === this.#partition.get(to);
  }

  qualityOf(from: MemberId, to: MemberId): LinkQuality {
    if (this.#plain || (this.#ofMember.size === 0 && this.#ofLink.size === 0)) return this.#quality;
    if (from === this.#lastFrom && to === this.#lastTo) return this.#last;
    this.#lastFrom = from;
    this.#lastTo = to;
    this.#last = this.#known.get(from)?.get(to) ?? this.#learn(from, to);
    return this.#last;
  }

  #learn(from: MemberId, to: MemberId): LinkQuality {
    const ofMembers = changed(changed(this.#quality, this.#ofMember.get(from)), this.#ofMember.get(to));
    const quality = changed(ofMembers, this.#ofLink.get(key(from, to)));
    const known = this.#known.get(from) ?? new Map<MemberId, LinkQuality>();
    this.#known.set(from, known.set(to, quality));
    return quality;
  }

  #forget(): void {
    this.#known.clear();
    this.#lastFrom = null;
  }

  setQuality(change: Partial<LinkQuality>): void {
    this.#quality = changed(this.#quality, change);
    this.#forget();
  }

  setMemberQuality(member: MemberId, change: Partial<LinkQuality>): void {
    this.#ofMember.set(member, { ...this.#ofMember.get(member), ...change });
    this.#forget();
    this.#plain = false;
  }

  setLinkQuality(from: MemberId, to: MemberId, change: Partial<LinkQuality>): void {
    for (const link of [key(from, to), key(to, from)]) {
      this.#ofLink.set(link, { ...this.#ofLink.get(link), ...change });
    }
    this.#forget();
    this.#plain = false;
  }

  /** Only members of one group hear each other; a member in no group is isolated. */
  partition(groups: readonly (readonly MemberId[])[]): void {
    const groupOf = new Map<MemberId, number>();
    groups.forEach((group, index) => {
      for (const member of group) groupOf.set(member, index);
    });
    this.#partition = groupOf;
    this.#bridged.clear();
    this.#plain = false;
  }

  cut(from: MemberId, to: MemberId, oneWay: boolean): void {
    this.#cut.add(from, to);
    if (!oneWay) this.#cut.add(to, from);
    this.#plain = false;
  }

  heal(from: MemberId, to: MemberId, oneWay: boolean): void {
    this.#cut.delete(from, to);
    this.#bridged.add(from, to);
    if (!oneWay) this.heal(to, from, true);
  }

  /** Messages that are held stay held; no further ones are. */
  healAll(): void {
    this.#orders = [];
    this.#cut.clear();
    this.#bridged.clear();
    this.#partition = null;
    this.#plain = this.#ofMember.size === 0 && this.#ofLink.size === 0;
  }

  /** Keeps a message until it is released. */
  hold(envelope: Envelope): void {
    this.#held.push(envelope);
  }

  order(what: Order['what'], match: Match, count: number): void {
    const { from, to, type } = match;
    this.#orders.push({ what, match: { from, to, type }, left: count });
    this.#plain = false;
  }

  /** Takes out up to `count` held messages, oldest first from the nth on. With `copy` they stay held as well. */
  release(match: Match, count: number, nth: number, copy: boolean): Envelope[] {
    const matching = this.#held.filter((envelope) => matches(match, envelope));
    const released = matching.slice(nth - 1, nth - 1 + count);
    if (!copy) this.#held = this.#held.filter((envelope) => !released.includes(envelope));
    return released;
  }

  #takeOrder(envelope: Envelope): Order['what'] | null {
    const order = this.#orders.find((each) => matches(each.match, envelope));
    if (order === undefined) return null;
    order.left -= 1;
    if (order.left <= 0) this.#orders = this.#orders.filter((each) => each !== order);
    return order.what;
  }
}

function matches(match: Match, { from, to, message }: Envelope): boolean {
  return (
    (match.from === undefined || match.from.includes(from)) &&
    (match.to === undefined || match.to.includes(to)) &&
    (match.type === undefined || match.type === message.type)
  );
}

/** The scenario guarantees that ids also differ as text. */
function key(from: MemberId, to: MemberId): string {
  return `${from}>${to}`;
}
