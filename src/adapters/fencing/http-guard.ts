import { checkToken, type Gate, TOKEN_HEADER } from '../../election/index.ts';

/** What is used of a request of Node.js or Express. */
export interface TokenRequest {
  readonly headers: { readonly [name: string]: string | string[] | undefined };
}

/** What is used of a response of Node.js or Express. */
export interface TokenResponse {
  writeHead(status: number, headers: Record<string, string>): { end(text: string): unknown };
}

/** Lets the request go on. */
export type Next = () => void;

/**
 * A handler for Express and the like, before those that write. It answers 412 to a stale token, 428 if there is none, and
 * 400 if it is not a number. What the next handlers do until their first `await` cannot be overtaken by a newer leader.
 */
export function requireToken(
  gate: Gate,
): (request: TokenRequest, response: TokenResponse, next: Next) => void {
  return (request, response, next) => {
    const check = checkToken(request.headers[TOKEN_HEADER], gate);
    if (check.ok) next();
    else response.writeHead(check.status, { 'content-type': 'text/plain' }).end(`${check.error.message}\n`);
  };
}
