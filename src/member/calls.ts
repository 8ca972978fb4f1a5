import { BadInput, type MemberId, type Message, writtenId } from '../core/index.ts';
import type { Links } from './links/links.ts';
import { normalUrl, type Voters } from './voters.ts';

export interface CallsAround {
  readonly own: MemberId;
  /** The type of the message by which a voter registers. */
  readonly registration: string | undefined;
  readonly voters: Voters;
  readonly links: Pick<Links, 'call'>;
  /** True while this process must not take part: the others refuse it. */
  isExcluded(): boolean;
  /** The member that answered, and the body of its answer. */
  answered(from: MemberId, election: string, type: string, body: Readonly<Record<string, unknown>>): void;
  log(level: 'info' | 'warning', message: string): void;
}

/**
 * Messages to addresses of which this member does not know which voter is there, or to voters that do not know this
 * member yet: registrations, and questions about voters that others named. They travel by HTTP, and the response is
 * the answer. Only the hosts of configured voters, those of the seeds and this machine are called, since any voter
 * can name a URL.
 */
export class Calls {
  readonly #around: CallsAround;
  /** The calls that have not been answered: an address that does not answer is not called again meanwhile. */
  readonly #open = new Set<string>();
  /** Addresses that did not register this member, and what was said of each. */
  readonly #told = new Map<string, string>();

  constructor(around: CallsAround) {
    this.#around = around;
  }

  /** `to`: the voter that is expected there, if one is. */
  call(election: string, at: string, message: Message, to: MemberId | null): void {
    const { voters, links } = this.#around;
    const url = normalUrl(at);
    const key = `${election} ${message.type} ${url}`;
    if (url === null || this.#open.has(key) || this.#around.isExcluded()) return;
    const isRegistration = message.type === this.#around.registration;
    if (!voters.mayCall(url)) {
      this.#tell(
        url,
        `${url} is not called: it is neither on this machine nor on the host of a configured voter`,
      );
      return;
    }
    this.#open.add(key);
    links.call(url, to, election, message, (result) => {
      this.#open.delete(key);
      if (result.type === 'failed') {
        // What is refused for good is told already.
        if (isRegistration && result.refused === undefined)
          this.#tell(url, `${url} does not register this member: ${result.reason}`);
        return;
      }
      const from = readId(result.voterId) ?? to;
      if (from === null || (to !== null && from !== to)) return;
      if (isRegistration && from !== this.#around.own) this.#toldBetter(url, from);
      const { type, ...body } = result.answer ?? { type: `${message.type}/answer` };
      if (from !== this.#around.own) this.#around.answered(from, election, type, body);
    });
  }

  /** Once, and again only when the reason changes. */
  #tell(url: string, complaint: string): void {
    if (this.#told.get(url) === complaint) return;
    if (this.#told.size >= MOST_TOLD) this.#told.clear();
    this.#told.set(url, complaint);
    this.#around.log('warning', complaint);
  }

  #toldBetter(url: string, from: MemberId): void {
    if (this.#told.delete(url)) this.#around.log('info', `${url} answers now: it is the voter ${from}`);
  }
}

const MOST_TOLD = 1000;

function readId(id: unknown): MemberId | null {
  try {
    return id === undefined ? null : writtenId.read(id, 'voterId');
  } catch (error) {
    if (error instanceof BadInput) return null;
    throw error;
  }
}
