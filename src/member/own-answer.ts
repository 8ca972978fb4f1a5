/**
 * How a process finds out whether it is itself behind an address. It draws a question and its answer, both random, and
 * sends the question there. If the question arrives at its own server, the response carries the answer.
 *
 * The process at another address sees its question and no more. It does not find the answer anywhere: this process gives
 * it only in response to that very question, and forgets both afterwards. So it makes no difference what the other
 * process says of itself, what it copies from this one, and which keys it has. Only one that passes the question on to this
 * process, and the response back, is believed: that is what a forwarded port does.
 */
import { randomBytes } from 'node:crypto';
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { MemberTls } from '../auth/index.ts';
import type { MemberId } from '../core/index.ts';
import { anyOf } from '../election/index.ts';

const ASK_MS = 2000;
const QUESTION = 'caucus-own-question';
const ANSWER = 'caucus-own-answer';
/** Open on every member, also on a closed one. */
const PATH = '/health';

export class OwnAnswer {
  readonly #server: Server;
  /** The questions that have not been answered yet, with their answers. */
  readonly #open = new Map<string, string>();

  constructor(server: Server) {
    this.#server = server;
    // Before the API answers: whatever it says of the request, this header goes with it.
    server.prependListener('request', this.#onRequest);
  }

  /** It is known which address is its own. */
  close(): void {
    this.#server.off('request', this.#onRequest);
  }

  /** Does this very process answer there? With certificates, it expects its own. */
  async isAt(url: string, id: MemberId, tls: MemberTls | null, signal: AbortSignal): Promise<boolean> {
    const [question, answer] = [draw(), draw()];
    this.#open.set(question, answer);
    try {
      const soon = anyOf([signal, AbortSignal.timeout(ASK_MS)]);
      return (await ask(`${url}${PATH}`, question, id, tls, soon)) === answer;
    } catch {
      // The address of a voter that is down, or of something else.
      return false;
    } finally {
      this.#open.delete(question);
    }
  }

  readonly #onRequest = ({ headers }: IncomingMessage, response: ServerResponse): void => {
    const question = headers[QUESTION];
    const answer = typeof question === 'string' ? this.#open.get(question) : undefined;
    if (answer !== undefined) response.setHeader(ANSWER, answer);
  };
}

function draw(): string {
  return randomBytes(32).toString('base64url');
}

/** The answer in the response, of which nothing else is read. No redirect is followed. */
function ask(
  url: string,
  question: string,
  id: MemberId,
  tls: MemberTls | null,
  signal: AbortSignal,
): Promise<unknown> {
  const options = { method: 'HEAD', headers: { [QUESTION]: question }, agent: false, signal };
  return new Promise((resolve, reject) => {
    const request =
      tls === null ? http.request(url, options) : https.request(url, { ...tls.dialOptions(id), ...options });
    request.once('response', ({ headers }) => {
      resolve(headers[ANSWER]);
      request.destroy();
    });
    // Also after the response: then it changes nothing.
    request.on('error', reject);
    request.end();
  });
}
