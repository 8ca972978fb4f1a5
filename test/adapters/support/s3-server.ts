/**
 * A small HTTP server that keeps objects as S3 does, as far as conditional writes go: GET, DELETE, and PUT with `If-Match`
 * and `If-None-Match: *`. It is no S3: it checks no signature and knows one bucket.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class S3Server {
  readonly objects: Map<string, Buffer> = new Map();
  /** Called before each PUT is looked at. */
  beforePut: (key: string) => Promise<void> = async () => {};
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<S3Server> {
    const store = new S3Server();
    await new Promise<void>((resolve) => store.#server.listen(0, '127.0.0.1', resolve));
    return store;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url!, 'http://x').pathname;
    const key = decodeURIComponent(path.split('/').slice(2).join('/'));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method === 'PUT') await this.beforePut(key);
    const stored = this.objects.get(key);
    // S3 makes it of the content alone.
    const tagOf = (body: Buffer): string => `"${createHash('md5').update(body).digest('hex')}"`;
    if (request.method === 'DELETE') {
      this.objects.delete(key);
      response.writeHead(204).end();
    } else if (request.method === 'GET') {
      if (stored === undefined) refuse(response, 404, 'NoSuchKey');
      else response.writeHead(200, { etag: tagOf(stored) }).end(stored);
    } else {
      const { 'if-match': match, 'if-none-match': noneMatch } = request.headers;
      if (match !== undefined && stored === undefined) return refuse(response, 404, 'NoSuchKey');
      const isOther = match !== undefined && match !== tagOf(stored!);
      if (isOther || (noneMatch === '*' && stored !== undefined))
        return refuse(response, 412, 'PreconditionFailed');
      const body = Buffer.concat(chunks);
      this.objects.set(key, body);
      response.writeHead(200, { etag: tagOf(body) }).end();
    }
  }
}

function refuse(response: ServerResponse, status: number, code: string): void {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>refused</Message></Error>`;
  response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
}
