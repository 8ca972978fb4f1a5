import type { Addresses, Input, MemberId, Message } from '../core/index.ts';
import { Calls } from './calls.ts';
import { Discovery } from './discovery.ts';
import type { Links, Peer } from './links/links.ts';
import type { Settled } from './options.ts';
import type { OwnUrl } from './own-url.ts';
import type { Voters } from './voters.ts';

export interface FindingAround {
  readonly settled: Settled;
  readonly id: MemberId;
  readonly own: OwnUrl;
  readonly voters: Voters;
  readonly links: Links;
  /** True while this process must not take part: the others refuse it. */
  isExcluded(): boolean;
  registerVoter(voter: Peer): unknown;
  answered(from: MemberId, election: string, type: string, body: Readonly<Record<string, unknown>>): void;
  /** An input for all elections. */
  give(input: Input): void;
}

/**
 * How a member whose voters register finds the others: where they may be, how they are called, and what the elections
 * are told of addresses.
 */
export class Finding {
  readonly #around: FindingAround;
  readonly #calls: Calls;
  #discovery: Discovery | null = null;
  /** The URLs that the seed stands for, as they were last looked up. */
  #seeds: readonly string[] = [];

  constructor(around: FindingAround) {
    const { settled, id, voters, links } = around;
    this.#around = around;
    this.#calls = new Calls({
      own: id,
      registration: settled.definition.registration?.request,
      voters,
      links,
      isExcluded: () => around.isExcluded(),
      answered: (from, election, type, body) => around.answered(from, election, type, body),
      log: (level, message) => settled.log({ level, message }),
    });
  }

  /** Looks for other voters through the seed, if there is one. */
  start(): void {
    const { settled, own, voters, links, give } = this.#around;
    if (settled.seed === null) return;
    const { heartbeatMs } = settled.config.timing;
    this.#discovery = new Discovery({
      ...settled.seed,
      everyMs: typeof heartbeatMs === 'number' ? heartbeatMs : 1000,
      onCandidates: (urls, signal) => own.find(urls, signal),
      onAddress: (address) => voters.allowHost(address),
      onSeeds: (urls) => {
        this.#seeds = urls;
        give({ type: 'seeds', own: own.url, addresses: urls });
      },
      isFound: () => links.status.some(({ via }) => via !== 'none'),
      log: (message) => settled.log({ level: 'warning', message }),
    });
  }

  close(): void {
    this.#discovery?.close();
  }

  /** Looks up the seed again, if that was not done just now. */
  lookAgain(): void {
    this.#discovery?.lookAgain();
  }

  /** What an election is told of addresses when it starts. */
  get addresses(): Addresses {
    const { settled, own } = this.#around;
    return { own: own.url, peers: settled.peers, seeds: this.#seeds, isPartial: settled.seed !== null };
  }

  call(election: string, at: string, message: Message, to: MemberId | null): void {
    this.#calls.call(election, at, message, to);
  }

  /** The protocol may have learned where a voter is before the member has. */
  send(to: MemberId, election: string, message: Message, at: string | undefined): void {
    const { voters, links, isExcluded, registerVoter } = this.#around;
    if (isExcluded()) return;
    const known = voters.list.find(({ id }) => id === to)?.url;
    if (at !== undefined && at !== known) registerVoter({ id: to, url: at });
    links.send(to, election, message);
  }
}
