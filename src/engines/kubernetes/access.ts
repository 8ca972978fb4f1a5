import type http from 'node:http';

/** Whom we believe, and how we show who we are, over TLS. All in PEM. */
export interface TlsOptions {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** Where the API server is, and who we are there, at this moment. */
export interface Access {
  /** `https://host:port`, and where it does not answer at its root, a path. */
  readonly server: string;
  readonly namespace: string;
  /** Bearer … or Basic …; null where TLS alone says who we are. */
  readonly authorization: string | null;
  /** Other headers that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly tls: TlsOptions;
  /** Connects through a proxy. */
  readonly agent?: http.Agent;
}

/** How to get there. It is asked before every request, since tokens and certificates are replaced while we run. */
export interface Way {
  /** Loads the library that it needs, if any. Rejects if that is not installed. */
  load?(): Promise<void>;
  find(): Promise<Access>;
  /** What it told last was refused: it should look again, and not tell what it remembers. */
  forget(): void;
}
