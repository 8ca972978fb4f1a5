import type { PeerProblem } from '../api/index.ts';
import type { MemberId } from '../core/index.ts';
import type { LogEntry } from '../election/index.ts';
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
  problem: PeerProblem | null;
}

/** Knows which peer cannot be reached and why, and logs it: once, and again only when the reason changes. */
export class Unreachable {
  readonly #tell: (message: string) => void;
  readonly #peers = new Map<MemberId, Attempts>();

  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  failed({ id, url }: Peer, reason: string): void {
    const attempts = this.#attempts(id);
    attempts.failed += 1;
    attempts.problem = { is: 'unreachable', kind: null, reason: inWords(reason) };
    const message = `cannot reach ${id} at ${url}: ${attempts.problem.reason}; retrying`;
    if (attempts.failed < ATTEMPTS_BEFORE_TOLD || attempts.told === message) return;
    attempts.told = message;
    this.#tell(message);
  }

  /** It was reached, and one of the two refused the other; the refusal itself is logged elsewhere. */
  refused(id: MemberId, kind: string, reason: string): void {
    this.#attempts(id).problem = { is: 'refused', kind, reason };
  }

  /** It is tried anew: what was seen before does not count. */
  forget(id: MemberId): void {
    this.#peers.delete(id);
  }

  /** Why each peer that is not connected could not be reached, as far as it is known. */
  get problems(): ReadonlyMap<MemberId, PeerProblem> {
    const found = new Map<MemberId, PeerProblem>();
    for (const [id, { problem }] of this.#peers) if (problem !== null) found.set(id, problem);
    return found;
  }

  #attempts(id: MemberId): Attempts {
    const attempts = this.#peers.get(id) ?? { failed: 0, told: null, problem: null };
    // The oldest one: it is told again, if it is still a peer.
    if (!this.#peers.has(id) && this.#peers.size >= MOST_PEERS)
      this.#peers.delete(this.#peers.keys().next().value!);
    this.#peers.set(id, attempts);
    return attempts;
  }

  /** The log line for a peer that is reachable again. `configured`: where this member looks for its peers. */
  reached({ id, url }: Peer, configured: readonly Peer[]): LogEntry {
    this.#peers.delete(id);
    const message = `connected to ${id} at ${url}`;
    // Connections that the others open hide it: commands would ask the wrong member.
    const other = configured.find((peer) => peer.url === url && peer.id !== id);
    if (other === undefined) return { level: 'info', message };
    return {
      level: 'warning',
      message: `${message}, which the peers of this member have as ${other.id}: correct them`,
    };
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
export function inWords(reason: string): string {
  const code = Object.keys(WORDS).find((each) => reason.includes(each));
  if (code !== undefined) return `${WORDS[code]} (${code})`;
  return /timed out/i.test(reason) ? 'it does not answer' : reason;
}
