import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { LinkStatus, Peer } from '../../api/index.ts';
import type { MemberId, Message } from '../../core/index.ts';
import type { Identity, LinkRefusal } from '../../peers/index.ts';

export type { Identity, LinkRefusal, LinkStatus, Peer };

/** What the links tell their member. */
export interface LinkEvents {
  onMessage(from: MemberId, election: string, message: Message): void;
  /**
   * What a voter that speaks only REST answered in its response: `TYPE/answer`, with whatever else stood beside the
   * message's own fields. Without this it comes as a message like any other.
   */
  onAnswer?(from: MemberId, election: string, answer: Message): void;
  /** A connection to this process of the peer stands. Says so too when another process has taken the place of one before. */
  onUp(peer: Identity): void;
  /** This process of the peer runs on this very kernel: it has shown so over a connection that stands. */
  onLocal?(peer: Identity): void;
  /**
   * The last connection to this process of the peer is closed. No proof of anything by itself. `isAbandoned`: the other side
   * closed it, without a word that it lives on.
   */
  onDown(peer: Identity, reason: string, isAbandoned: boolean): void;
  /** A process of the peer is gone. With `proof`, the process of this life can never act again; another one of the same id may. */
  onGone?(peer: MemberId, proof: boolean, life: string): void;
  onBack?(peer: MemberId): void;
  /** Another process has come under this id, and the one before lives: it was seen. */
  onShared?(before: Identity, now: Identity): void;
  /** An attempt to reach the peer has failed; others follow. */
  onUnreachable?(peer: Peer, reason: string): void;
  /** Another process runs under an id that is taken, or belongs to another cluster: refused, and told to people. */
  onRefused(reason: string, from: string, kind: LinkRefusal): void;
}

/** The connections of a member to all others. Messages may be lost, and arrive in order over one connection. */
export interface Links {
  setPeers(peers: readonly Peer[]): void;
  /** Never waits and never throws: what cannot be sent is dropped and counted. */
  send(to: MemberId, election: string, message: Message): void;
  /** Takes over the upgrade requests of a server for the path of the links. */
  attach(server: Server): void;
  /** The same for a server that hands its upgrades over itself. False if the request is not meant for the links. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Turns an upgrade away. False if the request is not meant for the links. */
  refuseUpgrade(request: IncomingMessage, socket: Duplex): boolean;
  /** A message came by POST in the name of this peer. */
  heardByPost(from: MemberId): void;
  readonly status: readonly LinkStatus[];
  close(): Promise<void>;
}
