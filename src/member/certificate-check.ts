/** Authenticates voters that send messages by POST: the certificate of the connection names the voter. */
import type { IncomingMessage } from 'node:http';
import { HttpError, type VoterCheck, type VoterClaim } from '../api/index.ts';
import type { MemberTls } from '../auth/index.ts';

export class CertificateCheck implements VoterCheck {
  readonly #tls: MemberTls;
  readonly #tell: (address: string, message: string) => void;

  constructor(tls: MemberTls, tell: (address: string, message: string) => void) {
    this.#tls = tls;
    this.#tell = tell;
  }

  claim({ socket }: IncomingMessage): VoterClaim {
    const named = this.#tls.peerOf(socket);
    if ('id' in named) return { id: named.id, verify: null };
    const address = socket.remoteAddress ?? 'a client';
    this.#tell(address, `a message from ${address} is refused: ${named.reason}`);
    const message = `the messages of voters need the certificate of a member: ${named.reason}`;
    throw new HttpError(401, 'E_CERTIFICATE', message, { headers: { connection: 'close' } });
  }
}
