/** Authenticates voters that send messages by POST: the certificate of the connection names the voter. */
import type { IncomingMessage } from 'node:http';
import { HttpError, type VoterCheck, type VoterClaim } from '../api/index.ts';
import type { MemberTls } from '../auth/index.ts';

export class CertificateCheck implements VoterCheck {
  readonly #tls: MemberTls;
  readonly #next: VoterCheck | null;

  /** `next`: what a voter has to prove besides, if members have a secret too. */
  constructor(tls: MemberTls, next: VoterCheck | null) {
    this.#tls = tls;
    this.#next = next;
  }

  claim(request: IncomingMessage): VoterClaim {
    const named = this.#tls.peerOf(request.socket);
    if ('reason' in named) {
      const message = `the messages of voters need the certificate of a member: ${named.reason}`;
      throw new HttpError(401, 'E_CERTIFICATE', message);
    }
    const claim = this.#next?.claim(request) ?? { id: named.id, verify: null, accept: () => {} };
    if (String(claim.id) === String(named.id)) return claim;
    const message = `this is the certificate of ${named.id}, and the proof of ${claim.id}`;
    throw new HttpError(401, 'E_CERTIFICATE', message);
  }
}
