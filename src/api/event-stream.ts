import type { ServerResponse } from 'node:http';

/** How often an idle stream sends a heartbeat. */
export const HEARTBEAT_MS = 5000;

/** A reader that takes no data for this long is gone. */
const UNREAD_MS = 10_000;

/**
 * Writes one stream of server-sent events. While its reader lags behind, nothing is written: `isBehind` says so,
 * `onDrain` when that is over. A reader that takes no data for too long is disconnected.
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #beat: NodeJS.Timeout;
  readonly #look: NodeJS.Timeout;
  #unread: NodeJS.Timeout | null = null;

  constructor(
    response: ServerResponse,
    heartbeatMs: number,
    on: { readonly drain: () => void; readonly close: () => void },
  ) {
    this.#response = response;
    writeEventHead(response);
    response.write('retry: 1000\n\n');
    this.#beat = setInterval(() => {
      if (!this.isBehind) response.write(': still here\n\n');
    }, heartbeatMs).unref();
    this.#look = setInterval(() => {
      if (this.isBehind) this.#unread ??= setTimeout(() => response.destroy(), UNREAD_MS);
    }, 1000).unref();
    response.on('drain', () => {
      this.#forget();
      on.drain();
    });
    response.on('close', () => {
      clearInterval(this.#look);
      clearInterval(this.#beat);
      this.#forget();
      on.close();
    });
  }

  /** Has the reader not yet taken all data? */
  get isBehind(): boolean {
    return this.#response.writableNeedDrain;
  }

  /** `data` is one line. */
  send(name: string, data: string): void {
    this.#response.write(`event: ${name}\ndata: ${data}\n\n`);
  }

  end(): void {
    clearInterval(this.#beat);
    this.#response.end();
  }

  #forget(): void {
    if (this.#unread !== null) clearTimeout(this.#unread);
    this.#unread = null;
  }
}

/** The head of a stream. For a HEAD request it is the whole answer. */
export function writeEventHead(response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Proxies that buffer answers would delay the events.
    'x-accel-buffering': 'no',
  });
}
