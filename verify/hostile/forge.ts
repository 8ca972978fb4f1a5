/** Makes up messages of `quorum`: well-formed, near the truth, and wrong in some of their fields. */
import type { MemberId } from '../../src/core/index.ts';
import type { Age, Message, Origin, Register, Seat } from '../../src/protocols/quorum/messages.ts';
import type { Random } from './random.ts';

/** What a member learns by listening. */
export interface Known {
  /** The newest term that was heard of. */
  term: number;
  round: number;
  register: Register;
  /** By member: which disk and process it speaks from. */
  readonly origins: Map<MemberId, Origin>;
}

type Body = Record<string, unknown>;

const HUGE = [2 ** 20, 2 ** 32, 2 ** 32 + 1, 2 ** 40, 2 ** 52, 2 ** 53 - 1];

export class Forger {
  readonly #random: Random;
  readonly #known: Known;
  readonly #ids: readonly MemberId[];
  #asLeader = false;

  constructor(random: Random, known: Known, ids: readonly MemberId[]) {
    this.#random = random;
    this.#known = known;
    this.#ids = ids;
  }

  /**
   * A message from one member to another. With `asLeader`, registers may also change the members as a leader does when its operator
   * asks for it.
   */
  message(from: MemberId, to: MemberId, asLeader: boolean): { type: Message['type'] } & Body {
    this.#asLeader = asLeader;
    const type = this.#random.pick(TYPES);
    const fields = this.#fields(type, to);
    const by = this.#by(from);
    return { type, by, ...fields };
  }

  #fields(type: Message['type'], to: MemberId): Body {
    const answer = { to: this.#lifeOf(to) };
    switch (type) {
      case 'term':
      case 'transfer/ask':
      case 'probe':
        return { term: this.#term() };
      case 'pre-vote':
        return { term: this.#term(), age: this.#age() };
      case 'pre-vote/answer':
        return { ...answer, term: this.#term(), granted: this.#random.chance(0.5), leader: this.#idOrNull() };
      case 'vote':
        return { term: this.#term(), age: this.#age(), release: this.#release() };
      case 'vote/answer':
      case 'transfer/ready':
      case 'probe/answer':
        return { ...answer, term: this.#term() };
      case 'heartbeat':
        return {
          term: this.#term(),
          round: this.#round(),
          age: this.#age(),
          committed: this.#age(),
          ...this.#succession(to),
        };
      case 'heartbeat/answer':
        return {
          ...answer,
          term: this.#term(),
          round: this.#round(),
          age: this.#age(),
          priority: this.#priority(),
          ...(this.#random.chance(0.5) ? { deputies: true } : {}),
        };
      case 'deputy/ask':
        return {
          term: this.#term(),
          of: this.#lifeOf(this.#random.pick(this.#ids)),
          next: this.#term() + 1,
          round: this.#round(),
          age: this.#age(),
          promiseMs: this.#random.pick([1, 125, 60_000]),
        };
      case 'deputy/answer':
        return { ...answer, term: this.#term(), next: this.#term() + 1, round: this.#round() };
      case 'deputy/end':
        return { term: this.#term(), next: this.#term() + 1 };
      case 'deputy/ended':
        return { term: this.#term(), next: this.#term() + 1, round: this.#round() };
      case 'publish/send':
        return { term: this.#term(), register: this.#register() };
      case 'publish/answer':
        return { ...answer, term: this.#term(), age: this.#age() };
      case 'publish/commit':
        return { term: this.#term(), age: this.#age() };
      case 'publish/copy':
        return { register: this.#register() };
      case 'transfer':
      case 'resign':
        return { term: this.#term(), round: this.#round() };
      case 'copy': {
        const { disk, start, life } = this.#by(to);
        return { disk, start, life };
      }
    }
  }

  #near(value: number): number {
    if (this.#random.chance(0.1)) return this.#random.pick(HUGE);
    if (this.#random.chance(0.1)) return value + this.#random.pick([1000, 2 ** 20, 2 ** 31]);
    return Math.max(0, value + this.#random.pick([-1, 0, 0, 0, 1, 1, 2]));
  }

  #term(): number {
    return this.#near(this.#known.term);
  }

  #round(): number {
    return this.#near(this.#known.round);
  }

  #priority(): number {
    return this.#random.pick([0, 1, 2, 1000, 1001, 2 ** 53 - 1]);
  }

  #age(): Age {
    const { term, version } = this.#known.register;
    return { term: this.#near(term), version: this.#near(version) };
  }

  #release(): object | null {
    return this.#random.chance(0.5) ? null : { term: this.#term(), round: this.#round() };
  }

  /** What a leader may say of its deputy, and a former deputy of the leader before. */
  #succession(to: MemberId): object {
    const id = this.#random.chance(0.5) ? to : this.#random.pick(this.#ids);
    const life = this.#lifeOf(this.#random.pick(this.#ids));
    return {
      ...(this.#random.chance(0.3) ? { deputy: { id, term: this.#term() + 1, voters: this.#ids } } : {}),
      ...(this.#random.chance(0.3) ? { after: { life, release: this.#release() } } : {}),
    };
  }

  #idOrNull(): MemberId | null {
    return this.#random.pick([null, ...this.#ids, 'nobody', 99]);
  }

  #lifeOf(id: MemberId): string {
    return this.#random.chance(0.9) ? (this.#known.origins.get(id)?.life ?? 'unknown') : 'another';
  }

  #by(id: MemberId): Origin {
    const { disk, start, life } = this.#known.origins.get(id) ?? {
      disk: 'unknown',
      start: 1,
      life: 'unknown',
    };
    if (this.#random.chance(0.8)) return { disk, start, life };
    return {
      disk: this.#random.pick([disk, 'another disk']),
      start: this.#random.pick([0, start, start + 1, 2 ** 32, 2 ** 53 - 1]),
      life: this.#random.pick([life, 'another life']),
    };
  }

  #register(): Register {
    const { founding, value } = this.#known.register;
    return {
      ...this.#age(),
      members: this.#members(),
      founding: this.#random.chance(0.8) ? founding : this.#random.pick([null, this.#members()]),
      value: this.#random.pick([value, null, 'evil', { deep: [1, 2, 3] }]),
    };
  }

  /** The members as they are, with some gone, added, twice, in disorder, or on other disks. */
  #members(): Seat[] {
    const seats = [...this.#known.register.members];
    const at = Math.floor(this.#random.next() * seats.length);
    const seat = seats[at]!;
    switch (this.#random.pick(this.#asLeader ? [...WRONG, ...LEADERS] : WRONG)) {
      case 'gone':
        return seats.filter((_, i) => i !== at);
      case 'alone':
        return [seat];
      case 'added':
        return [...seats, { id: 99, disk: 'new' }];
      case 'many':
        return [...seats, ...Array.from({ length: 50 }, (_, i) => ({ id: 100 + i, disk: 'new' }))];
      case 'twice':
        return [seat, seat, ...seats];
      case 'none':
        return [];
      case 'disk':
        return seats.map((each, i) => (i === at ? { ...each, disk: 'another disk' } : each));
      case 'vacant':
        return seats.map((each) => ({ ...each, disk: null }));
      case 'mixed':
        return seats.toReversed();
      default:
        return seats;
    }
  }
}

/** What no leader does to its members. */
const WRONG: readonly string[] = [
  'same',
  'same',
  'same',
  'alone',
  'added',
  'many',
  'twice',
  'none',
  'vacant',
  'mixed',
];
/** What a leader may do, one version at a time. */
const LEADERS: readonly string[] = ['gone', 'disk'];

const TYPES: readonly Message['type'][] = [
  'term',
  'pre-vote',
  'pre-vote/answer',
  'vote',
  'vote/answer',
  'heartbeat',
  'heartbeat/answer',
  'publish/send',
  'publish/answer',
  'publish/commit',
  'publish/copy',
  'transfer',
  'resign',
  'transfer/ask',
  'transfer/ready',
  'probe',
  'probe/answer',
  'deputy/ask',
  'deputy/answer',
  'deputy/end',
  'deputy/ended',
  'copy',
];
