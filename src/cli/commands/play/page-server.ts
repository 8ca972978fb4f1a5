import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import {
  type About,
  closeServer,
  createPage,
  HttpError,
  leadsHere,
  listen,
  NOT_BUILT,
  type Page,
  readTarget,
  sendError,
  type Target,
  urlOfServer,
} from '../../../api/index.ts';
import { CaucusError } from '../../../election/index.ts';
import { Refusal } from '../../input/refusal.ts';

const HOST = '127.0.0.1';
/** One below the default port of the first member of `caucus up`. */
export const USUAL_PORT = 7100;
const MOST_CONNECTIONS = 500;

/** Answers requests that are not for the page. Returns whether there was an answer. */
export type Beside = (request: IncomingMessage, response: ServerResponse, target: Target) => Promise<boolean>;

/**
 * Serves the page on its own port, for this machine only. It takes its port at once, and answers once its handler is
 * set.
 */
export class PageServer {
  readonly url: string;
  /** The default port, if it was in use and another was taken. */
  readonly taken: number | null;
  readonly #server: Server;
  readonly #begin: (handler: Handler) => void;

  private constructor(server: Server, taken: number | null, begin: (handler: Handler) => void) {
    this.url = `${urlOfServer(server)}/`;
    this.taken = taken;
    this.#server = server;
    this.#begin = begin;
  }

  /** At this port, which `flag` names, or at the default one if it is free, or at any. */
  static async open(wanted: number | null, flag: string): Promise<PageServer> {
    let begin: (handler: Handler) => void = () => {};
    const ready = new Promise<Handler>((resolve) => {
      begin = resolve;
    });
    const at = (port: number): Promise<Server> =>
      listen(HOST, port, MOST_CONNECTIONS, (request, response) => {
        // A client that disconnects in the middle causes no error here.
        response.on('error', () => {});
        ready
          .then((handler) => handler(request, response))
          .catch((error: unknown) => sendError(response, error));
      });
    try {
      return new PageServer(await at(wanted ?? USUAL_PORT), null, begin);
    } catch (error) {
      if (!(error instanceof CaucusError)) throw error;
      if (wanted !== null) throw new Refusal(`${flag}: ${whyNot(wanted, error)}`);
      return new PageServer(await at(0), USUAL_PORT, begin);
    }
  }

  serve(about: About, beside: Beside = async () => false): void {
    const page = createPage(() => about);
    this.#begin(async (request, response) => {
      const { host } = request.headers;
      if (!leadsHere(host, [])) throw new HttpError(403, 'E_HOST', `${host} is not a name of this machine`);
      const target = readTarget(request.url ?? '/');
      if (await beside(request, response, target)) return;
      if (target.name !== null) throw new HttpError(404, 'E_NOT_FOUND', `there is nothing at ${target.path}`);
      await answerPage(page, request, response, target);
    });
  }

  close(): Promise<void> {
    return closeServer(this.#server);
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function answerPage(
  page: Page,
  request: IncomingMessage,
  response: ServerResponse,
  { path }: Target,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') refuseMethod(request, path, 'GET, HEAD');
  const outcome = await page.answer(request, response, path.slice(1));
  if (outcome === 'sent') return;
  throw new HttpError(
    404,
    'E_NOT_FOUND',
    outcome === 'not built' ? NOT_BUILT : `there is nothing at ${path}`,
  );
}

export function refuseMethod({ method }: IncomingMessage, path: string, allow: string): never {
  throw new HttpError(405, 'E_METHOD', `${path} answers ${allow}, not ${method}`, { headers: { allow } });
}

function whyNot(port: number, { cause }: CaucusError): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `port ${port} is in use`;
  return code === 'EACCES' ? `this user may not use port ${port}` : message;
}
