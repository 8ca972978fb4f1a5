/** What a process knows of itself that `/status` does not say, for `caucus doctor`. It never holds a secret. */
import {
  anyJson,
  anyText,
  byMember,
  type ClusterRecovery,
  choice,
  clusterRecovery,
  described,
  flag,
  type Json,
  listOf,
  type MemberId,
  named,
  natural,
  nullable,
  number,
  openRecord,
  optional,
  type Shape,
} from '../../core/index.ts';
import { type Certificate, certificate } from './certificate.ts';
import { name } from './name.ts';

type Settings = Readonly<Record<string, Json>>;

/** How members authenticate each other. */
export interface Authentication {
  readonly by: 'nothing' | 'secret' | 'certificates' | 'both';
  /** Fingerprints of the secrets that are accepted, the preferred one first. */
  readonly secrets: readonly string[];
}

/** Durations in milliseconds, of the last minute. */
export interface Delays {
  readonly worstMs: number;
  /** The last one; null if there was none. */
  readonly lastMs: number | null;
}

/** Why messages do not reach a peer. */
export interface PeerProblem {
  /** `unreachable`: no connection. `refused`: a connection that one of the two processes refused. */
  readonly is: 'unreachable' | 'refused';
  /** Of a refusal: its kind, as the metrics count it. */
  readonly kind: string | null;
  readonly reason: string;
}

export interface PeerDiagnosis {
  readonly voterId: MemberId;
  readonly voterUrl: string;
  readonly via: 'link' | 'post' | 'none';
  readonly roundTripMs: number | null;
  readonly problem: PeerProblem | null;
}

/** Refusals of one kind and from one sender. */
export interface RefusalNote {
  readonly kind: string;
  readonly reason: string;
  readonly count: number;
  readonly lastAtMs: number;
}

export interface ElectionDiagnosis {
  readonly electionName: string;
  readonly protocol: string;
  readonly leader: MemberId | null;
  readonly acting: boolean;
  /** Does this process want to lead? */
  readonly isCandidate: boolean;
  /** Is it led only while the beginning or the end of an occasion is recorded? Earlier releases do not say. */
  readonly recordsOccasions?: boolean | undefined;
  /** The members that vote, as this one knows them; null where the members cannot change. */
  readonly voted: readonly MemberId[] | null;
  readonly configured: readonly MemberId[];
  /** The leaderships that began in the last 15 minutes, as this process saw it. */
  readonly leaderships: number;
  /** Why leaderships ended in that time. */
  readonly ends: readonly { readonly cause: string; readonly count: number }[];
}

/** What only the process itself can tell: the part of a diagnosis that a member adds to what its API knows. */
export interface SelfReport {
  /** Times and options as they are used; null on a store. */
  readonly timing?: Settings | null | undefined;
  readonly options?: Settings | null | undefined;
  /** Did an operator set them while the cluster ran? */
  readonly isRetimed?: boolean | undefined;
  readonly authentication?: Authentication | undefined;
  readonly hasDataFolder?: boolean | undefined;
  readonly loop?: Delays | undefined;
  readonly saves?: Delays | undefined;
  readonly problems?: ReadonlyMap<MemberId, PeerProblem> | undefined;
  readonly recentRefusals?: readonly RefusalNote[] | undefined;
}

export interface Diagnosis extends Omit<SelfReport, 'problems' | 'recentRefusals'> {
  readonly voterId: MemberId;
  readonly voterUrl: string;
  readonly cluster: string;
  readonly release: string;
  readonly node: string;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly nowMs: number;
  readonly protocol: string | null;
  readonly certificate?: Certificate | undefined;
  /** Only in a cluster that was recovered. */
  readonly recovery?: ClusterRecovery | undefined;
  readonly illness: string | null;
  readonly peers: readonly PeerDiagnosis[];
  /** All refusals since the start, by kind; kinds without any are omitted. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly recentRefusals: readonly RefusalNote[];
  readonly elections: readonly ElectionDiagnosis[];
}

const LAST_MS = 8.64e15;
const durationMs = number(0, LAST_MS);
const wallMs = described(number(-LAST_MS, LAST_MS), 'Milliseconds since 1970.');

const delays: Shape<Delays> = named(
  'Delays',
  openRecord<Delays>({
    worstMs: described(durationMs, 'The longest of the last minute; 0 if there was none.'),
    lastMs: described(nullable(durationMs), 'The last one.'),
  }),
);

const settings = byMember<Json>(anyJson) as Shape<Settings>;

const peer: Shape<PeerDiagnosis> = named(
  'PeerDiagnosis',
  openRecord<PeerDiagnosis>({
    voterId: name,
    voterUrl: described(anyText, 'Where this member looks for it.'),
    via: described(choice('link', 'post', 'none'), 'How messages reach it.'),
    roundTripMs: described(nullable(durationMs), 'Of the last message and its answer.'),
    problem: described(
      nullable(
        openRecord<PeerProblem>({
          is: choice('unreachable', 'refused'),
          kind: described(nullable(anyText), 'Of a refusal: its kind, as the metrics count it.'),
          reason: anyText,
        }),
      ),
      'Why messages do not reach it; null if they do, or if it was not tried yet.',
    ),
  }),
);

const refusal: Shape<RefusalNote> = named(
  'RefusalNote',
  openRecord<RefusalNote>({
    kind: anyText,
    reason: described(anyText, 'Of the last one.'),
    count: natural,
    lastAtMs: wallMs,
  }),
);

const election: Shape<ElectionDiagnosis> = named(
  'ElectionDiagnosis',
  openRecord<ElectionDiagnosis>({
    electionName: anyText,
    protocol: anyText,
    leader: nullable(name),
    acting: flag,
    isCandidate: described(flag, 'Does this process want to lead?'),
    recordsOccasions: optional(
      described(flag, 'Is it led only while the beginning or the end of an occasion is recorded?'),
    ),
    voted: described(nullable(listOf(name)), 'The members that vote; null where they cannot change.'),
    configured: described(listOf(name), 'The members of the configuration.'),
    leaderships: described(natural, 'How many began in the last 15 minutes, as this process saw it.'),
    ends: described(
      listOf(openRecord<{ cause: string; count: number }>({ cause: anyText, count: natural })),
      'Why leaderships ended in that time.',
    ),
  }),
);

export const diagnosis: Shape<Diagnosis> = named(
  'Diagnosis',
  openRecord<Diagnosis>({
    voterId: name,
    voterUrl: described(anyText, 'Where this member answers.'),
    cluster: anyText,
    release: described(anyText, 'The release of caucus.'),
    node: described(anyText, 'The version of Node.js.'),
    pid: natural,
    startedAtMs: wallMs,
    nowMs: wallMs,
    protocol: described(nullable(anyText), 'Null on a store.'),
    timing: optional(described(nullable(settings), 'The times of the protocol, as they are used.')),
    isRetimed: optional(described(flag, 'An operator set them, or options, while the cluster ran.')),
    options: optional(described(nullable(settings), 'Its other options.')),
    authentication: optional(
      openRecord<Authentication>({
        by: described(
          choice('nothing', 'secret', 'certificates', 'both'),
          'How members authenticate each other.',
        ),
        secrets: described(listOf(anyText), 'Fingerprints of the secrets that are accepted.'),
      }),
    ),
    certificate: optional(described(certificate, 'Only with TLS: how long its certificate lasts.')),
    recovery: optional(
      described(clusterRecovery, 'Only in a cluster that was recovered (`caucus recover`): which recovery.'),
    ),
    hasDataFolder: optional(described(flag, 'Does what it saves survive a restart?')),
    loop: optional(
      described(delays, 'How late timers were: the event loop was blocked for at least as long.'),
    ),
    saves: optional(described(delays, 'How long saves to the data folder took.')),
    illness: described(nullable(anyText), 'Why this member cannot do its part, or null.'),
    peers: listOf(peer),
    refusals: described(byMember(natural), 'Since the start, by kind.'),
    recentRefusals: described(listOf(refusal), 'The last of each kind and sender, newest last; bounded.'),
    elections: listOf(election),
  }),
);
