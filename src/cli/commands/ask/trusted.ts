import type { Status } from '../../../api/wire/index.ts';
import { MemberClient, NoAnswer } from './member-client.ts';

/**
 * Where the token may be sent: to the URLs that were given by hand, and to the members that one of those has in its
 * configuration, by the same scheme. A voter that registered itself may be any program, and a member that is told to
 * use https is not followed to http.
 */
export class Trusted {
  readonly #given: readonly MemberClient[];
  readonly #scheme: string;
  readonly #configured: readonly string[];
  readonly #election: string | undefined;
  readonly #token: string | null;
  readonly #ca: string | null;

  constructor(given: readonly MemberClient[], asked: MemberClient, voters: Status['voters']) {
    this.#given = given;
    this.#scheme = new URL(asked.url).protocol;
    this.#configured = voters.filter(({ configured }) => configured).map(({ voterUrl }) => bare(voterUrl));
    this.#election = asked.election;
    this.#token = asked.token;
    this.#ca = asked.ca;
  }

  /** A client for this member, with the token if it may have it. */
  client(url: string): MemberClient {
    return new MemberClient(url, this.#election, this.#isTrusted(url) ? this.#token : null, this.#ca);
  }

  /** The same for a command, which would be refused without the token. */
  commanded(name: number | string, url: string): MemberClient {
    if (this.#token === null || this.#isTrusted(url)) return this.client(url);
    throw new NoAnswer(
      `${name} leads at ${url}, which is neither given here nor configured at the member that was asked: the token is not sent there; give that URL to send it`,
      null,
    );
  }

  #isTrusted(url: string): boolean {
    if (this.#given.some((member) => member.url === bare(url))) return true;
    return (
      URL.canParse(url) && new URL(url).protocol === this.#scheme && this.#configured.includes(bare(url))
    );
  }
}

function bare(url: string): string {
  return url.replace(/\/+$/, '');
}
