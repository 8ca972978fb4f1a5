/** Authenticates voters that send messages by POST: the certificate of the connection names the voter. */
import type { IncomingMessage } from 'node:http';
import { HttpError, type VoterCheck, type VoterClaim } from '../api/index.ts';
import type { MemberTls } from '../auth/index.ts';

export class CertificateCheck implements VoterCheck {
  readonly #tls: MemberTls;
  readonly #refused: (address: string, reason: string) => void;

  constructor(tls: MemberTls, refused: (address: string, reason: string) => void) {
    this.#tls = tls;
    this.#refused = refused;
  }

  claim({ socket }: IncomingMessage): VoterClaim {
    const named = this.#tls.peerOf(socket);
    if ('id' in named) return { id: named.id, verify: null };
    this.#refused(socket.remoteAddress ?? '', named.reason);
    const message = `the messages of voters need the certificate of a member: ${named.reason}`;
    throw new HttpError(401, 'E_CERTIFICATE', message, { headers: { connection: 'close' } });
  }
}
