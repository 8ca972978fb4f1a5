/** The questions (GET), by path. They change nothing. */
import type { Shape } from '../core/index.ts';
import { type Call, knownElection } from './call.ts';
import { getChanges, getCluster, getElections, getHistory } from './cluster.ts';
import { getValue } from './commands.ts';
import { getDiagnosis } from './diagnosis.ts';
import { getFrontPage } from './front-page.ts';
import { answerHealth, healthPaths } from './health.ts';
import { HttpError } from './http-error.ts';
import { getMembers } from './members.ts';
import { getMetrics } from './metrics.ts';
import { NOT_BUILT } from './page.ts';
import { JSON_TYPE, sendEmpty, sendText } from './reply.ts';
import { getRuns } from './runs.ts';
import type { Target } from './target.ts';
import { getStatus } from './voters.ts';
import { diagnosis } from './wire/diagnosis.ts';
import { cluster, electionList, frontPage, state, status, value } from './wire/documents.ts';
import { changeList, history } from './wire/history.ts';
import { membership } from './wire/membership.ts';
import { runList } from './wire/runs.ts';

export type Handler = (call: Call) => void | Promise<void>;

export interface Question {
  readonly summary: string;
  /** The document of the answer; null if the answer is not JSON, or any JSON. */
  readonly answer: Shape<unknown> | null;
  /** The media type of the answer. */
  readonly type?: string;
  /** Yes is 200 and no is 503, also to HEAD and OPTIONS. */
  readonly isHealth?: boolean;
  /** Has the answer a tag (`etag`), so that it is sent again only if it differs? */
  readonly isTagged?: boolean;
  readonly handler: Handler;
}

/** Questions about an election; all of them also under /elections/NAME. */
export const ABOUT_ELECTION: Readonly<Record<string, Question>> = {
  '/status': { summary: 'The leader and the voters', answer: status, handler: getStatus },
  '/cluster': { summary: 'All members as this one sees them', answer: cluster, handler: getCluster },
  '/history': {
    summary: 'Every change of the leader, with its cause',
    answer: history,
    handler: getHistory,
  },
  '/value': { summary: 'The value that the leader published', answer: value, handler: getValue },
  '/runs': {
    summary: 'The occasions that were done once, and those that have begun (`caucus once`, schedules)',
    answer: runList,
    handler: getRuns,
  },
  '/watch': {
    summary: 'Server-sent events `state`: first the current state, then each change',
    answer: state,
    type: 'text/event-stream',
    handler: (call) => call.watchers.add(knownElection(call), call.response),
  },
  ...Object.fromEntries(
    Object.entries(healthPaths).map(([path, summary]) => [
      path,
      { summary, answer: status, isHealth: true, handler: answerHealth },
    ]),
  ),
};

/** Questions about the member. */
export const ABOUT_MEMBER: Readonly<Record<string, Question>> = {
  '/': {
    summary:
      'The leader, as the sidecars of Kubernetes answer; a few lines of text for clients that prefer text',
    answer: frontPage,
    handler: getFrontPage,
  },
  '/elections': {
    summary: 'All elections that this member takes part in',
    answer: electionList,
    isTagged: true,
    handler: getElections,
  },
  '/changes': {
    summary: 'The last changes of the leaders of all elections, with their causes',
    answer: changeList,
    isTagged: true,
    handler: getChanges,
  },
  '/members': {
    summary: 'The members of the cluster, and what is pending',
    answer: membership,
    handler: getMembers,
  },
  '/metrics': {
    summary: 'Counters and gauges, in the text format of Prometheus',
    answer: null,
    type: 'text/plain',
    handler: getMetrics,
  },
  '/diagnosis': {
    summary: 'What this process knows of itself and its peers, for `caucus doctor`',
    answer: diagnosis,
    handler: getDiagnosis,
  },
  '/openapi.json': {
    summary: 'This description',
    answer: null,
    handler: ({ response, describe }) => sendText(response, 200, JSON_TYPE, describe()),
  },
  '/ui': { summary: 'Redirects to the page, whose address ends with a slash', answer: null, handler: toPage },
  '/ui/{file}': {
    summary: 'The files of the dashboard and the playground; without a name, the page itself',
    answer: null,
    type: 'text/html',
    handler: getPage,
  },
};

export function findQuestion({ path, name }: Target): Handler | undefined {
  const found = ABOUT_ELECTION[path]?.handler;
  if (found !== undefined || name !== null) return found;
  return ABOUT_MEMBER[path.startsWith('/ui/') ? '/ui/{file}' : path]?.handler;
}

/**
 * The page requests its files relative to itself, so its address ends with a slash. The redirect is relative, since
 * the mount path is unknown here.
 */
function toPage({ response }: Call): void {
  sendEmpty(response, 302, { location: 'ui/' });
}

/** The dashboard of this member, and the playground. */
async function getPage({ request, response, path, page }: Call): Promise<void> {
  const outcome = await page.answer(request, response, path.slice('/ui/'.length));
  if (outcome === 'not built') throw new HttpError(404, 'E_NOT_FOUND', NOT_BUILT);
  if (outcome === 'no such file') throw new HttpError(404, 'E_NOT_FOUND', `there is nothing at ${path}`);
}
