/**
 * Authenticates the voters that send their messages to this member by POST, if members have a secret. A request is
 * accepted once: the counter of each sender rises, and what was sent to an earlier process of this member names another
 * boot.
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

/** Only senders that know the secret are remembered. One that makes up more names than this is refused. */
const MOST_SENDERS = 10_000;

class VoterProofs implements VoterCheck {
  readonly #own: Own;
  readonly #secrets: Secrets;
  readonly #boot = randomBytes(BOOT_BYTES).toString('base64url');
  /** By sender: the last counter that was accepted. */
  readonly #counters = new Map<MemberId, number>();

  constructor(own: Own, secrets: Secrets) {
    this.#own = own;
    this.#secrets = secrets;
  }

  claim(request: IncomingMessage): VoterClaim {
    const read = readAuthorization(request.headers.authorization);
    if (read === null) throw this.#refuse('E_PROOF_NEEDED', NEEDED);
    const { claim, proof } = read;
    if (claim.boot !== this.#boot || String(claim.to) !== String(this.#own.id))
      throw this.#refuse(
        'E_PROOF_BOOT',
        'the proof is for another process; repeat it for the one named here',
      );
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
  #accept({ from, counter }: RequestClaim): void {
    const last = this.#counters.get(from) ?? -1;
    if (counter <= last)
      throw this.#refuse('E_PROOF_OLD', `the counter was used already: expected more than ${last}`, last);
    if (last < 0 && this.#counters.size >= MOST_SENDERS)
      throw new HttpError(429, 'E_TOO_MANY', `${MOST_SENDERS} voters have sent messages to this process`);
    this.#counters.set(from, counter);
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

function sign(secret: Secret, request: Buffer, status: number, answer: Buffer): string {
  return writeAnswerProof(answerProof(secret, request, status, answer));
}
