import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { BadInput } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import { HttpError } from './http-error.ts';

type Headers = Readonly<Record<string, string>>;

const NOTHING: Buffer = Buffer.alloc(0);

export const JSON_TYPE = 'application/json; charset=utf-8';

/** One line of JSON and a line feed, so that it is readable in a terminal and in a log. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Headers = {},
): void {
  sendText(response, status, JSON_TYPE, `${JSON.stringify(body)}\n`, headers);
}

/**
 * The same with a tag of the content. A reader that sends the tag of the last answer (`if-none-match`) gets 304 without
 * a body while nothing has changed: a long list is then asked for often, and sent only if it differs.
 */
export function sendTagged(response: ServerResponse, body: unknown): void {
  const text = `${JSON.stringify(body)}\n`;
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, TAG_LENGTH)}"`;
  if (response.req.headers['if-none-match'] === etag) sendEmpty(response, 304, { etag });
  else sendText(response, 200, JSON_TYPE, text, { etag });
}

/** 132 bits: two contents with one tag do not occur. */
const TAG_LENGTH = 22;

/** Makes the proof of an answer, for the header `authentication-info`. */
export type Signer = (status: number, body: Buffer) => string;

const signers = new WeakMap<ServerResponse, Signer>();

/** From now on the answer carries its proof. */
export function signWith(response: ServerResponse, signer: Signer): void {
  signers.set(response, signer);
}

function signed(response: ServerResponse, status: number, body: Buffer): Headers {
  const signer = signers.get(response);
  return signer === undefined ? {} : { 'authentication-info': signer(status, body) };
}

export function sendText(
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: Headers = {},
): void {
  const bytes = Buffer.from(text);
  response.writeHead(status, {
    'content-type': type,
    'content-length': bytes.length,
    // The leader may change at any moment, so no proxy may cache the answer.
    'cache-control': 'no-store',
    ...headers,
    ...signed(response, status, bytes),
  });
  // Node.js omits the body of a HEAD answer by itself.
  response.end(bytes);
}

export function sendEmpty(response: ServerResponse, status: number, headers: Headers = {}): void {
  const length = status === 204 || status === 304 ? {} : { 'content-length': '0' };
  const proof = signed(response, status, NOTHING);
  response.writeHead(status, { 'cache-control': 'no-store', ...length, ...headers, ...proof });
  response.end();
}

/** Every error has the form {"error":{"code","message"}}. An unexpected error reveals nothing more. */
export function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const known = asHttpError(error);
  const { status, code, message, details, headers } = known;
  sendJson(response, status, { error: { code, message, ...details } }, headers);
}

function asHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof BadInput) {
    const details = { path: error.path, expected: error.expected };
    return new HttpError(400, 'E_BAD_INPUT', error.message, { details });
  }
  // The member is closed, or its disk has failed: the request itself was valid.
  if (error instanceof CaucusError) {
    const details = { outcome: error.outcome };
    return new HttpError(503, error.code, error.message, { details });
  }
  return new HttpError(500, 'E_INTERNAL', 'this member failed to answer; its log says more');
}
