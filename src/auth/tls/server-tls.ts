/**
 * The certificate that a server shows to its clients. The files can be read again while it runs. New connections then use
 * the new ones; open connections stay.
 */
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import {
  type CertificateFiles,
  type Certified,
  readServerCertificate,
  TLS_VERSION,
  validTo,
} from './files.ts';

/** When certificates end. */
export interface Expiry {
  readonly certificateMs: number;
  /** Of the CA that ends first; null if there are none. */
  readonly caMs: number | null;
}

export class ServerTls<C extends Certified = Certified> {
  readonly files: CertificateFiles;
  readonly #read: () => C;
  readonly #listeners = new Set<() => void>();
  #now: C;

  /** Throws BadInput if the files cannot be used. */
  constructor(files: CertificateFiles, read: () => C) {
    this.files = files;
    this.#read = read;
    this.#now = read();
  }

  /** For a server without peers: every client may connect, and shows no certificate. */
  static open(files: CertificateFiles): ServerTls {
    return new ServerTls(files, () => readServerCertificate(files));
  }

  /** Those that are in use. */
  protected get now(): C {
    return this.#now;
  }

  /** For a person who compares certificates: the SHA-256 of the one in use. */
  get fingerprint(): string {
    return this.#now.leaf.fingerprint256;
  }

  get expiry(): Expiry {
    return { certificateMs: validTo(this.#now.leaf), caMs: null };
  }

  /** Reads the files again. Throws BadInput, and keeps the old ones in use, if the new ones cannot be used. */
  reload(): void {
    const before = this.#now;
    const now = this.#read();
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
    return { cert, key, ...(ca === null ? {} : { ca }), minVersion: TLS_VERSION };
  }

  get serverOptions(): TlsOptions {
    return this.serverContext;
  }
}
