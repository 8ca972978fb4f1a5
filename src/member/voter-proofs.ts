/**
 * Authenticates the voters that send their messages to this member by POST, if members have a secret. A request is
 * accepted once: the counter of each sender rises, and what was sent to an earlier process of this member names another
 * boot.
 *
 * A process that has the secret can send under any name. The harm of that ends with it: a counter cannot be used up
 * (`MOST_AHEAD`), made-up names take no place from voters (`MOST_SENDERS`), and nothing that was accepted with a secret
 * counts after the secret was taken out.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { HttpError, pathBelow, type VoterCheck, type VoterClaim } from '../api/index.ts';
import {
  answerProof,
  BOOT_BYTES,
  isRequestProof,
  type MemberTls,
  type RequestClaim,
  readAuthorization,
  requestProof,
  type Secret,
  type Secrets,
  writeAnswerProof,
  writeChallenge,
} from '../auth/index.ts';
import type { MemberId } from '../core/index.ts';
import { CertificateCheck } from './certificate-check.ts';

interface Own {
  readonly id: MemberId;
  readonly cluster: string;
  /** The present one. */
  readonly url: string;
}

/**
 * Only senders that know the secret are remembered. Before there are more, this member begins anew with another boot: to
 * forget only some of them would let their requests be replayed, and to refuse new ones would shut voters out.
 */
const MOST_SENDERS = 10_000;

/**
 * How far a counter may be above the time in microseconds: 95 years. A clock that was never set, here or at the
 * sender, shows 1970, and such members work too. The bound rises with the time, faster than any voter sends: above each
 * counter that was accepted there is room for the next one.
 */
const MOST_AHEAD = 3e15;
const US_PER_MS = 1000;

class VoterProofs implements VoterCheck {
  readonly #own: Own;
  readonly #secrets: Secrets;
  #boot = newBoot();
  /** By sender: the last counter that was accepted in this boot. */
  readonly #counters = new Map<MemberId, number>();

  constructor(own: Own, secrets: Secrets) {
    this.#own = own;
    this.#secrets = secrets;
    let before = secrets.list;
    secrets.onChange(() => {
      if (!before.every((each) => secrets.has(each))) this.#beginAnew();
      before = secrets.list;
    });
  }

  claim(request: IncomingMessage): VoterClaim {
    const read = readAuthorization(request.headers.authorization);
    if (read === null) throw this.#refuse('E_PROOF_NEEDED', NEEDED);
    const { claim, proof } = read;
    if (String(claim.to) !== String(this.#own.id)) throw this.#refuse('E_PROOF_BOOT', OTHER_BOOT);
    this.#checkBoot(claim);
    const { cluster, url } = this.#own;
    const path = pathBelow(request.url ?? '/', url);
    const method = request.method ?? '';
    const verify: VoterClaim['verify'] = (body) => {
      const [secret] = this.#secrets.list.filter((each) =>
        isRequestProof(proof, requestProof(each, claim, { cluster, method, path, body })),
      );
      if (secret === undefined)
        throw this.#refuse('E_PROOF', 'the proof does not fit: expected one by the secret of this cluster');
      return (status, answer) => sign(secret, proof, status, answer);
    };
    return { id: claim.from, verify, accept: () => this.#accept(claim) };
  }

  /** After the proof: no process without the secret moves a counter. */
  #accept(claim: RequestClaim): void {
    // It may have changed while the body was read.
    this.#checkBoot(claim);
    const { from, counter } = claim;
    const last = this.#counters.get(from) ?? -1;
    if (counter <= last)
      throw this.#refuse('E_PROOF_OLD', `the counter was used already: expected more than ${last}`, last);
    const most = Math.floor(timeUs() + MOST_AHEAD);
    if (counter > most) {
      const message = `the counter is too far ahead: expected more than ${last}, and at most ${most}`;
      throw this.#refuse('E_PROOF_AHEAD', message, Math.max(last, 0));
    }
    if (last < 0 && this.#counters.size >= MOST_SENDERS) {
      this.#beginAnew();
      this.#checkBoot(claim);
    }
    this.#counters.set(from, counter);
  }

  #checkBoot({ boot }: RequestClaim): void {
    if (boot !== this.#boot) throw this.#refuse('E_PROOF_BOOT', OTHER_BOOT);
  }

  /** As after a restart: each voter is told the new boot with its next request, and repeats it. */
  #beginAnew(): void {
    this.#boot = newBoot();
    this.#counters.clear();
  }

  #refuse(code: string, message: string, counter: number | null = null): HttpError {
    const challenge = writeChallenge({ id: this.#own.id, boot: this.#boot, counter });
    return new HttpError(401, code, message, { headers: { 'www-authenticate': challenge } });
  }
}

/** Null if members have neither a secret nor certificates: then any client may send messages. */
export function voterCheck(own: Own, secrets: Secrets | null, tls: MemberTls | null): VoterCheck | null {
  const proofs = secrets === null ? null : new VoterProofs(own, secrets);
  return tls === null ? proofs : new CertificateCheck(tls, proofs);
}

const NEEDED =
  'this needs the proof of a voter: expected the header authorization: Caucus …, as docs/authentication.md describes';

const OTHER_BOOT = 'the proof is for another process; repeat it for the one named here';

function newBoot(): string {
  return randomBytes(BOOT_BYTES).toString('base64url');
}

/** Does not go back when the clock of the machine is set. */
function timeUs(): number {
  return (performance.timeOrigin + performance.now()) * US_PER_MS;
}

function sign(secret: Secret, request: Buffer, status: number, answer: Buffer): string {
  return writeAnswerProof(answerProof(secret, request, status, answer));
}
