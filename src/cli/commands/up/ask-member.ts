import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';

/** The answer of a member. */
export interface Said {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** The tag of the content, if it has one. */
  readonly etag?: string | undefined;
}

interface Asking {
  readonly method?: string;
  readonly body?: string;
  /** The tag of an answer that is there already. */
  readonly etag?: string | undefined;
  readonly withinMs: number;
}

/** Asks one member, and waits for its whole answer. Throws if it does not come in time. */
export async function askMember(url: string, asking: Asking): Promise<Said> {
  const { withinMs } = asking;
  const { response, cancel } = await openAnswer(url, asking);
  const late = setTimeout(() => cancel(new Error('no answer in time')), withinMs);
  try {
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    const type = response.headers['content-type'] ?? 'application/json; charset=utf-8';
    return { status: response.statusCode!, type, text, etag: response.headers.etag };
  } finally {
    clearTimeout(late);
  }
}

/** An answer that has begun. */
export interface Answer {
  readonly response: IncomingMessage;
  cancel(reason?: Error): void;
}

/** Settles when the answer begins, which must be soon; the caller decides how long it may last. */
export function openAnswer(
  url: string,
  { method = 'GET', body = '', etag, withinMs }: Asking,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers: OutgoingHttpHeaders = {
      ...(body === '' ? {} : { 'content-type': 'application/json' }),
      ...(etag === undefined ? {} : { 'if-none-match': etag }),
    };
    // No keep-alive: a connection to a process that was restarted would be useless.
    const asked = request(url, { method, headers, agent: false }, (response) => {
      clearTimeout(late);
      resolve({ response, cancel: (reason) => asked.destroy(reason) });
    });
    const late = setTimeout(() => asked.destroy(new Error('no answer in time')), withinMs);
    asked.on('error', (error) => {
      clearTimeout(late);
      reject(error);
    });
    asked.end(body);
  });
}
