import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { LinkStatus, Peer } from '../../api/index.ts';
import type { MemberId, Message } from '../../core/index.ts';

export type { LinkStatus, Peer };

/** What a process says of itself in the handshake, so that it can be told from others and its death can be proven later. */
export interface Identity {
  readonly id: MemberId;
  readonly cluster: string;
  /** Counts its starts on one data folder: for people. */
  readonly incarnation: number;
  /** Names the process: random, and never used by another. */
  readonly life: string;
  readonly url: string;
  /** The protocol and its settings, in JSON: a member that plays by others would make promises that are too short for ours. */
  readonly rules?: string;
  /** Where the process runs; null where the system does not tell. */
  readonly process: ProcessIdentity | null;
  /** Where processes of the same kernel can meet it (local-socket.ts). */
  readonly localSocket?: string | undefined;
}

/** One process of one boot of one host. `startTime` tells it from a later one with the same pid. */
export interface ProcessIdentity {
  readonly bootId: string;
  /** Where its pid and its start time mean what they say: the pid namespace, and the time namespace if there is one. */
  readonly pidNamespace: string;
  readonly pid: number;
  readonly startTime: string;
}

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
  /** An attempt to reach the peer has failed; others follow. */
  onUnreachable?(peer: Peer, reason: string): void;
  /** Another process runs under an id that is taken, or belongs to another cluster: refused, and told to people. */
  onRefused(reason: string, from: string, kind: LinkRefusal): void;
}

/** What a connection or a frame was refused for; each is one of the refusals that a member counts. */
export type LinkRefusal =
  | 'not-json'
  | 'too-large'
  | 'bad-shape'
  | 'unknown-member'
  | 'other-cluster'
  | 'other-rules'
  | 'same-id';

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
  readonly status: readonly LinkStatus[];
  close(): Promise<void>;
}
