import type { ServerResponse } from 'node:http';
import { BadInput } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import { HttpError } from './http-error.ts';

type Headers = Readonly<Record<string, string>>;

/** One line of JSON and a line feed, so that it reads well in a terminal and in a log. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Headers = {},
): void {
  sendText(response, status, 'application/json; charset=utf-8', `${JSON.stringify(body)}\n`, headers);
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
    // Who leads is true for a moment only: nothing between may keep it.
    'cache-control': 'no-store',
    ...headers,
  });
  // Node leaves the body away by itself when the question was HEAD.
  response.end(bytes);
}

export function sendEmpty(response: ServerResponse, status: number, headers: Headers = {}): void {
  const length = status === 204 ? {} : { 'content-length': '0' };
  response.writeHead(status, { 'cache-control': 'no-store', ...length, ...headers });
  response.end();
}

/** Every error looks the same: {"error":{"code","message"}}. An unexpected error says no more than that. */
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
  // The member is closed, or its disk is ill: the request was not wrong.
  if (error instanceof CaucusError) {
    const details = { outcome: error.outcome };
    return new HttpError(503, error.code, error.message, { details });
  }
  return new HttpError(500, 'E_INTERNAL', 'this member failed to answer; its log says more');
}
