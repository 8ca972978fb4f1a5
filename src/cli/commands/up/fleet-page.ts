/** The page of a whole cluster, with the API beside it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  Authorization,
  actWords,
  HttpError,
  refuseForeignPages,
  sendEmpty,
  sendJson,
  sendText,
  type Target,
  writeEventHead,
} from '../../../api/index.ts';
import { type Access, needsOf, Tokens, tokenOptions } from '../../../auth/index.ts';
import { RefusalLog, SystemClock } from '../../../member/index.ts';
import { type PageServer, refuseMethod } from '../play/page-server.ts';
import { DEEDS, doDeed } from './chaos.ts';
import type { Fleet } from './fleet.ts';
import { relayCluster, relayCommand, relayQuestion, relayStatus } from './relay.ts';
import { WatchRelay } from './watch-relay.ts';

const QUESTIONS = ['/status', '/cluster', '/history', '/runs', '/elections', '/changes'];
const COMMANDS = ['/resign', '/transfer'];

export class FleetPage {
  readonly #server: PageServer;
  readonly #fleet: Fleet;
  readonly #chaos: boolean;
  readonly #authorization: Authorization;
  readonly #refusals: RefusalLog;
  readonly #watchers = new Set<WatchRelay>();

  /** `token`: what the page needs to kill processes; null if it may not. */
  constructor(server: PageServer, fleet: Fleet, token: string | null) {
    this.#server = server;
    this.#fleet = fleet;
    this.#chaos = token !== null;
    this.#refusals = new RefusalLog(new SystemClock(), (message) => fleet.note('refused', null, message));
    const access = accessWith(token);
    this.#authorization = new Authorization({
      access: () => access,
      refused: (kind, { from, reason }) => this.#refusals.refused(kind, from, reason),
    });
    const tokens = token === null ? [] : ['chaos'];
    server.serve({ mode: 'up', chaos: this.#chaos, api: './', tokens }, (...asked) => this.#answer(...asked));
  }

  close(): void {
    this.#refusals.close();
  }

  /** Call it after every event of the fleet. */
  changed(): void {
    for (const watcher of this.#watchers) watcher.fleetChanged();
  }

  async #answer(request: IncomingMessage, response: ServerResponse, target: Target): Promise<boolean> {
    const { path } = target;
    const { query } = target;
    const isAsked = request.method === 'GET' || request.method === 'HEAD';
    if (QUESTIONS.includes(path) || path === '/watch' || path === '/fleet') {
      if (!isAsked) refuseMethod(request, path, 'GET, HEAD');
      if (path === '/fleet') sendJson(response, 200, this.#describe());
      else if (path === '/watch') this.#watch(request, response);
      else await this.#relay(request, path, response);
      return true;
    }
    const deed = target.name === null ? DEEDS[path] : undefined;
    if (!COMMANDS.includes(path) && deed === undefined) return false;
    if (request.method !== 'POST') refuseMethod(request, path, 'POST');
    if (deed === undefined) await relayCommand(this.#fleet, request, response, this.#server.url);
    else {
      refuseForeignPages(request, this.#server.url);
      if (!this.#chaos) throw new HttpError(403, 'E_NO_CHAOS', NO_CHAOS);
      const entry = this.#authorization.enter(request, path, query, needsOf('POST', path, false));
      const id = await doDeed(this.#fleet, deed, request);
      const act = {
        ...entry,
        electionName: this.#fleet.election,
        what: `${path.slice('/fleet/'.length)} ${id}`,
        outcome: 'done',
      };
      this.#fleet.note('act', id, actWords(act));
      sendJson(response, 200, this.#describe());
    }
    return true;
  }

  async #relay(request: IncomingMessage, path: string, response: ServerResponse): Promise<void> {
    const { status, type, text, etag } =
      path === '/status'
        ? await relayStatus(this.#fleet, request.url!)
        : path === '/cluster'
          ? await relayCluster(this.#fleet, request.url!)
          : await relayQuestion(this.#fleet, request.url!, request.headers['if-none-match']);
    const headers = etag === undefined ? {} : { etag };
    if (status === 304) sendEmpty(response, status, headers);
    else sendText(response, status, type, text, headers);
  }

  #watch(request: IncomingMessage, response: ServerResponse): void {
    if (request.method === 'HEAD') {
      writeEventHead(response);
      response.end();
      return;
    }
    const watcher = new WatchRelay(this.#fleet, response, request.url!, () =>
      JSON.stringify(this.#describe()),
    );
    this.#watchers.add(watcher);
    response.on('close', () => this.#watchers.delete(watcher));
  }

  #describe(): object {
    const members = this.#fleet.members.map(({ id, url, pid, state }) => ({ id, url, pid, state }));
    return { chaos: this.#chaos, members };
  }
}

/** Questions and commands are as open as at the members themselves; what harms processes needs the token of this run. */
function accessWith(token: string | null): Access {
  const list = token === null ? [] : [{ name: 'page', roles: ['chaos'], token }];
  return { tokens: new Tokens(tokenOptions.read(list, 'tokens')), closed: false, isOpen: true };
}

const NO_CHAOS =
  'processes are killed, paused and started from here only if caucus up was started with --chaos';
