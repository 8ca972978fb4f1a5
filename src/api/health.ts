/**
 * Answers for load balancers and probes, with the codes that Patroni's users know: 200 for yes, 503 for no. HEAD and OPTIONS get
 * the status line only.
 *
 * Readiness does not ask who leads, nor whether a majority is there: members that wait for each other behind a readiness gate
 * would wait for ever. A rollout that goes one by one asks for `?mode=voting` as well.
 */

import { type Call, knownElection } from './call.ts';
import type { ElectionPort, MemberPort } from './port.ts';
import { sendEmpty, sendJson } from './reply.ts';
import { statusOf } from './status.ts';

type Check = (election: ElectionPort, member: MemberPort, query: URLSearchParams) => boolean;

const isPrimary: Check = (election) => election.acting;

/** A follower that hears a leader, or is about to. A leader that may not act is neither one nor the other. */
const isReplica: Check = (election, member) =>
  !election.acting && election.view.role === 'follower' && member.illness === null;

const CHECKS: Readonly<Record<string, Check>> = {
  '/leader': isPrimary,
  '/primary': isPrimary,
  '/read-write': isPrimary,
  '/replica': isReplica,
  '/read-only': (...asked) => isPrimary(...asked) || isReplica(...asked),
  '/health': (_, member) => member.illness === null,
  /** That it answers at all shows that its event loop runs: a dead disk is no reason to be restarted. */
  '/liveness': () => true,
  '/readiness': (election, member, query) =>
    member.illness === null && (query.get('mode') !== 'voting' || election.view.role !== 'none'),
};

export const healthPaths: readonly string[] = Object.keys(CHECKS);

export function answerHealth(call: Call): void {
  const { member, request, response, path, query } = call;
  const election = knownElection(call);
  const status = CHECKS[path]!(election, member, query) ? 200 : 503;
  if (request.method === 'GET') sendJson(response, status, statusOf(member, election));
  else sendEmpty(response, status);
}
