/** What can be asked with GET, by path. Asking changes nothing. */
import { type Call, knownElection } from './call.ts';
import { getCluster, getElections, getHistory } from './cluster.ts';
import { getValue } from './commands.ts';
import { getFrontPage } from './front-page.ts';
import { answerHealth, healthPaths } from './health.ts';
import { HttpError } from './http-error.ts';
import { getMetrics } from './metrics.ts';
import { openApi } from './openapi.ts';
import { NOT_BUILT } from './page.ts';
import { sendEmpty, sendJson } from './reply.ts';
import type { Target } from './target.ts';
import { getStatus } from './voters.ts';

export type Handler = (call: Call) => void | Promise<void>;

/** Questions about an election; all of them also under /elections/NAME. */
export const ABOUT_ELECTION: Readonly<Record<string, Handler>> = {
  '/status': getStatus,
  '/cluster': getCluster,
  '/history': getHistory,
  '/value': getValue,
  '/watch': (call) => call.watchers.add(knownElection(call), call.response),
  ...Object.fromEntries(healthPaths.map((path) => [path, answerHealth])),
};

/** Questions about the member. */
export const ABOUT_MEMBER: Readonly<Record<string, Handler>> = {
  '/': getFrontPage,
  '/elections': getElections,
  '/metrics': getMetrics,
  '/openapi.json': ({ response }) => sendJson(response, 200, openApi),
  '/ui': toPage,
  '/ui/': getPage,
};

export function findQuestion({ path, name }: Target): Handler | undefined {
  const found = ABOUT_ELECTION[path];
  if (found !== undefined || name !== null) return found;
  return ABOUT_MEMBER[path.startsWith('/ui/') ? '/ui/' : path];
}

/** The page asks for its files beside itself, so its address ends with a slash. Where we are mounted, we do not know. */
function toPage({ response }: Call): void {
  sendEmpty(response, 302, { location: 'ui/' });
}

/** The dashboard of this member, and the playground. */
async function getPage({ request, response, path, page }: Call): Promise<void> {
  const outcome = await page.answer(request, response, path.slice('/ui/'.length));
  if (outcome === 'not built') throw new HttpError(404, 'E_NOT_FOUND', NOT_BUILT);
  if (outcome === 'no such file') throw new HttpError(404, 'E_NOT_FOUND', `there is nothing at ${path}`);
}
