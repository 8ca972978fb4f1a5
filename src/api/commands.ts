/** What a user may ask of a member: to start an election, resign, hand over, publish, add and remove voters. */
import {
  anyJson,
  type Command,
  electionName,
  type MemberId,
  type Outcome,
  writtenId,
} from '../core/index.ts';
import { fieldsOf, onlyFields } from './body.ts';
import { type Call, knownElection, messagesOf, openElection } from './call.ts';
import { HttpError } from './http-error.ts';
import type { ElectionPort } from './port.ts';
import { sendJson } from './reply.ts';
import { statusOf, tokenText, urlOf } from './status.ts';

export type CommandHandler = (call: Call, body: unknown) => Promise<void>;

export const commands: Readonly<Record<string, CommandHandler>> = {
  '/election/start': campaign,
  '/resign': resign,
  '/transfer': transfer,
  /** Patroni's name for it, with Patroni's fields. */
  '/switchover': transfer,
};

/** "Start an Election … Any voter can call an election", and so can anybody outside. */
async function campaign(call: Call, body: unknown): Promise<void> {
  onlyFields(fieldsOf(body), []);
  electionName.read(call.electionName, 'election');
  // Where members stand with a priority, none stands in an election that its program never spoke of; it is not opened to say so.
  const election =
    call.member.definition?.memberSettings === undefined ? openElection(call) : knownElection(call);
  await carryOut(call, election, { type: 'campaign' }, 409);
  sendJson(call.response, 200, statusOf(call.member, election));
}

async function resign(call: Call, body: unknown): Promise<void> {
  onlyFields(fieldsOf(body), []);
  const election = knownElection(call);
  await carryOut(call, election, { type: 'resign' }, 409);
  sendJson(call.response, 200, statusOf(call.member, election));
}

/**
 * `to`, or Patroni's `candidate`, is who shall lead; `leader`, if it is given, who must be leading now. Whatever is not as it has
 * to be for that is a precondition that failed.
 */
async function transfer(call: Call, body: unknown): Promise<void> {
  const fields = fieldsOf(body);
  onlyFields(fields, ['to', 'candidate', 'leader']);
  const election = knownElection(call);
  const to = writtenId.read(fields.to ?? fields.candidate, 'to');
  const { leader } = election.view;
  if (fields.leader !== undefined) {
    const expected = writtenId.read(fields.leader, 'leader');
    if (leader !== expected) {
      const now = leader === null ? 'nobody leads' : `${leader} leads`;
      throw refusal(412, call, election, `leader: expected ${expected}, but ${now}`);
    }
  }
  await carryOut(call, election, { type: 'transfer', to }, 412);
  sendJson(call.response, 200, statusOf(call.member, election));
}

/** An operator adds or removes a voter. (A voter that says so itself sends a message; see voters.ts.) */
export async function changeVoters(call: Call, type: 'add' | 'remove', member: MemberId): Promise<void> {
  const election = knownElection(call);
  await carryOut(call, election, { type, member }, 409);
  const isFixed = !Object.hasOwn(messagesOf(call), 'register');
  const warning = type === 'remove' && isFixed ? { warning: forEver(member, election.name) } : {};
  sendJson(call.response, 200, { ...statusOf(call.member, election), ...warning });
}

/** Nothing adds a member yet, so people have to know that there is no way back. */
function forEver(member: MemberId, election: string): string {
  return `${member} is removed from the election ${election} for ever: this version cannot add members, so ${member} cannot come back under that name, with its data folder or an empty one`;
}

export async function putValue(call: Call, body: unknown): Promise<void> {
  const fields = fieldsOf(body);
  onlyFields(fields, ['value']);
  const value = anyJson.read(fields.value, 'value');
  const election = knownElection(call);
  await carryOut(call, election, { type: 'publish', value }, 409);
  getValue(call);
}

export function getValue(call: Call): void {
  const election = knownElection(call);
  const { leader, value, version } = election.view;
  sendJson(call.response, 200, {
    electionName: election.name,
    leader,
    token: tokenText(election.token),
    version,
    value,
  });
}

/** Settles once the command is carried out, and throws what became of it otherwise. */
async function carryOut(
  call: Call,
  election: ElectionPort,
  command: Command,
  refused: number,
): Promise<void> {
  const outcome: Outcome = await election.command(command);
  if (outcome.status === 'done') return;
  if (outcome.status === 'refused') throw refusal(refused, call, election, outcome.reason);
  throw new HttpError(503, 'E_FAILED', outcome.reason, { details: { outcome: outcome.effect } });
}

/** A refusal says who leads and where, so that a caller that asked the wrong member knows where to go. */
function refusal(status: number, { member }: Call, election: ElectionPort, reason: string): HttpError {
  const { leader } = election.view;
  const details = { outcome: 'definite', leader, leaderUrl: urlOf(member, leader) };
  return new HttpError(status, status === 412 ? 'E_PRECONDITION' : 'E_REFUSED', reason, { details });
}
