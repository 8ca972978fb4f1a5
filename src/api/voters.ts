/**
 * The paths by which voters talk to each other (seed 002): the type of a message is its path. A body has the sender
 * (`voterId`, `voterUrl`) and the message's own fields. The protocol's immediate reply is the answer.
 */
import {
  asObject,
  described,
  flag,
  type MemberId,
  type Message,
  named,
  optional,
  record,
  type Shape,
  writtenId,
} from '../core/index.ts';
import { type Call, knownElection, messagesOf, openElection } from './call.ts';
import { removeVoter } from './commands.ts';
import { HttpError } from './http-error.ts';
import { type ElectionPort, type Refusal, RefusedMessage, removedWords } from './port.ts';
import { sendEmpty, sendJson } from './reply.ts';
import { statusOf } from './status.ts';
import { voterUrl as urlShape } from './urls.ts';

/** The fields of every message that name its sender. */
export const sender: { readonly voterId: Shape<MemberId>; readonly voterUrl: Shape<string | undefined> } = {
  voterId: writtenId,
  voterUrl: optional(
    described(urlShape, 'Where a voter answers, such as http://127.0.0.1:8008, without a slash at the end.'),
  ),
};

interface Registration {
  readonly voterId: MemberId;
  readonly voterUrl: string;
  readonly again?: boolean | undefined;
}

export const registration: Shape<Registration> = named(
  'Register',
  record<Registration>({
    voterId: writtenId,
    voterUrl: urlShape,
    again: optional(
      described(flag, 'It takes part already, and makes itself known to a voter that may not know it.'),
    ),
  }),
);

export const removal: Shape<{ readonly voterId: MemberId }> = named(
  'Remove',
  record({ voterId: described(writtenId, 'The voter to remove.') }),
);

/**
 * "Register a new voter." The answer has everything that the new voter needs: this voter, the leader, and the URLs of
 * all others. A voter may reach itself through a name with several addresses; it notices that by the id in the
 * answer.
 */
export function register(call: Call, body: unknown): void {
  const { member, response } = call;
  const messages = messagesOf(call);
  const name = call.member.definition?.name ?? 'on a store';
  if (!Object.hasOwn(messages, 'register')) {
    throw new HttpError(409, 'E_REFUSED', `the voters of ${name} are those that are configured`);
  }
  const { voterId: id, voterUrl: url, again } = registration.read(body, '');
  refuseOther(call, id);
  if (id === member.id) {
    if (url !== member.url.replace(/\/+$/, '')) refuseOwnId(call, url);
    sendJson(response, 200, statusOf(member, openElection(call)));
    return;
  }
  const registered = member.registerVoter({ id, url });
  if (!registered.accepted) {
    if (registered.isTooFast) {
      tell(call, 'too-fast', registered.reason);
      throw new HttpError(429, 'E_REFUSED', registered.reason);
    }
    member.countRefusal('unknown-member');
    throw new HttpError(403, 'E_REFUSED', registered.reason);
  }
  const election = openElection(call);
  const sent = { type: 'register', voterUrl: url, ...(again === undefined ? {} : { again }) };
  const answers = hear(call, election, id, sent);
  if (!answers.some(({ type }) => type === 'register/answer'))
    throw new HttpError(409, 'E_REFUSED', `${member.id} takes no part: ${statusOf(member, election).detail}`);
  const status = statusOf(member, election);
  sendJson(response, 200, { ...merge('register', answers), ...status });
}

/** Is a body for /remove a command of an operator? */
export function isRemoval(call: Call, body: unknown): boolean {
  return asObject(body, '').voterUrl === undefined || !hasMessage(call, 'remove');
}

/**
 * "Remove a voter": `voterId` is the one to remove. Another voter that sends this adds its own `voterUrl`; a body
 * without one comes from a person and is a command, as it always is if the protocol has no such message.
 */
export async function remove(call: Call, body: unknown): Promise<void> {
  const { voterUrl, ...own } = asObject(body, '');
  if (isRemoval(call, body)) return removeVoter(call, removal.read(own, '').voterId);
  const url = urlShape.read(voterUrl, 'voterUrl');
  const sender = call.member.voters.find((voter) => voter.url.replace(/\/+$/, '') === url);
  if (sender === undefined) refuseUnknown(call, url);
  refuseOther(call, sender.id);
  refuseLinked(call, sender.id);
  answerMessage(call, sender.id, 'remove', own);
}

/** Any other message of the protocol. */
export function message(call: Call, body: unknown, type: string): void {
  const { voterId, voterUrl, ...own } = asObject(body, '');
  const id = writtenId.read(voterId, 'voterId');
  if (voterUrl !== undefined) urlShape.read(voterUrl, 'voterUrl');
  if (id === call.member.id) refuseOwnId(call, typeof voterUrl === 'string' ? voterUrl : 'somewhere');
  refuseOther(call, id);
  refuseRemoved(call, id);
  refuseLinked(call, id);
  answerMessage(call, id, type, own);
}

/** "Get the current leader, and the list of voters", with the protocol's own fields. */
export function getStatus(call: Call): void {
  const election = knownElection(call);
  const asks = hasMessage(call, 'status');
  const answers = asks ? election.ask('status') : [];
  const status = statusOf(call.member, election);
  sendJson(call.response, 200, { ...merge('status', answers), ...status });
}

function answerMessage(call: Call, from: MemberId, type: string, own: Record<string, unknown>): void {
  const { member, response } = call;
  // A message by POST opens no election: members that need a vote ask over their connections.
  const answers = hear(call, knownElection(call), from, { ...own, type });
  if (answers.length === 0) return sendEmpty(response, 204);
  sendJson(response, 200, { voterId: member.id, voterUrl: member.url, ...merge(type, answers) });
}

function hear(call: Call, election: ElectionPort, from: MemberId, said: Message): readonly Message[] {
  try {
    const answers = election.receive(from, said);
    call.member.heardByPost?.(from);
    return answers;
  } catch (error) {
    if (!(error instanceof RefusedMessage)) throw error;
    const { kind, message: why } = error;
    if (kind === 'unknown-member') refuseUnknown(call, String(from));
    tell(call, kind, `a message that came by POST from member ${from} is refused: ${why}`);
    if (kind === 'bad-shape') throw error.cause;
    throw new HttpError(kind === 'too-fast' ? 429 : 409, 'E_REFUSED', why);
  }
}

/** A voter that is authenticated speaks only for itself. */
export function refuseOther(call: Call, id: MemberId): void {
  const { claim } = call.entry;
  if (claim === null || claim.id === id) return;
  const reason = `this is the proof of ${claim.id}, and the message is that of ${id}`;
  tell(call, 'unauthorized', reason);
  throw new HttpError(403, 'E_OTHER_VOTER', reason);
}

/**
 * A connected member sends everything over that connection. A sender that uses POST under its id is another process.
 */
function refuseLinked(call: Call, id: MemberId): void {
  if (!call.member.links.some((link) => link.id === id && link.via === 'link')) return;
  const reason = `member ${id} is connected and sends nothing by POST`;
  tell(call, 'linked', `${reason}, but ${call.request.socket.remoteAddress} uses its id`);
  throw new HttpError(409, 'E_LINKED', reason);
}

/** A process that was a member learns that it was removed, and can stop. */
function refuseRemoved(call: Call, id: MemberId): void {
  if (call.member.membership?.isRemoved(id) !== true) return;
  const reason = removedWords(call.member.id, id);
  tell(call, 'removed', reason);
  throw new HttpError(410, 'E_REMOVED', reason);
}

function tell({ member, request }: Call, kind: Refusal, reason: string): void {
  member.countRefusal(kind, { from: request.socket.remoteAddress ?? '', reason });
}

function hasMessage(call: Call, type: string): boolean {
  return Object.hasOwn(messagesOf(call), type);
}

/** The answer to a message becomes the body. Other messages to that voter go under `messages`. */
function merge(type: string, answers: readonly Message[]): Record<string, unknown> {
  const at = answers.findIndex((each) => each.type === `${type}/answer`);
  const { type: _, ...fields } = answers[at] ?? { type };
  const others = answers.filter((_answer, i) => i !== at);
  return others.length === 0 ? fields : { ...fields, messages: others };
}

function refuseUnknown({ member }: Call, who: string): never {
  member.countRefusal('unknown-member');
  throw new HttpError(
    403,
    'E_UNKNOWN_MEMBER',
    `${who} is not a voter that this member knows; register it first`,
  );
}

function refuseOwnId({ member }: Call, url: string): never {
  member.countRefusal('same-id');
  throw new HttpError(
    409,
    'E_SAME_ID',
    `${url} uses the id ${member.id}, which is that of this member at ${member.url}`,
  );
}
