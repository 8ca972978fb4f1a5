/** Proves the requests of this member to voters that speak only REST, and checks the proofs of their answers. */
import {
  answerProof,
  isAnswerProof,
  readChallenge,
  requestProof,
  type Secrets,
  writeAuthorization,
} from '../../auth/index.ts';
import type { MemberId } from '../../core/index.ts';

/** A voter at a URL, as it was last heard of. */
interface Known {
  id: MemberId;
  boot: string;
  /** The place of the secret that it accepts in our list. */
  secret: number;
  /** What is added to the counter for this voter alone; 0 unless it has told that it expects another one. */
  shift: number;
}

/** One request, and what its answer must carry. */
export interface ProvenHeaders {
  readonly authorization: string;
  readonly counter: number;
  isAnswered(header: string | undefined, status: number, body: Buffer): boolean;
}

/** A voter may be at any number of URLs that were once called. */
const MOST_KNOWN = 1000;
const US_PER_MS = 1000;
/** No voter that bounds counters as docs/authentication.md says tells more, and above it there is room for all requests. */
const MOST_TOLD = 8e15;

export class RestProver {
  readonly #own: { readonly id: MemberId; readonly cluster: string };
  readonly #secrets: Secrets;
  readonly #known = new Map<string, Known>();
  /**
   * Begins at the time, so that it is usually above that of the process before this one. It rises with each request, to
   * whichever voter: one that is reached at two URLs sees it rise too. No voter can change it, only its own shift.
   */
  #counter = Date.now() * US_PER_MS;

  constructor(own: { readonly id: MemberId; readonly cluster: string }, secrets: Secrets) {
    this.#own = own;
    this.#secrets = secrets;
  }

  /** `to`: the voter that is expected there, or null; then it is the one that says so. */
  prove(base: string, to: MemberId | null, method: string, path: string, body: string): ProvenHeaders {
    const known = this.#known.get(base);
    const { id: from, cluster } = this.#own;
    const claim = {
      from,
      to: to ?? known?.id ?? from,
      boot: known?.boot ?? '',
      counter: ++this.#counter + (known?.shift ?? 0),
    };
    const secret = this.#secrets.list[known?.secret ?? 0] ?? this.#secrets.list[0]!;
    const proof = requestProof(secret, claim, { cluster, method, path, body: Buffer.from(body) });
    return {
      authorization: writeAuthorization(claim, proof),
      counter: claim.counter,
      isAnswered: (header, status, answer) =>
        isAnswerProof(header, answerProof(secret, proof, status, answer)),
    };
  }

  /**
   * The voter at this URL has answered 401 to the request with the counter `sent`. True if another try may succeed: it
   * names another process, or a counter, or there is another secret. A process or a secret need not be proven: all that
   * a lie can do is that the next request is refused too. A counter must be (`isProven`), or a process without the
   * secret could use up the numbers.
   */
  challenged(base: string, header: string | undefined, sent: number, isProven: boolean): boolean {
    const challenge = readChallenge(header);
    if (challenge === null) return false;
    const { id, boot, counter } = challenge;
    const known = this.#known.get(base);
    if (known?.boot !== boot || known.id !== id) {
      if (this.#known.size >= MOST_KNOWN) this.#known.clear();
      this.#known.set(base, { id, boot, secret: known?.secret ?? 0, shift: 0 });
      return true;
    }
    if (counter !== null) return isProven && this.#goOnAbove(counter, sent, known);
    known.secret = (known.secret + 1) % this.#secrets.list.length;
    return known.secret !== 0;
  }

  /** False if too few numbers are left above the last one that the voter says that it has accepted. */
  #goOnAbove(last: number, sent: number, known: Known): boolean {
    if (last > MOST_TOLD) return false;
    const now = this.#counter + known.shift;
    // Requests that are under way together may all be refused: none undoes what an earlier answer has changed.
    const isLow = last >= sent && last > now;
    const isHigh = last < sent && sent <= now;
    if (isLow || isHigh) known.shift = last - this.#counter;
    return true;
  }
}
