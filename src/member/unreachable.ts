import type { MemberId } from '../core/index.ts';
import type { Peer } from './links/links.ts';

/**
 * The members of a cluster are started one after the other, so the first attempts may come before the other one
 * listens.
 */
const ATTEMPTS_BEFORE_TOLD = 3;
/** Voters that register under ever new names must not fill the memory. */
const MOST_PEERS = 1000;

interface Attempts {
  failed: number;
  told: string | null;
}

/** Logs which peer cannot be reached and why: once, and again only when the reason changes. */
export class Unreachable {
  readonly #tell: (message: string) => void;
  readonly #peers = new Map<MemberId, Attempts>();

  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  failed({ id, url }: Peer, reason: string): void {
    const attempts = this.#peers.get(id) ?? { failed: 0, told: null };
    // The oldest one: it is told again, if it is still a peer.
    if (!this.#peers.has(id) && this.#peers.size >= MOST_PEERS)
      this.#peers.delete(this.#peers.keys().next().value!);
    this.#peers.set(id, attempts);
    attempts.failed += 1;
    const message = `cannot reach ${id} at ${url}: ${inWords(reason)}; retrying`;
    if (attempts.failed < ATTEMPTS_BEFORE_TOLD || attempts.told === message) return;
    attempts.told = message;
    this.#tell(message);
  }

  /** The log line for a peer that is reachable again. */
  reached({ id, url }: Peer): string {
    this.#peers.delete(id);
    return `connected to ${id} at ${url}`;
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host could not be looked up',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that network',
  ETIMEDOUT: 'it does not answer',
  ECONNRESET: 'it closed the connection at once',
};

/** The system's error code follows our words, for looking it up. */
function inWords(reason: string): string {
  const code = Object.keys(WORDS).find((each) => reason.includes(each));
  if (code !== undefined) return `${WORDS[code]} (${code})`;
  return /timed out/i.test(reason) ? 'it does not answer' : reason;
}
