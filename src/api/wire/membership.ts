/** The answer of `/members`: who the members of the cluster are, as one of them knows it. */
import {
  anyJson,
  anyText,
  described,
  flag,
  type Json,
  listOf,
  type MemberId,
  named,
  nullable,
  number,
  openRecord,
  optional,
  type Shape,
} from '../../core/index.ts';
import { name } from './name.ts';

export interface MembershipEntry {
  readonly voterId: MemberId;
  readonly voterUrl: string | null;
  readonly votes: boolean;
  readonly healthy: boolean;
  readonly leader: boolean;
  readonly lastHeartBeatMs: number | null;
}

/** The times that hold. */
export interface TimingStatus {
  readonly words: string;
  readonly times: Json;
  readonly set: boolean;
}

export interface Membership {
  readonly voterId: MemberId;
  readonly cluster: string;
  readonly electionName: string;
  readonly leader: MemberId | null;
  readonly leaderUrl: string | null;
  readonly members: readonly MembershipEntry[];
  readonly removed: readonly MemberId[];
  readonly pending: readonly string[];
  readonly difference: string | null;
  readonly drained: boolean;
  readonly paused: boolean;
  /** Members of earlier releases do not tell it. */
  readonly timing?: TimingStatus | undefined;
}

const LAST_MS = 8.64e15;

const entry: Shape<MembershipEntry> = named(
  'MembershipEntry',
  openRecord<MembershipEntry>({
    voterId: name,
    voterUrl: described(nullable(anyText), 'Where it is reached; null if this member does not know.'),
    votes: described(flag, 'Does its vote count? Not yet, if it was just added or has lost its disk.'),
    healthy: described(flag, 'Can this member reach it? Of itself: can it do its part?'),
    leader: described(flag, 'Does it lead the main election?'),
    lastHeartBeatMs: described(
      nullable(number(-LAST_MS, LAST_MS)),
      'When it was last heard, in milliseconds since 1970; null for the answering member itself, and for one that it has not heard.',
    ),
  }),
);

const timing: Shape<TimingStatus> = named(
  'Timing',
  openRecord<TimingStatus>({
    words: described(anyText, 'The preset, and the times that differ from it, for people.'),
    times: described(anyJson, 'Every time as it is used, in milliseconds, by name.'),
    set: described(flag, 'Did an operator set them while the cluster ran? If not, they are configured.'),
  }),
);

export const membership: Shape<Membership> = named(
  'Membership',
  openRecord<Membership>({
    voterId: described(name, 'The member that answers.'),
    cluster: described(anyText, 'The name of the cluster.'),
    electionName: described(anyText, 'The main election, whose members are those of the cluster.'),
    leader: described(nullable(name), 'The leader of the main election, which carries out changes.'),
    leaderUrl: described(nullable(anyText), 'Its URL.'),
    members: described(listOf(entry), 'The members; empty before the first start of a cluster is complete.'),
    removed: described(listOf(name), 'Members that were removed, as far as this one has seen it.'),
    pending: described(listOf(anyText), 'Changes that other elections have not made yet, for people.'),
    difference: described(
      nullable(anyText),
      'In what the configuration of this member and the members differ; null if they do not.',
    ),
    drained: described(flag, 'Does this member lead nothing, because an operator said so?'),
    paused: described(flag, 'Does no member take over, because an operator said so?'),
    timing: optional(timing),
  }),
);
