import http from 'node:http';
import https from 'node:https';
import { connectionOf } from '../connection-watch.ts';
import type { Endpoint } from './address.ts';

/** The texts of PEM files, for `caucuss://`. */
export interface TlsOptions {
  /** The authorities to trust, in place of those that Node.js trusts: the CA of the cluster. */
  readonly ca?: string | Buffer;
  /** Our own certificate and its key, if something in front of the members asks for one. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

/** One request. */
export interface Sending {
  readonly body: string;
  readonly token: string | undefined;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** No answer to these requests is longer: a register holds 64 KiB. */
const LARGEST_ANSWER = 1_000_000;

/** There was no connection, so the request had no effect. */
export class NotSent extends Error {}

/** Posts JSON to members. Connections are kept alive and reused. */
export class Transport {
  readonly #agent: http.Agent;
  readonly #request: typeof http.request;
  /** The event after which the request is being sent. */
  readonly #connected: 'connect' | 'secureConnect';

  constructor(tls: TlsOptions | null) {
    this.#agent =
      tls === null ? new http.Agent({ keepAlive: true }) : new https.Agent({ keepAlive: true, ...tls });
    this.#request = tls === null ? http.request : https.request;
    this.#connected = tls === null ? 'connect' : 'secureConnect';
  }

  async post(endpoint: Endpoint, path: string, sending: Sending): Promise<Answer> {
    const response = await this.#send(endpoint, path, sending);
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > LARGEST_ANSWER) throw new Error('its answer is longer than that of any member');
    }
    return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') };
  }

  /** A streamed answer: calls back with every line. Rejects unless it is a stream. */
  async lines(
    endpoint: Endpoint,
    path: string,
    sending: Sending,
    onLine: (line: string) => void,
  ): Promise<void> {
    const response = await this.#send(endpoint, path, sending);
    if (response.statusCode !== 200) {
      response.resume();
      throw new Error(`HTTP ${response.statusCode}`);
    }
    let rest = '';
    response.setEncoding('utf8');
    for await (const chunk of response as AsyncIterable<string>) {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop()!;
      if (rest.length > LARGEST_ANSWER) throw new Error('its line is longer than that of any member');
      for (const line of parts) onLine(line);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  /**
   * A connection that was kept may be closed by the other side just as it is used again. Then nothing of the request was
   * answered, and each of our requests may be sent twice: it names the attempt or the token.
   */
  async #send(endpoint: Endpoint, path: string, sending: Sending): Promise<http.IncomingMessage> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once(endpoint, path, sending);
      } catch (error) {
        if (!(error instanceof Reused) || tries > 1 || sending.signal.aborted) throw error;
      }
    }
  }

  #once(
    { host, port }: Endpoint,
    path: string,
    { body, token, signal }: Sending,
  ): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      const options = { host, port, path, method: 'POST', agent: this.#agent, headers, signal };
      const request = this.#request(options, resolve);
      const isConnected = connectionOf(request, this.#connected);
      // This handler stays: after the answer has begun, the answer itself reports errors.
      request.on('error', (cause: NodeJS.ErrnoException) => {
        if (!isConnected()) reject(new NotSent(cause.message, { cause }));
        else if (request.reusedSocket && cause.code === 'ECONNRESET')
          reject(new Reused(cause.message, { cause }));
        else reject(cause);
      });
      request.end(body);
    });
  }
}

/** The other side had closed the connection. */
class Reused extends Error {}
