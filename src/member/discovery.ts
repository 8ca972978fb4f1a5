import { lookup } from 'node:dns/promises';
import { hostOf, urlOf, voterUrl } from '../api/index.ts';
import { asObject, BadInput, writtenId } from '../core/index.ts';
import type { Peer } from './links/links.ts';

/** The answer of a voter that was asked to register this member. */
export interface Found {
  readonly voter: Peer;
  /** All voters that it knows, with their URLs. */
  readonly voters: readonly Peer[];
  /** The body of the answer. */
  readonly answer: Readonly<Record<string, unknown>>;
}

export interface DiscoveryOptions {
  readonly own: Peer;
  readonly host: string;
  /** A path, combined with each address of the host. */
  readonly url: string;
  readonly everyMs: number;
  /** Looks up the addresses of a name (default: the system's resolver; tests pass their own). */
  readonly resolve?: ((name: string) => Promise<readonly string[]>) | undefined;
  /** Called for every address that the seed resolves to. */
  onAddress(host: string): void;
  /** Another voter has registered this member. Returns which of the voters that it named may be called too. */
  onFound(found: Found): readonly Peer[];
  /** True if another voter has registered with this member, so that no search is needed. */
  isFound(): boolean;
  log(message: string): void;
}

const ASK_MS = 2000;

const LARGEST_ANSWER = 256 * 1024;

/** How many times a voter that another voter named is asked before we stop. It will find this member when it starts. */
const MOST_TRIES = 10;

/**
 * Finds other voters through a host name with several addresses (seed 002). Each address is asked to register this
 * member; one of them may be this member itself. It retries at every heartbeat until another voter has answered or
 * has registered here. Then the voters that the answers name are asked as well, since each of them needs this
 * member's URL.
 */
export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #stop = new AbortController();
  /** Voters that have registered this member, by URL. */
  readonly #known = new Set<string>();
  /** Voters that other voters named, and how many requests to them failed. */
  readonly #named = new Map<string, number>();
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  #complaint = '';

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    void this.#try();
  }

  close(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  async #try(): Promise<void> {
    await this.#askSeeds();
    await this.#askNamed();
    if (this.#stop.signal.aborted || (this.#isOver && this.#named.size === 0)) return;
    this.#timer = setTimeout(() => void this.#try(), this.#options.everyMs);
  }

  /** Asks all addresses, even when the first one answers. */
  async #askSeeds(): Promise<void> {
    if (this.#isOver) return;
    const urls = await this.#addresses();
    const answers = await Promise.all(urls.map((url) => this.#register(url)));
    this.#isOver = answers.includes(true) || this.#options.isFound();
  }

  async #askNamed(): Promise<void> {
    for (let asked = 0; asked < this.#named.size; ) {
      const urls = [...this.#named.keys()].slice(asked);
      asked += urls.length;
      await Promise.all(urls.map((url) => this.#register(url)));
    }
    for (const [url, tries] of this.#named) {
      if (this.#known.has(url) || tries >= MOST_TRIES) this.#named.delete(url);
      else this.#named.set(url, tries + 1);
    }
  }

  async #addresses(): Promise<string[]> {
    const { host, url, resolve = resolveName, onAddress } = this.#options;
    const { hostname, port } = new URL(`http://${host}`);
    try {
      const addresses = await resolve(hostname.replace(/^\[|\]$/g, ''));
      return addresses.map((address) => {
        const base = urlOf(address, port === '' ? 80 : Number(port));
        onAddress(hostOf(base));
        return new URL(url, base).href.replace(/\/+$/, '');
      });
    } catch (error) {
      this.#complain(`the seed ${host} cannot be resolved: ${(error as Error).message}`);
      return [];
    }
  }

  /** False if no voter answers there, or if it is this member itself. */
  async #register(url: string): Promise<boolean> {
    const { own } = this.#options;
    try {
      const response = await fetch(`${url}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ voterId: own.id, voterUrl: own.url }),
        // Only addresses of the seeds may be called, so redirects are refused.
        redirect: 'error',
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(ASK_MS)]),
      });
      const text = await readText(response);
      if (!response.ok) {
        this.#complain(`${url} does not register this member: ${response.status} ${text.slice(0, 200)}`);
        return false;
      }
      const found = readFound(JSON.parse(text));
      if (found.voter.id === own.id || this.#stop.signal.aborted) return false;
      this.#take(found);
      return true;
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#complain(`${url} does not answer: ${reasonOf(error)}`);
      return false;
    }
  }

  #take(found: Found): void {
    if (this.#known.has(found.voter.url)) return;
    this.#known.add(found.voter.url);
    for (const { id, url } of this.#options.onFound(found)) {
      if (id !== this.#options.own.id && !this.#known.has(url) && !this.#named.has(url))
        this.#named.set(url, 0);
    }
  }

  /** The same complaint is logged once, not at every heartbeat. */
  #complain(complaint: string): void {
    if (complaint === this.#complaint) return;
    this.#complaint = complaint;
    this.#options.log(complaint);
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > LARGEST_ANSWER) throw new Error(`its answer is larger than ${LARGEST_ANSWER} bytes`);
  }
  return Buffer.concat(chunks).toString();
}

async function resolveName(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
}

function readFound(body: unknown): Found {
  const answer = asObject(body, 'the answer');
  const list = Array.isArray(answer.voters) ? answer.voters : [];
  return {
    voter: readVoter(answer.voterId, answer.voterUrl, ''),
    voters: list.map((each, i) => {
      const voter = asObject(each, `voters[${i}]`);
      return readVoter(voter.voterId, voter.voterUrl, `voters[${i}].`);
    }),
    answer,
  };
}

function readVoter(id: unknown, url: unknown, path: string): Peer {
  return { id: writtenId.read(id, `${path}voterId`), url: voterUrl.read(url, `${path}voterUrl`) };
}

function reasonOf(error: unknown): string {
  if (error instanceof BadInput) return error.message;
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
