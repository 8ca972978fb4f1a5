/**
 * The documents that members answer with. Each is one shape: the server writes it, the command and the page read it,
 * and the description of the API (`/openapi.json`) is derived from it. All are open: a reader ignores unknown fields.
 */
import {
  anyJson,
  anyText,
  CAUSES,
  type ClusterRecovery,
  choice,
  clusterRecovery,
  described,
  flag,
  type Json,
  listOf,
  type MemberId,
  matching,
  named,
  natural,
  nullable,
  number,
  openRecord,
  optional,
  type Role,
  type Shape,
} from '../../core/index.ts';
import { type Certificate, certificate } from './certificate.ts';
import { name } from './name.ts';

/** A voter and its URL. */
export interface Voter {
  readonly voterId: MemberId;
  readonly voterUrl: string;
  /** When it was last heard, in milliseconds since 1970; null for this member itself and for one that was not heard. */
  readonly lastHeartBeatMs?: number | null | undefined;
  readonly configured?: boolean | undefined;
}

/** The state of an election, as one member knows it: each event of `/watch`. */
export interface State extends Pick<Voter, 'voterId' | 'voterUrl'> {
  readonly cluster: string;
  readonly electionName: string;
  readonly protocol: string;
  readonly role: Role;
  /** May this member act now? */
  readonly acting: boolean;
  readonly leader: MemberId | null;
  readonly leaderUrl: string | null;
  readonly term: number | null;
  /** In decimal, as text: many JSON readers would round a number. */
  readonly token: string | null;
  readonly version: number;
  readonly knownVoters: readonly MemberId[];
  readonly voters: readonly Voter[];
  /** What is missing before a leader can be elected, for people; null if nothing is. */
  readonly missing?: string | null | undefined;
  /** What the election lacks to have the members of the cluster, for people. */
  readonly pending?: readonly string[] | undefined;
  /** Does this member lead nothing because an operator said so? */
  readonly drained?: boolean | undefined;
  /** Does no member take over because an operator said so? */
  readonly paused?: boolean | undefined;
  /** The times of the cluster, as this member knows them, for people. */
  readonly timing?: string | undefined;
  /** Those that this member is configured with. */
  readonly configuredTiming?: string | undefined;
  /** One of CAUSES; a later version may add some. */
  readonly cause: string;
  readonly detail: string;
  readonly illness: string | null;
  readonly incarnation: number;
  readonly startedAtMs: number;
}

/** The answer of `/status`. The remaining lease time and the time of day change constantly, so `/watch` omits them. */
export interface Status extends State {
  readonly expiresInMs: number | null;
  /** By the wall clock of this member; members of earlier versions do not tell it. */
  readonly nowMs?: number | undefined;
  readonly certificate?: Certificate | undefined;
  /** Only in a cluster that was recovered. */
  readonly recovery?: ClusterRecovery | undefined;
}

/** What every voter answers at `/status`, also one that is written in another language. */
export interface VoterStatus extends Partial<Status> {
  readonly role: Role;
  readonly leader: MemberId | null;
}

/** `GET /`: the status with the fields of the leader-election sidecars of Kubernetes. */
export interface FrontPage extends Status {
  readonly name: string;
  readonly last_update: string;
}

export interface ClusterMember {
  readonly name: string;
  readonly role: 'leader' | 'replica' | 'none';
  readonly state: 'running' | 'ill' | 'unknown';
  readonly api_url: string;
  readonly via: 'self' | 'link' | 'post' | 'none';
  readonly roundTripMs: number | null;
  readonly queued: number;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly timeline?: number | undefined;
}

export interface Cluster {
  readonly scope: string;
  readonly electionName: string;
  readonly leader: MemberId | null;
  readonly term: number | null;
  readonly token: string | null;
  readonly members: readonly ClusterMember[];
}

export interface ElectionEntry {
  readonly electionName: string;
  readonly protocol: string;
  readonly leader: MemberId | null;
  readonly term: number | null;
  readonly token: string | null;
  readonly acting: boolean;
  /** Since when the member has known this leader, or that there is none. Members of earlier versions do not tell it. */
  readonly sinceMs?: number | null | undefined;
}

export interface ElectionList {
  readonly mainElection: string;
  readonly elections: readonly ElectionEntry[];
}

export interface Value {
  readonly electionName: string;
  readonly leader: MemberId | null;
  readonly token: string | null;
  readonly version: number;
  readonly value: Json;
}

/** The range of JavaScript dates, in milliseconds since 1970. */
const LAST_MS = 8.64e15;
export const wallMs: Shape<number> = described(number(-LAST_MS, LAST_MS), 'Milliseconds since 1970.');
const url = described(
  anyText,
  'Where a voter answers, such as http://127.0.0.1:8008, without a slash at the end.',
);
export const leader: Shape<MemberId | null> = nullable(name);
export const leaderUrl: Shape<string | null> = described(nullable(anyText), 'The URL of the leader.');
const term = described(nullable(natural), 'Of the leader; null where the protocol has no terms.');
export const token: Shape<string | null> = described(
  nullable(matching(/^[0-9]+$/, 'a token in decimal, as text')),
  'The fencing token of the leader, in decimal; null where there is no leader or the protocol has no terms.',
);
export const cause: Shape<string> = described(
  anyText,
  `Why it changed: ${CAUSES.join(', ')}. Words may be added; none ever changes.`,
);
export const detail: Shape<string> = described(anyText, 'The cause for people.');
export const electionName: Shape<string> = described(anyText, 'Which election this is about.');
const acting = described(flag, 'May this member act as the leader now?');
const protocol = described(anyText, 'The protocol (quorum, draw, bully), or the store.');
const role = choice('leader', 'follower', 'candidate', 'none');

const voterFields = { voterId: name, voterUrl: url };
export const voter: Shape<Voter> = named(
  'Voter',
  openRecord<Voter>({
    ...voterFields,
    configured: optional(described(flag, 'Is it configured? Send no token to one that is not.')),
    lastHeartBeatMs: optional(
      described(
        nullable(wallMs),
        'When it was last heard, in milliseconds since 1970; null for the answering voter itself, and for one that it has not heard. `/watch` omits it.',
      ),
    ),
  }),
);

const stateFields: { readonly [K in keyof State]-?: Shape<State[K]> } = {
  ...voterFields,
  cluster: described(anyText, 'The name of the cluster; members of another one are refused.'),
  electionName,
  protocol,
  role,
  acting,
  leader,
  leaderUrl,
  term,
  token,
  version: described(natural, 'Of the published value; 0 if there is none.'),
  knownVoters: described(listOf(name), 'The ids of the voters, sorted.'),
  voters: described(listOf(voter), 'All voters, with their URLs.'),
  missing: optional(
    described(nullable(anyText), 'What is missing before a leader can be elected; null if nothing is.'),
  ),
  pending: optional(
    described(
      listOf(anyText),
      'Changes of the members of the cluster that this election has not made yet, for people.',
    ),
  ),
  paused: optional(described(flag, 'Does no member take over, because an operator has paused takeovers?')),
  timing: optional(described(anyText, 'The times of the cluster, as this member knows them, for people.')),
  configuredTiming: optional(described(anyText, 'The times that this member is configured with.')),
  drained: optional(described(flag, 'Does this member lead nothing, because an operator drains it?')),
  cause,
  detail,
  illness: described(nullable(anyText), 'Why this member cannot do its part, or null.'),
  incarnation: described(natural, 'Grows by one with every start on the same data folder.'),
  startedAtMs: wallMs,
};
export const state: Shape<State> = named('State', openRecord<State>(stateFields));

const statusFields: { readonly [K in keyof Status]-?: Shape<Status[K]> } = {
  ...stateFields,
  expiresInMs: described(
    nullable(number(0, LAST_MS)),
    'How long it may still act without an answer of the others; null if it may not act, or has no lease.',
  ),
  nowMs: optional(
    described(
      wallMs,
      'Now, by the wall clock of this member, in milliseconds since 1970: clocks can be compared.',
    ),
  ),
  certificate: optional(described(certificate, 'Only with TLS: how long its certificate lasts.')),
  recovery: optional(
    described(clusterRecovery, 'Only in a cluster that was recovered (`caucus recover`): which recovery.'),
  ),
};
export const status: Shape<Status> = named('Status', openRecord<Status>(statusFields));

const partialFields = Object.fromEntries(
  Object.entries(statusFields).map(([name, each]) => [name, optional<unknown>(each)]),
) as unknown as { readonly [K in keyof VoterStatus]-?: Shape<VoterStatus[K]> };
export const voterStatus: Shape<VoterStatus> = openRecord<VoterStatus>({ ...partialFields, role, leader });

export const frontPage: Shape<FrontPage> = named(
  'FrontPage',
  openRecord<FrontPage>({
    name: described(anyText, 'The leader; empty if there is none.'),
    last_update: described(anyText, 'When the leader last changed.'),
    ...statusFields,
  }),
);

export const clusterMember: Shape<ClusterMember> = named(
  'ClusterMember',
  openRecord<ClusterMember>({
    name: described(anyText, 'Its id.'),
    role: described(
      choice('leader', 'replica', 'none'),
      'none: its vote does not count, since it was removed or not added yet.',
    ),
    state: described(choice('running', 'ill', 'unknown'), 'unknown: it cannot be reached from here.'),
    api_url: url,
    via: described(choice('self', 'link', 'post', 'none'), 'How messages reach it.'),
    roundTripMs: described(nullable(number(0, LAST_MS)), 'Of the last message and its answer.'),
    queued: described(natural, 'Messages that wait to be sent to it.'),
    host: optional(described(anyText, 'Of its URL.')),
    port: optional(described(natural, 'Of its URL.')),
    timeline: optional(described(natural, "The term of the leader, by Patroni's name for it.")),
  }),
);

export const cluster: Shape<Cluster> = named(
  'Cluster',
  openRecord<Cluster>({
    scope: described(anyText, 'The name of the cluster.'),
    electionName,
    leader,
    term,
    token,
    members: described(listOf(clusterMember), 'All voters.'),
  }),
);

export const electionEntry: Shape<ElectionEntry> = named(
  'Election',
  openRecord<ElectionEntry>({
    electionName,
    protocol,
    leader,
    term,
    token,
    acting,
    sinceMs: optional(
      described(
        nullable(wallMs),
        'Since when this member has known the leader, or that there is none, in milliseconds since 1970; null if it has seen no change yet.',
      ),
    ),
  }),
);

export const electionList: Shape<ElectionList> = named(
  'Elections',
  openRecord<ElectionList>({
    mainElection: described(anyText, 'The election that paths without a name mean.'),
    elections: described(listOf(electionEntry), 'All elections that this member takes part in.'),
  }),
);

export const value: Shape<Value> = named(
  'Value',
  openRecord<Value>({
    electionName,
    leader,
    token,
    version: described(natural, '0 if nothing was published.'),
    value: described(anyJson, 'What the leader published last.'),
  }),
);
