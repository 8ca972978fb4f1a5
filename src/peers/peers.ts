import { assertNever, type ClusterRecovery, type MemberId } from '../core/index.ts';
import { DeathWatch } from './death-watch.ts';
import type { Decide, Decision } from './decision.ts';
import type { ConnectionId, PeerEvent } from './event.ts';
import type { Identity } from './identity.ts';
import { objection, otherMember, type Refused, unknownMember } from './objection.ts';
import type { PeerOptions } from './options.ts';
import { PeerConnections } from './peer.ts';
import { type DeathReport, disbelief, TAKES_REPORTS, type Witness } from './witness.ts';

/**
 * `greeting`: waits for the first frame. `peer`: belongs to a peer, whether it is open, claims the place of another
 * process or is being closed. `refused`: only waits to be closed.
 */
type Phase = 'greeting' | 'peer' | 'refused';

interface Known {
  phase: Phase;
  /** The peer that was dialled, and the number of the attempt; null if the other side opened the connection. */
  readonly dialled: { readonly peer: MemberId; readonly attempt: number } | null;
  /** The peer that it belongs to. */
  peer: MemberId | null;
}

/** Most events are answers to pings, about which there is nothing to decide. */
const NONE: readonly Decision[] = [];

/**
 * Which process is behind each connection of a member, which connection is used for which process, and what is known
 * of processes that are gone. It takes events and returns decisions, which its host carries out in order; it has no
 * sockets, no clock and no random source.
 */
export class Peers {
  readonly #own: Identity;
  readonly #options: PeerOptions;
  readonly #connections = new Map<ConnectionId, Known>();
  readonly #peers = new Map<MemberId, PeerConnections>();
  /** Also for removed peers: one may come back, and what was seen of its processes still counts. */
  readonly #watches = new Map<MemberId, DeathWatch>();
  #decisions: Decision[] = [];

  constructor(own: Identity, options: PeerOptions) {
    this.#own = own;
    this.#options = options;
  }

  /** The process of this peer that is connected now. */
  processOf(peer: MemberId): Identity | null {
    return this.#peers.get(peer)?.process ?? null;
  }

  /** `nowMs` never goes back. */
  take(event: PeerEvent, nowMs: number): readonly Decision[] {
    this.#step(event, nowMs);
    if (this.#decisions.length === 0) return NONE;
    const decisions = this.#decisions;
    this.#decisions = [];
    return decisions;
  }

  readonly #decide: Decide = (decision) => this.#decisions.push(decision);

  #step(event: PeerEvent, nowMs: number): void {
    switch (event.type) {
      case 'peer-added':
        return this.#add(event.peer);
      case 'peer-removed':
        this.#peers.get(event.peer)?.end('it is no longer a peer', nowMs);
        this.#peers.delete(event.peer);
        return;
      case 'peer-moved': {
        const peer = this.#peers.get(event.peer);
        // An open connection is kept.
        if (peer?.process === null) peer.dialling.start();
        return;
      }
      case 'accepted':
        return this.#open(event.connection, { phase: 'greeting', dialled: null, peer: null });
      case 'dialled':
        return this.#onDialled(event.connection, event.peer);
      case 'dial-failed':
        return event.isRefused === true
          ? this.#peers.get(event.peer)?.dialling.onFailed(null, this.#options.refusedBackOffMs)
          : this.#peers.get(event.peer)?.dialling.onFailed(event.reason);
      case 'dial-found-rest':
        return this.#peers.get(event.peer)?.dialling.onRest();
      case 'rest-failed':
        this.#decide({ type: 'unreachable', peer: event.peer, reason: null });
        return this.#peers.get(event.peer)?.dialling.start();
      case 'greeted':
        return this.#onGreeted(event.connection, event.identity, nowMs);
      case 'bad-frame':
      case 'refused':
        return this.#onRefused(event.connection, event.refused, event.type === 'refused');
      case 'closed':
        return this.#onClosed(event, nowMs);
      case 'ping-due':
        for (const peer of this.#peers.values()) peer.onPingDue();
        return;
      case 'pong':
        return this.#peerOf(event.connection)?.onPong(event.connection);
      case 'probed':
        return this.#peerOf(event.connection)?.onProbed(event.poll, event.connection, event.answered, nowMs);
      case 'met':
        return this.#peerOf(event.connection)?.onMet(event.connection);
      case 'posted':
        return this.#watch(event.peer).onPost(nowMs);
      case 'seen':
        return this.#watches.get(event.peer)?.onSeen(event.look, event.isDead, nowMs);
      case 'witnessed':
        return this.#onWitnessed(event.connection, event.report, nowMs);
      case 'reported': {
        const { witness: id, host } = event;
        return this.#onReport({ id, host, isMember: false }, event.report, nowMs);
      }
      case 'timer':
        return this.#onTimer(event.timer);
      default:
        assertNever(event);
    }
  }

  #add(id: MemberId): void {
    if (this.#peers.has(id) || id === this.#own.id) return;
    const peer = new PeerConnections(this.#own, id, this.#options, this.#watch(id), this.#decide);
    this.#peers.set(id, peer);
    peer.dialling.start();
  }

  #watch(id: MemberId): DeathWatch {
    const found = this.#watches.get(id);
    if (found !== undefined) return found;
    const watch = new DeathWatch(id, this.#options, this.#decide, (report) => this.#attest(report));
    this.#watches.set(id, watch);
    return watch;
  }

  /** Tells the other members what the kernel has shown to this one: they may run on other hosts. */
  #attest(report: DeathReport): void {
    for (const [id, { process, used }] of this.#peers)
      if (id !== report.id && used !== null && process?.features?.includes(TAKES_REPORTS))
        this.#decide({ type: 'attest', connection: used, report });
  }

  #onWitnessed(connection: ConnectionId, report: DeathReport, nowMs: number): void {
    const peer = this.#peerOf(connection);
    if (peer === undefined || peer.process === null || peer.isClaiming(connection)) return;
    const { id, process: host } = peer.process;
    this.#onReport({ id, host, isMember: true }, report, nowMs);
  }

  #onReport(witness: Witness, report: DeathReport, nowMs: number): void {
    const peer = this.#peers.get(report.id);
    const why =
      disbelief(this.#own.id, this.#options.trustWitnesses, witness, report) ??
      (peer === undefined ? 'unknown-life' : this.#watch(report.id).weigh(report, witness.id));
    if (why !== null) return this.#decide({ type: 'disbelieve', witness: witness.id, report, why });
    peer?.onReported(`its process is gone, witnessed by ${witness.id}`, nowMs);
  }

  #peerOf(connection: ConnectionId): PeerConnections | undefined {
    const id = this.#connections.get(connection)?.peer ?? null;
    return id === null ? undefined : this.#peers.get(id);
  }

  #open(connection: ConnectionId, known: Known): void {
    this.#connections.set(connection, known);
    const { helloMs } = this.#options;
    this.#decide({ type: 'set-timer', timer: greetingTimer(connection), delayMs: helloMs });
  }

  #onDialled(connection: ConnectionId, id: MemberId): void {
    const peer = this.#peers.get(id);
    const attempt = peer?.dialling.attempt ?? 0;
    this.#open(connection, { phase: 'greeting', dialled: { peer: id, attempt }, peer: null });
    this.#decide({ type: 'greet', connection });
    peer?.dialling.onOpen();
  }

  #onGreeted(connection: ConnectionId, identity: Identity, nowMs: number): void {
    const known = this.#connections.get(connection);
    if (known === undefined || known.phase === 'refused') return;
    if (known.phase === 'peer')
      return this.#onRefused(connection, { kind: 'bad-shape', reason: 'a second hello' }, false);
    this.#decide({ type: 'cancel-timer', timer: greetingTimer(connection) });
    const refused = objection(this.#own, identity) ?? this.#objectToId(known, identity);
    if (refused !== null) return this.#refuse(connection, known, refused);
    const peer = this.#peers.get(identity.id);
    if (peer === undefined) {
      // It was removed while it was dialled.
      known.phase = 'refused';
      return this.#decide({ type: 'terminate', connection, why: 'it is no longer a peer' });
    }
    known.phase = 'peer';
    known.peer = identity.id;
    if (identity.recovery !== undefined && this.#own.recovery === undefined)
      this.#adopt(identity.recovery, nowMs);
    peer.claim(connection, known.dialled !== null, identity, nowMs);
  }

  /**
   * Members without a seat that met this one before do not know of the recovery. They have to hear of it before any other
   * message, so their connections are opened anew. Example: 4 and 5 are started with empty disks, and 2 comes back with
   * its old one. Once 4 has heard the term of the recovered member, 5 must not pass it on to 2.
   */
  #adopt(recovery: ClusterRecovery, nowMs: number): void {
    this.#decide({ type: 'adopt', recovery });
    const why = 'this member belongs to a recovered cluster from now on';
    for (const [connection, { phase, dialled }] of this.#connections)
      if (phase === 'greeting' && dialled !== null) this.#decide({ type: 'terminate', connection, why });
    for (const peer of this.#peers.values()) {
      const there = peer.process;
      if (there !== null && there.recovery?.id !== recovery.id) peer.reopen(why, nowMs);
    }
  }

  #objectToId({ dialled }: Known, identity: Identity): Refused | null {
    if (dialled !== null) return dialled.peer === identity.id ? null : otherMember(dialled.peer, identity);
    return this.#peers.has(identity.id) ? null : unknownMember(this.#own, identity);
  }

  /** The other side refuses us, or its frame is refused. Before the greeting that closes the connection. */
  #onRefused(connection: ConnectionId, refused: Refused, isByThem: boolean): void {
    const known = this.#connections.get(connection);
    if (known?.phase === 'greeting') {
      this.#decide({ type: 'cancel-timer', timer: greetingTimer(connection) });
      return this.#refuse(connection, known, refused, isByThem);
    }
    const peer = this.#peerOf(connection);
    // Frames of a process that was refused or not yet accepted are ignored.
    if (peer === undefined || peer.isClaiming(connection)) return;
    const { process } = peer;
    const about = process === null ? { connection } : { process };
    this.#decide({ type: 'tell', about, verdict: isByThem ? 'warns-us' : 'refused', refused });
  }

  #refuse(connection: ConnectionId, known: Known, refused: Refused, isByThem = false): void {
    known.phase = 'refused';
    const { dialled } = known;
    if (isByThem && dialled !== null)
      this.#decide({ type: 'close', connection, why: 'it refused us', says: 'goodbye' });
    else this.#decide({ type: 'refuse', connection, refused });
    const about = dialled === null ? { connection } : { peer: dialled.peer };
    this.#decide({ type: 'tell', about, verdict: isByThem ? 'refuses-us' : 'refused', refused });
    this.#onAttemptFailed(known, null);
  }

  #onAttemptFailed({ dialled }: Known, reason: string | null): void {
    const dialling = dialled === null ? undefined : this.#peers.get(dialled.peer)?.dialling;
    if (dialling?.isWanted(dialled!.attempt))
      dialling.onFailed(reason, reason === null ? this.#options.refusedBackOffMs : null);
  }

  #onClosed({ connection, closing, reason }: Extract<PeerEvent, { type: 'closed' }>, nowMs: number): void {
    const known = this.#connections.get(connection);
    if (known === undefined) return;
    if (known.phase === 'greeting') {
      this.#decide({ type: 'cancel-timer', timer: greetingTimer(connection) });
      this.#onAttemptFailed(known, 'it closed the connection before it had said who it is');
    }
    this.#peerOf(connection)?.onClosed(connection, closing, reason, nowMs);
    this.#connections.delete(connection);
  }

  #onTimer(timer: string): void {
    for (const peer of this.#peers.values())
      if (timer === peer.dialling.timer) return peer.dialling.onTimer();
    for (const watch of this.#watches.values()) if (timer === watch.timer) return watch.onTimer();
    for (const [connection, { phase }] of this.#connections) {
      if (timer !== greetingTimer(connection) || phase !== 'greeting') continue;
      this.#decide({ type: 'terminate', connection, why: 'it did not say who it is' });
    }
  }
}

function greetingTimer(connection: ConnectionId): string {
  return `greeting ${connection}`;
}
