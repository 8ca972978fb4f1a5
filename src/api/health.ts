/**
 * Answers for load balancers and probes, with Patroni's codes: 200 for yes, 503 for no. HEAD and OPTIONS get the
 * status line only.
 *
 * Readiness does not depend on the leader or on a majority: members that wait for each other behind a readiness gate
 * would wait for ever. A rolling restart should ask for `?mode=voting` as well.
 */

import { type Call, knownElection } from './call.ts';
import type { ElectionPort, MemberPort } from './port.ts';
import { sendEmpty, sendJson } from './reply.ts';
import { statusOf } from './status.ts';

type Check = (election: ElectionPort, member: MemberPort, query: URLSearchParams) => boolean;

const isPrimary: Check = (election) => election.acting;

/** A follower. A leader that may not act is neither `/leader` nor `/replica`. */
const isReplica: Check = (election, member) =>
  !election.acting && election.view.role === 'follower' && member.illness === null;

const CHECKS: Readonly<Record<string, { readonly summary: string; readonly isSo: Check }>> = {
  '/leader': { summary: 'May this member act as the leader now?', isSo: isPrimary },
  '/primary': { summary: "The same, by Patroni's name for it", isSo: isPrimary },
  '/read-write': { summary: "The same, by another of Patroni's names", isSo: isPrimary },
  '/replica': { summary: 'Does this member follow?', isSo: isReplica },
  '/read-only': {
    summary: 'Does this member lead or follow?',
    isSo: (...asked) => isPrimary(...asked) || isReplica(...asked),
  },
  '/health': { summary: 'Can this member do its part?', isSo: (_, member) => member.illness === null },
  '/liveness': {
    summary: 'Does its event loop run?',
    /** An answer proves that the event loop runs. A dead disk is no reason to restart the process. */
    isSo: () => true,
  },
  '/readiness': {
    summary: 'Can it take requests? Independent of the leader',
    isSo: (election, member, query) =>
      member.illness === null && (query.get('mode') !== 'voting' || election.view.role !== 'none'),
  },
};

/** The summary of each path. */
export const healthPaths: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(CHECKS).map(([path, { summary }]) => [path, summary]),
);

export function isHealthPath(path: string): boolean {
  return Object.hasOwn(CHECKS, path);
}

export function answerHealth(call: Call): void {
  const { member, request, response, path, query, mayRead } = call;
  const election = knownElection(call);
  const status = CHECKS[path]!.isSo(election, member, query) ? 200 : 503;
  if (request.method === 'GET' && mayRead) sendJson(response, status, statusOf(member, election));
  else sendEmpty(response, status);
}
