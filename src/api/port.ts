/**
 * What the API needs from a member and its elections. Members, and participants in an election on a store, implement
 * it.
 */
import type {
  ClusterRecovery,
  Command,
  Definition,
  Json,
  MemberId,
  Message,
  Outcome,
  Reconfiguration,
  View,
} from '../core/index.ts';
import type { Change } from '../host/index.ts';
import type { LeasePort } from './leases.ts';
import type { SelfReport } from './wire/diagnosis.ts';
import type { DeathDocument, NeighbourDocument, WitnessRequest } from './wire/witness.ts';

export type { Change };

/** A peer and its URL. */
export interface Peer {
  readonly id: MemberId;
  readonly url: string;
}

/** The connection of a member to one of its peers. */
export interface LinkStatus {
  readonly id: MemberId;
  readonly url: string;
  /** How messages reach it: over a connection, by POST, or not at all now. */
  readonly via: 'link' | 'post' | 'none';
  /** Of the last round trip, in milliseconds; null if there was none. */
  readonly roundTripMs: number | null;
  readonly queued: number;
  readonly sent: number;
  readonly received: number;
  /** Messages that were dropped: the queue was full, or the peer could not be reached. */
  readonly dropped: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

/** One election as the HTTP API and the command see it. */
export interface ElectionPort {
  readonly name: string;
  readonly protocol: string;
  /** What the member last reported; it may be outdated by the clock, `acting` is not. */
  readonly view: View;
  /** May this member act now, by the clock? */
  readonly acting: boolean;
  /** The token of the leader in `view`; null if the protocol has no terms or there is no leader. */
  readonly token: bigint | null;
  /** How long this member may act without a renewal, from now; null if it may not act, or has no lease. */
  readonly expiresInMs: number | null;
  /** The changes since this process started, oldest first, bounded. */
  readonly history: readonly Change[];
  /** Those that earlier processes of this member saw and kept, oldest first. Omitted where none are kept. */
  readonly earlier?: readonly Change[];
  command(command: Command): Promise<Outcome>;
  /**
   * A message that came by POST, unchanged. Returns the messages that the protocol sent back at once; they are not
   * sent again. Throws RefusedMessage if it has the wrong shape, or if no honest member can have sent it.
   */
  receive(from: MemberId, message: Message): readonly Message[];
  /** What the protocol answers to a message without fields from a client that is no voter. */
  ask(type: string): readonly Message[];
  /** Does this process want to lead? Omitted: it does. */
  readonly isCandidate?: boolean;
  /** When a message of this voter was last received, in milliseconds since 1970; null if none was. Omitted on a store. */
  heardAtMs?(voter: MemberId): number | null;
  /** Calls back after every change of `view` or `acting`. Returns a function that stops it. */
  subscribe(listener: () => void): () => void;
}

/** Why a message, a request or a file was refused: counted in the metrics. */
export type Refusal =
  | 'not-json'
  | 'too-large'
  | 'unknown-type'
  | 'bad-shape'
  | 'unknown-member'
  | 'other-cluster'
  | 'other-rules'
  /** It speaks no version of the messages between members that this one understands. */
  | 'other-version'
  | 'same-id'
  /** Its sender was a member, and was removed. */
  | 'removed'
  /** It belongs to the cluster as it was before a recovery (`caucus recover`) that this member is part of. */
  | 'before-recovery'
  /** It belongs to a recovery that this member is not part of. */
  | 'other-recovery'
  /** No honest member can have sent it. */
  | 'impossible'
  /** Its sender causes more changes than an honest member does. */
  | 'too-fast'
  /** It came by POST from a member that has an open connection. */
  | 'linked'
  /** A connection whose other side has not proven which member it is, where that is asked for. */
  | 'unauthenticated'
  /** A connection of a process that knows none of the secrets that are valid here. */
  | 'wrong-secret'
  /** A frame on a connection that the other side did not send, or not now. */
  | 'bad-seal'
  /** It carries no token or proof that allows it. */
  | 'unauthorized';

/** A message that was refused; nothing of it was saved or passed on. */
export class RefusedMessage extends Error {
  readonly kind: Refusal;

  constructor(kind: Refusal, reason: string, cause?: Error) {
    super(reason, { cause });
    this.kind = kind;
  }
}

/** What a process is told that was a member, and was removed. */
export function removedWords(by: MemberId, id: MemberId): string {
  return `member ${id} was removed from the cluster, as ${by} knows it; stop it, or add it again: caucus member add ${id} URL`;
}

export function noRefusals(): Record<Refusal, number> {
  return {
    'not-json': 0,
    'too-large': 0,
    'unknown-type': 0,
    'bad-shape': 0,
    'unknown-member': 0,
    'other-cluster': 0,
    'other-rules': 0,
    'other-version': 0,
    'same-id': 0,
    removed: 0,
    'before-recovery': 0,
    'other-recovery': 0,
    impossible: 0,
    'too-fast': 0,
    linked: 0,
    unauthenticated: 0,
    'wrong-secret': 0,
    'bad-seal': 0,
    unauthorized: 0,
  };
}

/** The certificate of a member, and how long it lasts. */
export interface CertificateStatus {
  /** ISO 8601. */
  readonly expiresAt: string;
  readonly daysLeft: number;
  /** Of the CA that expires first; none on a store, where there are no peers. */
  readonly caDaysLeft?: number | undefined;
  /** What to do, if one of them is about to expire; else null. */
  readonly warning: string | null;
}

/** `isTooFast`: it may be accepted a second later. */
export type Registered =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly reason: string; readonly isTooFast?: true };

/** A member of the cluster. */
export interface ClusterVoter extends Peer {
  /** Does a disk vote for it? Not yet, if it was just added or has lost its disk. */
  readonly votes: boolean;
}

/** The times of a cluster, as one member knows them. */
export interface TimingPort {
  /** For people: "wan, timeoutMs [1500,3000]". */
  readonly words: string;
  /** The same of those that this member is configured with. If these mean the same, the words are the same. */
  readonly configured: string;
  /** Every time as it is used, by name. */
  readonly times: Readonly<Record<string, Json>>;
  /** An operator set them while the cluster ran. */
  readonly isSet: boolean;
  /** In what the configuration of this member differs from them, for people; null if it does not. */
  readonly difference: string | null;
}

/** The members of the cluster, and the commands that change them. */
export interface MembershipPort {
  /** Null as long as the cluster has not been founded, as far as this member knows. */
  readonly members: readonly ClusterVoter[] | null;
  /** The leader of the main election, if it was heard lately. */
  readonly leader: MemberId | null;
  readonly removed: readonly MemberId[];
  /** The members in the configuration of this one, itself included; null if it joined without a list. */
  readonly configured: readonly MemberId[] | null;
  /** In what the configuration and the members differ, for people; null if they do not. */
  readonly difference: string | null;
  /** What this election lacks to have the members of the cluster, for people. */
  pendingIn(election: string): readonly string[];
  isRemoved(id: MemberId): boolean;
  add(joiner: Peer): Promise<Outcome>;
  remove(id: MemberId, force: boolean): Promise<Outcome>;
  replace(old: MemberId, joiner: Peer, force: boolean): Promise<Outcome>;
  /** Does this member lead nothing because an operator said so? */
  readonly isDrained: boolean;
  drain(isOn: boolean): Promise<void>;
  /** Does no member take over, because an operator said so? */
  readonly isPaused: boolean;
  pause(isOn: boolean): Promise<Outcome>;
  readonly timing: TimingPort;
  /** Sets other times: a preset ("wan"), or some times by name; or options. Throws BadInput for those that cannot be used. */
  reconfigure(change: Reconfiguration): Promise<Outcome>;
}

/** What a member does with witnesses that are no members (`caucus witness`). */
export interface WitnessPort {
  /** Does the configuration of this member name this witness? */
  trusts(witness: MemberId): boolean;
  /** The process of this member, if it runs on that host. */
  neighbourOn(host: WitnessRequest['host']): NeighbourDocument | null;
  /** Did this process draw the token, for a connection to its local socket that is still open? */
  drew(token: string): boolean;
  /** What comes of it is decided by the rules for reports (src/peers/witness.ts). */
  report(witness: MemberId, host: WitnessRequest['host'], death: DeathDocument): void;
}

/** A member as the HTTP API and the command see it. */
export interface MemberPort {
  readonly id: MemberId;
  readonly url: string;
  readonly cluster: string;
  /** The protocol of its elections; null on a store, where participants send each other no messages. */
  readonly definition: Definition | null;
  readonly incarnation: number;
  readonly startedAtMs: number;
  /** The election that paths without a name mean. */
  readonly mainElection: string;
  /** All configured or registered voters, this one included. */
  readonly voters: readonly Peer[];
  /** Is this voter one of the configuration, and not one that registered itself? */
  isConfigured(id: MemberId): boolean;
  readonly links: readonly LinkStatus[];
  /** Why this member cannot do its part (its health error, for example a full disk), or null. */
  readonly illness: string | null;
  /** Null or omitted: it does not use TLS. */
  readonly certificate?: CertificateStatus | null;
  /** The recovery that its cluster comes from (`caucus recover`), if it comes from one. */
  readonly recovery?: ClusterRecovery | undefined;
  readonly elections: readonly ElectionPort[];
  /** The election of this name; it is opened if it is not open yet. Throws BadInput for a bad name. */
  electionPort(name: string): ElectionPort;
  /** A voter registers (seed 002). Refused, with the reason, if its URL may not be called. */
  registerVoter(voter: Peer): Registered;
  /** Null or omitted: its members cannot be changed. */
  readonly membership?: MembershipPort | null;
  readonly refusals: Readonly<Record<Refusal, number>>;
  /** Counts a refusal, and logs it if `told` is given. */
  countRefusal(refusal: Refusal, told?: { readonly from: string; readonly reason: string }): void;
  /** The leases of programs that are no members. Null or omitted: this member keeps none. */
  readonly leases?: LeasePort | null;
  /** What only the process itself can tell. Omitted: nothing. */
  diagnose?(): SelfReport;
  /** A message of this voter came by POST. */
  heardByPost?(from: MemberId): void;
  /** Calls back after every change of anything above. */
  subscribe(listener: () => void): () => void;
}
