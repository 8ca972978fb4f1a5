/**
 * Mutual TLS among members: TLS 1.3, a certificate on both sides, and in each the name of the member that it is for
 * (names.ts). A client without such a certificate can connect, and is no peer: what it may do is decided by its token.
 */
import { X509Certificate } from 'node:crypto';
import { type ConnectionOptions, TLSSocket, type TlsOptions } from 'node:tls';
import type { MemberId } from '../../core/index.ts';
import { type Credentials, readCredentials, TLS_VERSION, type TlsFiles, validTo } from './files.ts';
import { memberNamed, type Named, type Naming } from './names.ts';
import { type Expiry, ServerTls } from './server-tls.ts';
import { handshakeWords } from './words.ts';

const NOT_TLS =
  'it did not come over TLS; a mounted member needs a server with TLS that asks for certificates (requestCert: true)';
const NO_CERTIFICATE = 'it showed no certificate; members need one that names them';

export class MemberTls extends ServerTls<Credentials> {
  declare readonly files: TlsFiles;
  readonly #naming: Naming;
  /** Node gives the certificate of a server only once for each connection, and a connection carries many requests. */
  readonly #shown = new WeakMap<TLSSocket, X509Certificate>();

  /** Throws BadInput if the files cannot be used. */
  constructor(files: TlsFiles, id: MemberId, naming: Naming) {
    super(files, () => readCredentials(files, id, naming));
    this.#naming = naming;
  }

  override get expiry(): Expiry & { readonly caMs: number } {
    const { leaf, cas } = this.now;
    return { certificateMs: validTo(leaf), caMs: Math.min(...cas.map(validTo)) };
  }

  /** Every client may connect; `peerOf` says whether it is a peer. */
  override get serverOptions(): TlsOptions {
    return { ...this.serverContext, requestCert: true, rejectUnauthorized: false };
  }

  /** For a connection to this peer; null: to any member of the cluster. */
  dialOptions(peer: MemberId | null): ConnectionOptions {
    return {
      secureContext: this.now.context,
      minVersion: TLS_VERSION,
      rejectUnauthorized: true,
      checkServerIdentity: (_host, { raw }) => {
        const named = memberNamed(new X509Certificate(raw), this.#naming);
        const reason = otherThan(peer, named);
        return reason === null ? undefined : new Error(reason);
      },
    };
  }

  /** The member at the other end of a connection, by its certificate; or why it is none. */
  peerOf(socket: unknown): Named {
    if (!(socket instanceof TLSSocket)) return { reason: NOT_TLS };
    const certificate = this.#shown.get(socket) ?? socket.getPeerX509Certificate();
    if (certificate === undefined) return { reason: NO_CERTIFICATE };
    this.#shown.set(socket, certificate);
    // A session that is resumed was verified against the CAs of an earlier time.
    if (socket.isSessionReused())
      return { reason: 'it resumed an earlier TLS session, which peers never do' };
    const { authorized, authorizationError } = socket;
    if (authorized) return memberNamed(certificate, this.#naming);
    const code = String(authorizationError);
    return { reason: handshakeWords({ code }) ?? `its certificate is not accepted (${code})` };
  }
}

/** Why the certificate that a server showed is not that of the peer; null if it is. */
function otherThan(peer: MemberId | null, named: Named): string | null {
  if ('reason' in named) return `its certificate is not that of a member: ${named.reason}`;
  if (peer === null || String(named.id) === String(peer)) return null;
  return `what answers there has the certificate of member ${named.id}, not of member ${peer}; compare the URLs of the peers`;
}
