import http from 'node:http';
import https from 'node:https';
import { withoutSecrets } from '../secrets.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Access, Way } from './access.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** After `/apis/coordination.k8s.io/v1/namespaces/NAMESPACE/`. */
  readonly path: string;
  /** Gets the namespace. */
  readonly body?: (namespace: string) => object;
}

export interface LineReader {
  onOpen(): void;
  onLine(line: string): void;
}

/**
 * Requests to the API server. Connections are kept and shared by all elections; every request reads the credentials
 * again.
 */
export class Connection {
  readonly #way: Way;
  #agent: http.Agent | null = null;
  /** The access that the agent was made for. */
  #agentFor = '';

  constructor(way: Way) {
    this.#way = way;
  }

  /** Rejects at once when the signal is aborted; the request may still have its effect. */
  async ask(request: Request, signal: AbortSignal): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      const response = await this.#send(request, signal);
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) chunks.push(chunk as Buffer);
      } catch (error) {
        signal.throwIfAborted();
        throw new Error('the answer broke off', { cause: error });
      }
      const status = response.statusCode ?? 0;
      if (status !== 401 || tries > 0) return { status, text: Buffer.concat(chunks).toString('utf8') };
      this.#way.forget(); // The token may just have been replaced.
    }
  }

  /**
   * A streamed answer: calls back when it begins and with every line, and settles when it ends. An error thrown by a
   * callback ends it.
   */
  async lines(request: Request, signal: AbortSignal, reader: LineReader): Promise<Answer | null> {
    const response = await this.#send(request, signal);
    const status = response.statusCode ?? 0;
    response.setEncoding('utf8');
    if (status === 200) reader.onOpen();
    let rest = '';
    for await (const chunk of response) {
      rest += chunk;
      if (status !== 200) continue;
      const parts = rest.split('\n');
      rest = parts.pop()!;
      for (const line of parts) if (line !== '') reader.onLine(line);
    }
    if (status === 401) this.#way.forget();
    return status === 200 ? null : { status, text: rest };
  }

  close(): void {
    this.#agent?.destroy();
  }

  async #send(request: Request, signal: AbortSignal): Promise<http.IncomingMessage> {
    const access = await unlessAborted(this.#way.find(), signal);
    const { method, path, body } = request;
    const url = new URL(
      `${access.server}/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(access.namespace)}/${path}`,
    );
    const text = body === undefined ? null : JSON.stringify(body(access.namespace));
    const headers = {
      accept: 'application/json',
      'user-agent': 'caucus',
      ...access.headers,
      ...(access.authorization === null ? {} : { authorization: access.authorization }),
      ...(text === null
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    for (let tries = 0; ; tries++) {
      signal.throwIfAborted();
      const agent = access.agent ?? this.#agentOf(access);
      const send = url.protocol === 'http:' ? http.request : https.request;
      const sent = send(url, { method, headers, agent, signal });
      try {
        return await new Promise((resolve, reject) => {
          sent.on('response', resolve);
          // This handler stays: after the answer has begun, the answer itself reports errors.
          sent.on('error', reject);
          sent.end(text ?? undefined);
        });
      } catch (error) {
        signal.throwIfAborted();
        // A kept connection may have been closed a moment ago. A write replaces one version only, so sending it twice
        // is harmless.
        const isStale = sent.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
        if (!isStale || tries > 0) throw told(url, error, access);
      }
    }
  }

  #agentOf({ server, tls }: Access): http.Agent {
    const texts = Object.entries(tls).map(([name, value]) => [name, String(value)]);
    const key = JSON.stringify([server, texts]);
    if (this.#agent === null || this.#agentFor !== key) {
      this.#agent?.destroy();
      const isPlain = server.startsWith('http:');
      this.#agent = isPlain
        ? new http.Agent({ keepAlive: true })
        : new https.Agent({ keepAlive: true, ...tls });
      this.#agentFor = key;
    }
    return this.#agent;
  }
}

function told(url: URL, error: unknown, { authorization }: Access): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = code === 'ECONNREFUSED' ? 'refused the connection' : `failed: ${message || code}`;
  const secrets = authorization === null ? [] : [authorization, authorization.replace(/^\w+ /, '')];
  return new Error(withoutSecrets(`${url.host} ${why}`, secrets), { cause: error });
}
