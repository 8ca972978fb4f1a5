/** What a process keeps about the elections at rest that it leads, and about their voters. */
import type { MemberId, Rested, RestOffer, SentRound } from '../core/index.ts';
import type { Lease, Rest } from '../host/index.ts';
import { OwnEndings, SeenEndings } from './endings.ts';
import type { RestingHost } from './resting-host.ts';

/** A request that was sent. */
export interface Sent extends SentRound {
  readonly sleeps: number;
}

/** What is known of one voter. */
export class Voter {
  readonly id: MemberId;
  life: string | null = null;
  /** The newest request that it answered. */
  answered = 0;
  /** The latest request before which it was known to answer, be it in an election. */
  heardIn = 0;
  answeredAtMs = 0;
  readonly offers: Map<string, Led> = new Map();
  readonly own: OwnEndings = new OwnEndings();
  seen: SeenEndings = new SeenEndings();
  /** How many of the elections have it as a voter. */
  elections = 0;

  constructor(id: MemberId) {
    this.id = id;
  }
}

/** Elections whose leases are carried by the same answers have the same lease: it is computed once for all of them. */
export class Group {
  /** That of their offers. */
  readonly kind: string;
  readonly elections: Set<Led> = new Set();
  lease: Sent | null = null;

  constructor(kind: string) {
    this.kind = kind;
  }
}

/** What ends the rest of an election, and computes its lease meanwhile. */
export interface LedBy {
  leaseOf(led: Led): Lease;
  end(led: Led): Rested;
}

/** An election that this process leads, and that rests. */
export class Led implements Rest {
  readonly name: string;
  readonly host: RestingHost;
  readonly offer: RestOffer;
  /** What to add to a round of the requests to get the round of this election. */
  readonly ahead: number;
  readonly restedIn: number;
  readonly restedAtMs: number;
  /** The voters with which it rests. */
  backers: readonly MemberId[];
  group: Group;
  /** The lease that it had before it came to its group, in rounds of the requests. */
  before: Sent | null;
  readonly #by: LedBy;

  constructor(
    { name, host, offer, ahead, restedIn, restedAtMs, group, before }: Omit<Led, 'backers' | keyof Rest>,
    by: LedBy,
  ) {
    this.name = name;
    this.host = host;
    this.offer = offer;
    this.ahead = ahead;
    this.restedIn = restedIn;
    this.restedAtMs = restedAtMs;
    this.backers = [];
    this.group = group;
    this.before = before;
    this.#by = by;
  }

  get lease(): Lease {
    return this.#by.leaseOf(this);
  }

  end(): Rested {
    return this.#by.end(this);
  }
}
