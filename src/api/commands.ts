/** The commands that a user may give a member: start an election, resign, transfer, publish, add and remove voters. */
import {
  anyJson,
  type Command,
  described,
  electionName,
  type Json,
  type MemberId,
  named,
  type Outcome,
  optional,
  record,
  type Shape,
  writtenId,
} from '../core/index.ts';
import { isReserved } from '../leases/index.ts';
import { isRecord } from '../once/index.ts';
import { isOfPartition } from '../shards/index.ts';
import { type Call, knownElection, openElection } from './call.ts';
import { HttpError } from './http-error.ts';
import type { ElectionPort } from './port.ts';
import { sendJson } from './reply.ts';
import { statusOf, tokenText, urlOf } from './status.ts';
import { status, type Value, value } from './wire/documents.ts';

export interface CommandRoute {
  readonly method: 'POST' | 'PUT';
  readonly summary: string;
  readonly request: Shape<object>;
  readonly answer: Shape<unknown>;
  /** The HTTP status of a refusal. */
  readonly refused: 409 | 412;
  readonly handler: (call: Call, body: unknown) => Promise<void>;
}

const empty: Shape<object> = named('Empty', record({}));

interface Transfer {
  readonly to?: MemberId | undefined;
  readonly candidate?: MemberId | undefined;
  readonly leader?: MemberId | undefined;
}

const transferBody: Shape<Transfer> = named(
  'Transfer',
  record<Transfer>({
    to: optional(described(writtenId, 'The next leader.')),
    candidate: optional(described(writtenId, "The same, by Patroni's name for it.")),
    leader: optional(described(writtenId, 'The current leader; if it is not, the command is refused.')),
  }),
);

const newValue: Shape<{ readonly value: Json }> = named(
  'NewValue',
  record({ value: described(anyJson, 'Any JSON of at most 64 KiB.') }),
);

/** By path. A path may also be that of a message: a body with a `voterId` is the message. */
export const commands: Readonly<Record<string, CommandRoute>> = {
  '/election/start': {
    method: 'POST',
    summary: 'Starts an election',
    request: empty,
    answer: status,
    refused: 409,
    handler: campaign,
  },
  '/resign': {
    method: 'POST',
    summary: 'Resigns, so that another member may take over at once',
    request: empty,
    answer: status,
    refused: 409,
    handler: resign,
  },
  '/transfer': {
    method: 'POST',
    summary: 'Transfers the leadership to `to`',
    request: transferBody,
    answer: status,
    refused: 412,
    handler: transfer,
  },
  '/switchover': {
    method: 'POST',
    summary: 'The same, as Patroni has it: to `candidate`',
    request: transferBody,
    answer: status,
    refused: 412,
    handler: transfer,
  },
  '/value': {
    method: 'PUT',
    summary: 'Publishes a value, if this member leads',
    request: newValue,
    answer: value,
    refused: 409,
    handler: putValue,
  },
};

/** "Start an Election … Any voter can call an election", and so can any client. */
async function campaign(call: Call, body: unknown): Promise<void> {
  empty.read(body, '');
  electionName.read(call.electionName, 'election');
  // If candidates have a priority, a member is no candidate in an election that its program never opened; such an
  // election is not opened only to refuse this.
  const election =
    call.member.definition?.memberSettings === undefined ? openElection(call) : knownElection(call);
  await carryOut(call, election, { type: 'campaign' }, 409);
  sendJson(call.response, 200, statusOf(call.member, election));
}

async function resign(call: Call, body: unknown): Promise<void> {
  empty.read(body, '');
  const election = knownElection(call);
  await carryOut(call, election, { type: 'resign' }, 409);
  sendJson(call.response, 200, statusOf(call.member, election));
}

/**
 * `to`, or Patroni's `candidate`, is the next leader; `leader`, if it is given, must be the current one. Anything
 * that prevents the transfer is a failed precondition.
 */
async function transfer(call: Call, body: unknown): Promise<void> {
  const asked = transferBody.read(body, '');
  const election = knownElection(call);
  const to = writtenId.read(asked.to ?? asked.candidate, 'to');
  const { leader } = election.view;
  if (asked.leader !== undefined && asked.leader !== leader) {
    const now = leader === null ? 'there is no leader' : `${leader} leads`;
    throw refusal(412, call, election, `leader: expected ${asked.leader}, but ${now}`);
  }
  await carryOut(call, election, { type: 'transfer', to }, 412);
  sendJson(call.response, 200, statusOf(call.member, election));
}

/** An operator removes a voter. (A voter that does so itself sends a message; see voters.ts.) */
export async function removeVoter(call: Call, member: MemberId): Promise<void> {
  if (call.member.membership != null) {
    const reason = `all elections have the members of the cluster: remove ${member} from it, by POST /members/remove or caucus member remove ${member}`;
    throw new HttpError(409, 'E_REFUSED', reason);
  }
  const election = knownElection(call);
  await carryOut(call, election, { type: 'remove', member }, 409);
  sendJson(call.response, 200, statusOf(call.member, election));
}

async function putValue(call: Call, body: unknown): Promise<void> {
  const { value } = newValue.read(body, '');
  const election = knownElection(call);
  if (isReserved(election.name))
    throw refusal(
      409,
      call,
      election,
      `the register of ${election.name} is written by the lease manager alone`,
    );
  const recorded = isRecord(election.view.value)
    ? 'occasions'
    : isOfPartition(election.view.value)
      ? 'shards'
      : null;
  if (recorded !== null) {
    const why = `${election.name} records ${recorded}; use another election for values`;
    throw refusal(409, call, election, why);
  }
  await carryOut(call, election, { type: 'publish', value }, 409);
  getValue(call);
}

export function getValue(call: Call): void {
  const election = knownElection(call);
  const { leader, value, version } = election.view;
  const document: Value = {
    electionName: election.name,
    leader,
    token: tokenText(election.token),
    version,
    value,
  };
  sendJson(call.response, 200, document);
}

/** Settles once the command is carried out; throws if it was refused or failed. */
async function carryOut(
  call: Call,
  election: ElectionPort,
  command: Command,
  refused: number,
): Promise<void> {
  const outcome: Outcome = await election.command(command);
  const { by, from } = call.entry;
  const said = outcome.status === 'done' ? 'done' : `${outcome.status}: ${outcome.reason}`;
  call.acts.add({ electionName: election.name, by, from, what: wordsOf(command), outcome: said });
  if (outcome.status === 'done') return;
  if (outcome.status === 'refused') throw refusal(refused, call, election, outcome.reason);
  throw new HttpError(503, 'E_FAILED', outcome.reason, { details: { outcome: outcome.effect } });
}

/** A published value may be large, and need not be for the readers of a log. */
function wordsOf(command: Command): string {
  if (command.type === 'transfer') return `transfer to ${command.to}`;
  return 'member' in command ? `${command.type} ${command.member}` : command.type;
}

/** A refusal names the leader and its URL, so that the caller can ask there. */
function refusal(status: number, { member }: Call, election: ElectionPort, reason: string): HttpError {
  const { leader } = election.view;
  const details = { outcome: 'definite', leader, leaderUrl: urlOf(member, leader) };
  return new HttpError(status, status === 412 ? 'E_PRECONDITION' : 'E_REFUSED', reason, { details });
}
