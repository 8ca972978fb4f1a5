import type { Election } from '../../election/index.ts';

export interface Health {
  readonly status: 200 | 404 | 503;
  readonly body: string;
}

/**
 * `/leader`: 200 on the leader and 503 elsewhere, for load balancers. `/` and `/live`: 200 with who leads; the process answers.
 * Readiness must not mean "leads", or a rolling update would wait for ever for the new copies.
 */
export function healthOf(election: Election, path: string): Health {
  const isLeader = election.leadership !== null;
  const leader = election.leader();
  const body = JSON.stringify({
    election: election.name,
    self: election.self,
    leader: leader?.name ?? null,
    token: leader?.token?.toString() ?? null,
    isLeader,
  });
  if (path === '/leader') return { status: isLeader ? 200 : 503, body };
  if (path === '/' || path === '' || path === '/live') return { status: 200, body };
  return { status: 404, body: JSON.stringify({ code: 'E_NOT_FOUND', error: `there is nothing at ${path}` }) };
}
