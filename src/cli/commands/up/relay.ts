/** Passes the page's requests on to a member that answers, so that the page works while any member does. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpError, readJson, refuseForeignPages, sendText } from '../../../api/index.ts';
import { refused, status } from '../../../api/wire/index.ts';
import { askMember, type Said } from './ask-member.ts';
import type { Fleet, FleetMember } from './fleet.ts';

/** Members are on this machine; one that takes longer is paused, and another is asked. */
export const ANSWER_WITHIN_MS = 1000;
/** While the members start, a request waits this long for the first of them. */
const START_WITHIN_MS = 2000;
const TRY_AGAIN_MS = 100;
/** A transfer may take a few timeouts of the protocol. */
const COMMAND_WITHIN_MS = 30_000;

/** The members to ask: first the leader, which knows most. Members that cannot answer are omitted. */
export function likelyMembers({ members }: Fleet): FleetMember[] {
  const order = ['leading', 'up', 'starting'];
  return members
    .filter(({ state }) => order.includes(state))
    .sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
}

/** `etag`: the tag of what the page has already. */
export function relayQuestion(fleet: Fleet, path: string, etag?: string): Promise<Said> {
  return firstAnswer(fleet, ({ url }) => askMember(`${url}${path}`, { etag, withinMs: ANSWER_WITHIN_MS }));
}

/** The state of the election, from the leader if it answers: only the leader knows its remaining lease. */
export async function relayStatus(fleet: Fleet, path: string): Promise<Said> {
  const said = await relayQuestion(fleet, path);
  const leader = leaderIn(fleet, said);
  if (leader === undefined) return said;
  return askMember(`${leader.url}${path}`, { withinMs: ANSWER_WITHIN_MS }).catch(() => said);
}

/**
 * The members as the leader of the election sees them, if it answers: the page shows them beside the state, which is also the
 * leader's, and says which member answers.
 */
export async function relayCluster(fleet: Fleet, path: string): Promise<Said> {
  const said = await relayQuestion(fleet, path.replace(/\/cluster(?=$|\?)/, '/status'));
  const leader = leaderIn(fleet, said);
  const atAny = (): Promise<Said> => relayQuestion(fleet, path);
  if (leader === undefined) return atAny();
  return askMember(`${leader.url}${path}`, { withinMs: ANSWER_WITHIN_MS }).catch(atAny);
}

/** The leader that this state names; undefined if it is the leader's own, or none that runs here is known. */
function leaderIn(fleet: Fleet, said: Said): FleetMember | undefined {
  if (said.status !== 200) return undefined;
  const { acting, leaderUrl } = status.read(JSON.parse(said.text), '');
  return acting ? undefined : likelyMembers(fleet).find(({ url }) => url === leaderUrl);
}

/** A member that does not lead names the leader; that referral is followed once. */
export async function relayCommand(
  fleet: Fleet,
  request: IncomingMessage,
  response: ServerResponse,
  pageUrl: string,
): Promise<void> {
  refuseForeignPages(request, pageUrl);
  const body = JSON.stringify((await readJson(request, () => {})) ?? {});
  const tell = ({ url }: FleetMember): Promise<Said> =>
    askMember(`${url}${request.url}`, { method: 'POST', body, withinMs: COMMAND_WITHIN_MS });
  // A command that may have been carried out is not given to a second member.
  const [first] = likelyMembers(fleet);
  if (first === undefined) throw noAnswer();
  let said = await tell(first).catch(lost);
  const leader = leaderOf(fleet, said);
  if (leader !== undefined && leader !== first) said = await tell(leader).catch(lost);
  sendText(response, said.status, said.type, said.text);
}

async function firstAnswer(fleet: Fleet, ask: (member: FleetMember) => Promise<Said>): Promise<Said> {
  const untilMs = performance.now() + START_WITHIN_MS;
  for (;;) {
    for (const member of likelyMembers(fleet)) {
      try {
        return await ask(member);
      } catch {
        // Another member is asked.
      }
    }
    const isStarting = fleet.members.some(({ state }) => state === 'starting');
    if (!isStarting || performance.now() >= untilMs) throw noAnswer();
    await sleep(TRY_AGAIN_MS);
  }
}

/** Only a referral to a running member of this fleet is followed. */
function leaderOf(fleet: Fleet, { status: code, text }: Said): FleetMember | undefined {
  if (code !== 409 && code !== 412) return undefined;
  const { error } = refused.read(JSON.parse(text), '');
  return likelyMembers(fleet).find(({ url }) => url === error.leaderUrl);
}

function noAnswer(): HttpError {
  return new HttpError(503, 'E_NO_MEMBER', 'no member answers');
}

function lost(): never {
  throw new HttpError(503, 'E_FAILED', 'the member did not answer; the command may have been carried out', {
    details: { outcome: 'indefinite' },
  });
}
