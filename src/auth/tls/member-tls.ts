/**
 * Mutual TLS among members: TLS 1.3, a certificate on both sides, and in each the name of the member that it is for
 * (names.ts). A client without such a certificate can connect, and is no peer: what it may do is decided by its token.
 *
 * The files can be read again while the member runs. New connections then use the new ones; open connections stay.
 */
import { X509Certificate } from 'node:crypto';
import { type ConnectionOptions, type SecureContextOptions, TLSSocket, type TlsOptions } from 'node:tls';
import type { MemberId } from '../../core/index.ts';
import { type Credentials, readCredentials, TLS_VERSION, type TlsFiles, validTo } from './files.ts';
import { memberNamed, type Named, type Naming } from './names.ts';
import { handshakeWords } from './words.ts';

/** When the certificates of a member end. */
export interface Expiry {
  readonly certificateMs: number;
  /** Of the CA that ends first. */
  readonly caMs: number;
}

const NOT_TLS =
  'it did not come over TLS; a mounted member needs a server with TLS that asks for certificates (requestCert: true)';
const NO_CERTIFICATE = 'it showed no certificate; members need one that names them';

export class MemberTls {
  readonly files: TlsFiles;
  readonly #id: MemberId;
  readonly #naming: Naming;
  readonly #listeners = new Set<() => void>();
  #now: Credentials;

  /** Throws BadInput if the files cannot be used. */
  constructor(files: TlsFiles, id: MemberId, naming: Naming) {
    this.files = files;
    this.#id = id;
    this.#naming = naming;
    this.#now = readCredentials(files, id, naming);
  }

  /** For a person who compares certificates: the SHA-256 of the one in use. */
  get fingerprint(): string {
    return this.#now.leaf.fingerprint256;
  }

  get expiry(): Expiry {
    const { leaf, cas } = this.#now;
    return { certificateMs: validTo(leaf), caMs: Math.min(...cas.map(validTo)) };
  }

  /** Reads the files again. Throws BadInput, and keeps the old ones in use, if the new ones cannot be used. */
  reload(): void {
    const before = this.#now;
    const now = readCredentials(this.files, this.#id, this.#naming);
    this.#now = now;
    if (now.cert === before.cert && now.key === before.key && now.ca === before.ca) return;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Calls back when other certificates are in use. Returns a function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What a server needs to serve with the present certificates, also for `setSecureContext`. */
  get serverContext(): SecureContextOptions {
    const { cert, key, ca } = this.#now;
    return { cert, key, ca, minVersion: TLS_VERSION };
  }

  /** Every client may connect; `peerOf` says whether it is a peer. */
  get serverOptions(): TlsOptions {
    return { ...this.serverContext, requestCert: true, rejectUnauthorized: false };
  }

  /** For a connection to this peer; null: to any member of the cluster. */
  dialOptions(peer: MemberId | null): ConnectionOptions {
    return {
      secureContext: this.#now.context,
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
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return { reason: NO_CERTIFICATE };
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
