import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error.ts';

/** No message or command needs more. */
export const LARGEST_BODY: number = 256 * 1024;

/** The kind of refusal, as the metrics name it. */
export type BodyRefusal = 'too-large' | 'not-json';

/**
 * The JSON of a request, or undefined if it has no body. Its size is checked before it is read and parsed. Only
 * `application/json` is accepted: a web page of another site cannot send that to a member on this machine without a
 * CORS preflight.
 */
export async function readJson(
  request: IncomingMessage,
  onRefused: (refusal: BodyRefusal) => void,
  /** Sees the bytes before they are parsed, and may throw. */
  onBytes: (bytes: Buffer) => void = () => {},
): Promise<unknown> {
  if (request.readableEnded) return parsedBefore(request, onRefused);
  const bytes = await readBytes(request, onRefused);
  onBytes(bytes);
  if (bytes.length === 0) return undefined;
  checkType(request.headers['content-type']);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    onRefused('not-json');
    const reason = error instanceof Error ? error.message : String(error);
    throw new HttpError(
      400,
      'E_NOT_JSON',
      `the body: expected JSON in UTF-8, found something else (${reason})`,
    );
  }
}

/** The body as parsed by an earlier handler such as `express.json()`. */
function parsedBefore(request: IncomingMessage, onRefused: (refusal: BodyRefusal) => void): unknown {
  const { body } = request as IncomingMessage & { readonly body?: unknown };
  if (typeof body !== 'object' || body === null || Buffer.isBuffer(body)) {
    const message =
      'the body was read by another handler, which left no JSON in request.body; mount this handler before it';
    throw new HttpError(500, 'E_BODY_READ', message);
  }
  checkType(request.headers['content-type']);
  if (Buffer.byteLength(JSON.stringify(body)) <= LARGEST_BODY) return body;
  onRefused('too-large');
  throw new HttpError(413, 'E_TOO_LARGE', `the body: expected at most ${LARGEST_BODY} bytes, found more`);
}

async function readBytes(
  request: IncomingMessage,
  onRefused: (refusal: BodyRefusal) => void,
): Promise<Buffer> {
  const tooLarge = (): HttpError => {
    onRefused('too-large');
    // The rest of the body is not read, so the connection cannot be reused.
    request.resume();
    return new HttpError(413, 'E_TOO_LARGE', `the body: expected at most ${LARGEST_BODY} bytes, found more`, {
      headers: { connection: 'close' },
    });
  };
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= LARGEST_BODY) chunks.push(chunk);
      else {
        request.removeAllListeners('data');
        reject(tooLarge());
      }
    });
    request.on('end', resolve);
    request.on('error', reject);
    request.on('close', () => reject(new HttpError(400, 'E_CUT_SHORT', 'the body ended too early')));
  });
  return Buffer.concat(chunks);
}

function checkType(type: string | undefined): void {
  if (type !== undefined && /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) return;
  throw new HttpError(
    415,
    'E_MEDIA_TYPE',
    `content-type: expected application/json, found ${type === undefined ? 'none' : JSON.stringify(type)}`,
  );
}
