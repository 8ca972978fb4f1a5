import type { Agent } from 'node:http';

/** TLS: the authorities that we trust, and our certificate. All in PEM. */
export interface TlsOptions {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** The API server, and our credentials at this moment. */
export interface Access {
  /** `https://host:port`, with a path if the API is not at the root. */
  readonly server: string;
  readonly namespace: string;
  /** Bearer … or Basic …; null if TLS alone authenticates us. */
  readonly authorization: string | null;
  /** Other headers that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly tls: TlsOptions;
  /** Connects through a proxy. */
  readonly agent?: Agent;
}

/**
 * Finds access to the API server. Called before every request, since tokens and certificates are replaced while we
 * run.
 */
export interface Way {
  /** Loads the library that it needs, if any. Rejects if that is not installed. */
  load?(): Promise<void>;
  find(): Promise<Access>;
  /** The last credentials were refused: read them again, not from a cache. */
  forget(): void;
}
