/**
 * `GET /`: what the leader-election sidecars of Kubernetes answer there. Their clients send no Accept header, so JSON
 * is the default; only clients that prefer text get text.
 */

import { type Call, knownElection } from './call.ts';
import type { MemberPort } from './port.ts';
import { sendJson, sendText } from './reply.ts';
import { statusOf } from './status.ts';
import type { FrontPage } from './wire/documents.ts';

export function getFrontPage(call: Call): void {
  const { member, request, response } = call;
  const status = statusOf(member, knownElection(call));
  if (prefersText(request.headers.accept)) {
    return sendText(response, 200, 'text/plain; charset=utf-8', page(call, member));
  }
  const changedAtMs = knownElection(call).history.at(-1)?.atMs ?? member.startedAtMs;
  sendJson(response, 200, {
    name: status.leader === null ? '' : String(status.leader),
    last_update: new Date(changedAtMs).toISOString(),
    ...status,
  } satisfies FrontPage);
}

/** Browsers name text/html before everything else. */
function prefersText(accept = ''): boolean {
  const first = accept.split(',')[0]!.trim();
  return first.startsWith('text/');
}

function page(call: Call, member: MemberPort): string {
  const { view, name, acting } = knownElection(call);
  const leader = view.leader === null ? 'there is no leader' : `${view.leader} leads`;
  const self = acting ? 'it may act now' : `its role is ${view.role}`;
  return [
    `Caucus member ${member.id} of the cluster ${member.cluster} at ${member.url}`,
    `Election ${name}: ${leader}${view.term === null ? '' : `, term ${view.term}`}. This is ${member.id}: ${self}.`,
    ...(member.illness === null ? [] : [`Something is wrong: ${member.illness}`]),
    '',
    `To look at it: ${member.url}/ui/`,
    'Ask /status, /leader, /cluster, /history, /watch, /metrics; all paths are described at /openapi.json',
    '',
  ].join('\n');
}
