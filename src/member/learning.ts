/**
 * A founder that has lost its disk knows only the members that it is configured with. It would refuse those that were
 * added since, also the leader, which alone can give its new disk a seat. So until it has the register of the main
 * election, it asks the members that it is connected with who the others are.
 *
 * Example: a, b and c are configured, and d, which was added, leads. b comes back with an empty folder: a tells it where
 * d is, b connects with d, and d gives it a seat.
 */
import type { MemberId } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import { othersIn, readMembers } from './joining.ts';
import type { Links, Peer } from './links/links.ts';

const EVERY_MS = 1000;

interface LearningAround {
  readonly id: MemberId;
  readonly cluster: string;
  /** The main election. */
  readonly election: string;
  readonly configured: readonly Peer[];
  links(): Links;
  /** Does it know the members of its cluster? */
  isDone(): boolean;
  learned(members: readonly Peer[]): void;
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
    const { links, isDone, configured, election } = this.#around;
    if (isDone()) return this.close();
    const linked = links().status.filter(({ via }) => via === 'link');
    const asked = linked[this.#turn++ % linked.length];
    const peer = configured.find(({ id }) => id === asked?.id);
    if (peer === undefined) return;
    links().call(peer.url, peer.id, election, { type: 'members' }, (answer) => {
      const members = this.#read(answer, peer.url);
      if (!isDone() && members.length > 0) this.#around.learned(members);
    });
  }

  #read(answer: Parameters<typeof readMembers>[0], url: string): readonly Peer[] {
    const { id, cluster, configured } = this.#around;
    try {
      const found = readMembers(answer, cluster);
      if (typeof found === 'string') return [];
      return othersIn(found, id, url).filter((member) => !configured.some((peer) => peer.id === member.id));
    } catch (error) {
      // It belongs to another cluster: the link says so, too.
      if (error instanceof CaucusError) return [];
      throw error;
    }
  }
}
