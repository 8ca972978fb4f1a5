import http from 'node:http';
import https from 'node:https';
import { connectionOf } from '../connection-watch.ts';
import type { Endpoint } from './address.ts';

/** TLS: our certificate, and the authorities that we trust. */
export interface TlsOptions {
  /** The certificates of the authorities that may sign etcd's, in PEM. */
  readonly ca?: string | Buffer;
  /** Our own certificate and its key, in PEM. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** False: accept any certificate. Only for tests. */
  readonly rejectUnauthorized?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Sending {
  readonly signal: AbortSignal;
  readonly token: string | null;
}

const VERSION_MS = 10_000;

/** Posts JSON to the first endpoint that answers. Connections are kept alive and reused. */
export class Transport {
  /** Called when a call failed at an endpoint: other streams there may be broken too. */
  onTrouble: () => void = () => {};
  /** Called once with the version of each endpoint that answers. */
  onVersion: (endpoint: Endpoint, version: string) => void = () => {};
  readonly #asked = new Set<Endpoint>();
  readonly #endpoints: readonly Endpoint[];
  readonly #agent: http.Agent;
  readonly #request: typeof http.request;
  /** The event after which the request is being sent. */
  readonly #connected: 'connect' | 'secureConnect';
  #at = 0;

  constructor(endpoints: readonly Endpoint[], tls: TlsOptions | null) {
    this.#endpoints = endpoints;
    this.#agent =
      tls === null ? new http.Agent({ keepAlive: true }) : new https.Agent({ keepAlive: true, ...tls });
    this.#request = tls === null ? http.request : https.request;
    this.#connected = tls === null ? 'connect' : 'secureConnect';
  }

  /**
   * Tries each endpoint in turn until one can be connected to. A request that was sent is never sent again: it may
   * still have its effect.
   */
  async post(path: string, body: object, sending: Sending): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      sending.signal.throwIfAborted();
      const endpoint = this.#endpoints[this.#at]!;
      try {
        const answer = await this.#one(endpoint, path, body, sending);
        void this.#askVersion(endpoint);
        if (answer.status !== 503 && answer.status !== 504) return answer;
        this.#onTrouble(endpoint); // It has lost contact with the cluster.
        return answer;
      } catch (error) {
        this.#onTrouble(endpoint);
        if (sending.signal.aborted) throw sending.signal.reason;
        if (!(error instanceof NotSent) || tries >= this.#endpoints.length) throw told(endpoint, error);
      }
    }
  }

  /** A streamed answer: calls back with every line. Settles when it has ended, for whatever reason. */
  async lines(path: string, body: string, sending: Sending, onLine: (line: string) => void): Promise<void> {
    const endpoint = this.#endpoints[this.#at]!;
    try {
      const response = await this.#send(endpoint, path, body, sending);
      let rest = '';
      response.setEncoding('utf8');
      for await (const chunk of response) {
        const parts = (rest + chunk).split('\n');
        rest = parts.pop()!;
        for (const line of parts) if (line !== '') onLine(line);
      }
      if (rest !== '') onLine(rest);
    } catch {
      // The watcher starts again.
    }
    if (!sending.signal.aborted) this.#moveOn(endpoint);
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Runs beside everything else; its result is not awaited. */
  async #askVersion(endpoint: Endpoint): Promise<void> {
    if (this.#asked.has(endpoint)) return;
    this.#asked.add(endpoint);
    try {
      const sending = { signal: AbortSignal.timeout(VERSION_MS), token: null };
      const { text } = await this.#one(endpoint, '/version', null, sending);
      const { etcdserver } = JSON.parse(text) as { etcdserver?: unknown };
      if (typeof etcdserver === 'string') this.onVersion(endpoint, etcdserver);
    } catch {
      // For example where a proxy lets only the API through.
    }
  }

  #onTrouble(endpoint: Endpoint): void {
    this.#moveOn(endpoint);
    this.onTrouble();
  }

  #moveOn(from: Endpoint): void {
    const { length } = this.#endpoints;
    if (this.#endpoints[this.#at] === from) this.#at = (this.#at + 1) % length;
  }

  async #one(endpoint: Endpoint, path: string, body: object | null, sending: Sending): Promise<Answer> {
    const text = body === null ? null : JSON.stringify(body);
    const response = await this.#send(endpoint, path, text, sending);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') };
  }

  #send(
    { host, port }: Endpoint,
    path: string,
    body: string | null,
    { signal, token }: Sending,
  ): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = {
        ...(body === null
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...(token === null ? {} : { authorization: token }),
      };
      const method = body === null ? 'GET' : 'POST';
      const options = { host, port, path, method, agent: this.#agent, headers, signal };
      const request = this.#request(options, resolve);
      const isConnected = connectionOf(request, this.#connected);
      // This handler stays: after the answer has begun, the answer itself reports errors.
      request.on('error', (cause) => reject(isConnected() ? cause : new NotSent(cause.message, { cause })));
      request.end(body ?? undefined);
    });
  }
}

/** There was no connection, so the request had no effect. */
class NotSent extends Error {}

function told({ host, port }: Endpoint, error: unknown): Error {
  const { code, message } = (error instanceof NotSent ? error.cause : error) as NodeJS.ErrnoException;
  const why = code === 'ECONNREFUSED' ? 'refused the connection' : `failed: ${message || code}`;
  return new Error(`${host}:${port} ${why}`, { cause: error });
}
