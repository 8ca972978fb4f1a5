/**
 * The stream of events of a server. `EventSource` can send no token, so with one the stream is read by `fetch`, which
 * then connects again by itself.
 */
import { readEvents } from '../../../src/api/wire/index.ts';
import { authorization, hasToken } from './token.ts';

const AGAIN_MS = 1000;

export interface Stream {
  /** Has the server refused it? Then it is not tried again. */
  readonly isRefused: boolean;
  close(): void;
}

interface Heard {
  /** `data` is JSON. */
  readonly event: (name: string, data: string) => void;
  /** The stream broke off; it is opened again unless it was refused. */
  readonly broken: () => void;
}

export function openStream(url: string, names: readonly string[], heard: Heard): Stream {
  return hasToken() ? openFetched(url, heard) : openSource(url, names, heard);
}

function openSource(url: string, names: readonly string[], { event, broken }: Heard): Stream {
  const source = new EventSource(url);
  for (const name of names) source.addEventListener(name, ({ data }) => event(name, data));
  source.addEventListener('error', broken);
  return {
    get isRefused() {
      return source.readyState === EventSource.CLOSED;
    },
    close: () => source.close(),
  };
}

function openFetched(url: string, { event, broken }: Heard): Stream {
  const closed = new AbortController();
  let isRefused = false;
  const read = async (): Promise<void> => {
    while (!closed.signal.aborted && !isRefused) {
      try {
        const headers = { accept: 'text/event-stream', ...authorization() };
        const response = await fetch(url, {
          headers,
          signal: closed.signal,
          cache: 'no-store',
          redirect: 'error',
        });
        isRefused = !response.ok || response.body === null;
        if (!isRefused) {
          const texts = chunksOf(response.body!.pipeThrough(new TextDecoderStream()));
          for await (const { name, data } of readEvents(texts)) event(name, data);
        }
      } catch {
        // It is opened again.
      }
      if (closed.signal.aborted) return;
      broken();
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  };
  void read();
  return {
    get isRefused() {
      return isRefused;
    },
    close: () => closed.abort(),
  };
}

/** Not all browsers can iterate over a stream. */
async function* chunksOf(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
