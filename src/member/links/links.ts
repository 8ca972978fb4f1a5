import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { LinkStatus, Peer } from '../../api/index.ts';
import type { ClusterRecovery, MemberId, Message } from '../../core/index.ts';
import type {
  DeathReport,
  Disbelief,
  HostIdentity,
  Identity,
  LinkRefusal,
  Verdict,
} from '../../peers/index.ts';
import type { Posted } from './post.ts';

export type { Identity, LinkRefusal, LinkStatus, Peer };

/** Events that the links report to their member. */
export interface LinkEvents {
  onMessage(from: MemberId, election: string, message: Message): void;
  /**
   * The response of a voter that speaks only REST: `TYPE/answer`, with any other fields beside the message's own.
   * Without this listener it is reported by `onMessage`.
   */
  onAnswer?(from: MemberId, election: string, answer: Message): void;
  /** A connection to this process of the peer is open. Also called when another process has replaced an earlier one. */
  onUp(peer: Identity): void;
  /** This process of the peer runs on this kernel: it has proven that over an open connection. */
  onLocal?(peer: Identity): void;
  /**
   * The last connection to this process of the peer is closed. This proves nothing by itself. `isAbandoned`: the
   * other side closed it without saying that it lives on.
   */
  onDown(peer: Identity, reason: string, isAbandoned: boolean): void;
  /**
   * A process of the peer is gone. With `proof`, the process of this life can never act again; another process of the
   * same id may. `witness`: the process that reported it, if this one has not seen it.
   */
  onGone?(peer: MemberId, proof: boolean, life: string, witness?: MemberId): void;
  /** A report of a witness has no effect. */
  onDisbelieved?(witness: MemberId, report: DeathReport, why: Disbelief): void;
  onBack?(peer: MemberId): void;
  /** This member belongs to no cluster yet, and meets one that was recovered: it belongs to that recovery now. */
  onRecovery?(recovery: ClusterRecovery): void;
  /** A second process came under this id, while the earlier one is alive. */
  onShared?(before: Identity, now: Identity): void;
  /** An attempt to reach the peer has failed; it is retried. */
  onUnreachable?(peer: Peer, reason: string): void;
  /**
   * A process uses an id that is taken, or belongs to another cluster. It was refused, or, by the verdict, refuses
   * this one; the operator is told. `hasCalled`: this member opened the connection, or sent the request;
   * `peer`: the one that it looked for there.
   */
  onRefused(
    reason: string,
    from: string,
    kind: LinkRefusal,
    verdict: Verdict,
    hasCalled: boolean,
    peer?: MemberId | null,
  ): void;
}

/** The connections of a member to all others. Messages may be lost; over one connection they arrive in order. */
export interface Links {
  /** `removed`: members that are refused because they were removed, and told so. */
  setPeers(peers: readonly Peer[], removed?: readonly MemberId[]): void;
  /** Never waits and never throws: a message that cannot be sent is dropped and counted. */
  send(to: MemberId, election: string, message: Message): void;
  /** What was sent leaves now, and not after the event that is being processed: a save would stop it meanwhile. */
  flush(): void;
  /**
   * Sends a message to an address by HTTP: to the voter `to`, or if that is null to whichever voter is there. `done` is
   * called once, unless the links are closed.
   */
  call(
    url: string,
    to: MemberId | null,
    election: string,
    message: Message,
    done: (result: Posted) => void,
  ): void;
  /** Handles the upgrade requests of a server for the path of the links. */
  attach(server: Server): void;
  /** The same for a server that passes its upgrade requests on. False if the request is not for the links. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Refuses an upgrade. False if the request is not for the links. */
  refuseUpgrade(request: IncomingMessage, socket: Duplex): boolean;
  /** A message of this peer came by POST. */
  heardByPost(from: MemberId): void;
  /** A witness that is no member, and runs on that host by its own word, reports a death. */
  reported(witness: MemberId, host: HostIdentity, report: DeathReport): void;
  /** This process as it greets, with its local socket. */
  readonly own: Identity;
  /** Did this process draw the token, for a connection to its local socket that is still open? */
  drew(token: string): boolean;
  readonly status: readonly LinkStatus[];
  /** What a peer that is connected over a link understands (`FEATURES`); null if it is not connected. */
  featuresOf(peer: MemberId): readonly string[] | null;
  close(): Promise<void>;
}
