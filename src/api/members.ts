/**
 * The members of the cluster: who they are, and the commands that add, remove and replace one. The leader of the main
 * election carries these out; every other member refuses them and names it.
 */
import {
  anyJson,
  described,
  flag,
  type Json,
  type MemberId,
  named,
  type Outcome,
  optional,
  record,
  type Shape,
  writtenId,
} from '../core/index.ts';
import type { Call } from './call.ts';
import { HttpError } from './http-error.ts';
import type { MemberPort, MembershipPort, TimingPort } from './port.ts';
import { sendJson } from './reply.ts';
import { urlOf } from './status.ts';
import { voterUrl } from './urls.ts';
import { type Membership, type MembershipEntry, membership, type TimingStatus } from './wire/membership.ts';
import { witnessAnswer, witnessRequest } from './wire/witness.ts';
import { hearWitness } from './witnesses.ts';

/** A command to a member that concerns all its elections. */
export interface MemberCommand {
  readonly summary: string;
  /** What it is in the description of the API; a command of an operator if omitted. */
  readonly tag?: 'message';
  readonly request: Shape<object>;
  readonly answer: Shape<unknown>;
  readonly handler: (call: Call, body: unknown) => Promise<void>;
}

const memberUrl = described(voterUrl, 'Where the other members reach it, such as http://10.0.0.4:7101.');
const force = optional(
  described(
    flag,
    'Also if too few of the members that would be left answer now. The cluster may then stand still.',
  ),
);

const addition: Shape<{ readonly voterId: MemberId; readonly voterUrl: string }> = named(
  'AddMember',
  record({ voterId: described(writtenId, 'The new member.'), voterUrl: memberUrl }),
);

const removal: Shape<{ readonly voterId: MemberId; readonly force?: boolean | undefined }> = named(
  'RemoveMember',
  record<{ voterId: MemberId; force?: boolean | undefined }>({
    voterId: described(writtenId, 'The member to remove.'),
    force,
  }),
);

interface Replacement {
  readonly voterId: MemberId;
  readonly by: MemberId;
  readonly voterUrl: string;
  readonly force?: boolean | undefined;
}

const replacement: Shape<Replacement> = named(
  'ReplaceMember',
  record<Replacement>({
    voterId: described(writtenId, 'The member to remove, once the new one has its seat.'),
    by: described(writtenId, 'The new member.'),
    voterUrl: memberUrl,
    force,
  }),
);

const draining: Shape<{ readonly undo?: boolean | undefined }> = named(
  'Drain',
  record<{ undo?: boolean | undefined }>({ undo: optional(described(flag, 'It may lead again.')) }),
);

interface Wanted {
  readonly timing?: Json | undefined;
  readonly options?: Json | undefined;
}

const reconfiguration: Shape<Wanted> = named(
  'Reconfigure',
  record<Wanted>({
    timing: described(
      optional(anyJson),
      'A preset (steady, lan, wan, fast, or default), or times by name, as in {"timeoutMs": [1500, 3000]}, which replace those that hold now; null for a time: as the preset has it.',
    ),
    options: described(
      optional(anyJson),
      'Options by name, as in {"maxDrift": 0.05}; null: as each member is configured.',
    ),
  }),
);

const empty: Shape<object> = named('Nothing', record({}));

/** By path; all by POST. */
export const MEMBER_COMMANDS: Readonly<Record<string, MemberCommand>> = {
  '/members/add': {
    summary: 'Adds a member to the cluster, and so to all elections',
    request: addition,
    answer: membership,
    handler: (call, body) => {
      const { voterId: id, voterUrl: url } = addition.read(body, '');
      return change(call, `add member ${id} at ${url}`, (members) => members.add({ id, url }));
    },
  },
  '/members/remove': {
    summary: 'Removes a member from the cluster, and so from all elections',
    request: removal,
    answer: membership,
    handler: (call, body) => {
      const { voterId: id, force: isForced = false } = removal.read(body, '');
      const what = `remove member ${id}${isForced ? ' by force' : ''}`;
      return change(call, what, (members) => members.remove(id, isForced));
    },
  },
  '/members/replace': {
    summary: 'Adds a member, and when it has its seat removes another',
    request: replacement,
    answer: membership,
    handler: (call, body) => {
      const { voterId: old, by: id, voterUrl: url, force: isForced = false } = replacement.read(body, '');
      return change(call, `replace member ${old} by ${id} at ${url}`, (members) =>
        members.replace(old, { id, url }, isForced),
      );
    },
  },
  '/drain': {
    summary: 'This member hands over all that it leads, and leads nothing until `undo` or a restart',
    request: draining,
    answer: membership,
    handler: async (call, body) => {
      const { undo = false } = draining.read(body, '');
      await membershipOf(call).drain(!undo);
      note(call, undo ? 'end the drain' : 'drain', { status: 'done' });
      getMembers(call);
    },
  },
  '/pause': {
    summary:
      'No member takes over a leadership, also of a leader that has died, until `/resume`; leaders go on',
    request: empty,
    answer: membership,
    handler: (call, body) => {
      empty.read(body, '');
      return change(call, 'pause takeovers', (members) => members.pause(true));
    },
  },
  '/reconfigure': {
    summary: 'Sets other times, or options, for all members of the cluster, while it runs',
    request: reconfiguration,
    answer: membership,
    handler: (call, body) => {
      const wanted = reconfiguration.read(body, '');
      const named = Object.entries(wanted).filter(([, value]) => value !== undefined);
      const what = `set the ${named.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(' and the ')}`;
      return change(call, what, (members) => members.reconfigure(wanted));
    },
  },
  '/witness': {
    summary:
      'Registers a witness (`caucus witness`), and takes its reports of processes of its host that are dead',
    tag: 'message',
    request: witnessRequest,
    answer: witnessAnswer,
    handler: hearWitness,
  },
  '/resume': {
    summary: 'Ends the pause',
    request: empty,
    answer: membership,
    handler: (call, body) => {
      empty.read(body, '');
      return change(call, 'resume takeovers', (members) => members.pause(false));
    },
  },
};

export function getMembers(call: Call): void {
  sendJson(call.response, 200, membersOf(call.member, membershipOf(call, 404)));
}

function membersOf(member: MemberPort, port: MembershipPort): Membership {
  const main = member.electionPort(member.mainElection);
  const { leader } = port;
  const entryOf = ({ id, url, votes }: NonNullable<MembershipPort['members']>[number]): MembershipEntry => {
    const isSelf = id === member.id;
    const isLinked = member.links.some((link) => link.id === id && link.via !== 'none');
    return {
      voterId: id,
      voterUrl: isSelf ? member.url : url === '' ? null : url,
      votes,
      healthy: isSelf ? member.illness === null : isLinked,
      leader: id === leader,
      lastHeartBeatMs: main.heardAtMs?.(id) ?? null,
    };
  };
  return {
    voterId: member.id,
    cluster: member.cluster,
    electionName: member.mainElection,
    leader,
    leaderUrl: urlOf(member, leader),
    members: (port.members ?? []).map(entryOf),
    removed: port.removed,
    pending: member.elections.flatMap(({ name }) => port.pendingIn(name)),
    difference: port.difference,
    drained: port.isDrained,
    paused: port.isPaused,
    timing: timingStatus(port.timing),
  };
}

function timingStatus({ words, times, isSet }: TimingPort): TimingStatus {
  return { words, times, set: isSet };
}

function membershipOf({ member }: Call, status: 404 | 409 = 409): MembershipPort {
  if (member.membership != null) return member.membership;
  const held = member.definition?.name ?? 'a store';
  throw new HttpError(
    status,
    status === 404 ? 'E_NOT_FOUND' : 'E_REFUSED',
    `the members of an election on ${held} cannot be changed like this`,
  );
}

async function change(
  call: Call,
  what: string,
  make: (members: MembershipPort) => Promise<Outcome>,
): Promise<void> {
  const outcome = await make(membershipOf(call));
  note(call, what, outcome);
  if (outcome.status === 'done') return getMembers(call);
  const { member } = call;
  const { leader } = membershipOf(call);
  const details = { leader, leaderUrl: urlOf(member, leader) };
  if (outcome.status === 'refused')
    throw new HttpError(409, 'E_REFUSED', outcome.reason, { details: { outcome: 'definite', ...details } });
  throw new HttpError(503, 'E_FAILED', outcome.reason, { details: { outcome: outcome.effect } });
}

function note({ acts, entry, member }: Call, what: string, outcome: Outcome): void {
  const said = outcome.status === 'done' ? 'done' : `${outcome.status}: ${outcome.reason}`;
  acts.add({ electionName: member.mainElection, by: entry.by, from: entry.from, what, outcome: said });
}
