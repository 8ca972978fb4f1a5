/**
 * A member may know too few of the others: a founder that has lost its disk knows those that it is configured with, and one
 * that was down knows the members of that time. It would refuse those that were added since, also the leader, which alone
 * can tell it more. So until it has the register of the main election, and hears a leader, it asks the members that it is
 * connected with who the others are.
 *
 * Example: a, b and c are configured, and d, which was added, leads. b comes back with an empty folder, or with that of
 * before: a tells it where d is, b connects with d, and d gives it the register and, if its disk is new, a seat.
 */
import type { Membership } from '../api/wire/index.ts';
import type { MemberId } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import { othersIn, readMembers } from './joining.ts';
import type { Links, Peer } from './links/links.ts';

const EVERY_MS = 1000;
/** So often it asks every second; after that only each tenth time: there may be no leader for long. */
const EAGER = 10;

interface LearningAround {
  readonly id: MemberId;
  readonly cluster: string;
  /** The main election. */
  readonly election: string;
  /** The others, as far as this member knows them. */
  others(): readonly Peer[];
  /** Was it removed, as far as this member knows? */
  isRemoved(id: MemberId): boolean;
  links(): Links;
  /** Does it know the members of its cluster, and hear their leader? */
  isDone(): boolean;
  /** Null: it is done. */
  learned(members: readonly Peer[] | null): void;
}

export class Learning {
  readonly #around: LearningAround;
  readonly #timer: NodeJS.Timeout;
  #turn = 0;

  constructor(around: LearningAround) {
    this.#around = around;
    this.#timer = setInterval(() => this.#look(), EVERY_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** One member after the other: the first may know no more than this one. */
  #look(): void {
    const { links, isDone, others, election } = this.#around;
    if (isDone()) {
      this.#turn = 0;
      return this.#around.learned(null);
    }
    const turn = this.#turn++;
    if (turn >= EAGER && turn % EAGER !== 0) return;
    const linked = links().status.filter(({ via }) => via === 'link');
    const asked = linked[(turn < EAGER ? turn : turn / EAGER) % linked.length];
    const peer = others().find(({ id }) => id === asked?.id);
    if (peer === undefined) return;
    links().call(peer.url, peer.id, election, { type: 'members' }, (answer) => {
      const members = this.#read(answer, peer.url);
      if (!isDone() && members.length > 0) this.#around.learned(members);
    });
  }

  #read(answer: Parameters<typeof readMembers>[0], url: string): readonly Peer[] {
    const { id, cluster } = this.#around;
    try {
      const found = readMembers(answer, cluster);
      return typeof found === 'string'
        ? []
        : othersIn(found, id, url).filter((member) => this.#isNews(member, found));
    } catch (error) {
      // It belongs to another cluster: the link says so, too.
      if (error instanceof CaucusError) return [];
      throw error;
    }
  }

  /** The member that tells may know less than this one; but one that leads now was not removed. */
  #isNews({ id }: Peer, { leader }: Membership): boolean {
    const { others, isRemoved } = this.#around;
    return isRemoved(id) ? id === leader : !others().some((each) => each.id === id);
  }
}
