import { type Delay, type MemberId, Random } from '../core/index.ts';
import {
  type Decision,
  type Identity,
  type PeerOptions,
  type ProcessIdentity,
  TAKES_REPORTS,
} from '../peers/index.ts';
import { ConnectedHost, type ConnectionSurroundings } from './connected-host.ts';
import { type ConnectionSetup, connectMsOf, peerOptionsOf } from './connection-setup.ts';
import type { Host } from './host.ts';
import { drawLatencyMs } from './latency.ts';
import { type Due, Queue } from './queue.ts';
import { toMs, toUs } from './time.ts';
import { WireEnd, type WireFrame, type WireOwner } from './wire.ts';
import type { World } from './world.ts';

/** Something to do: a function, or a frame of a connection arrives. One shape for both keeps the queue fast. */
interface Task extends Due {
  run: (() => void) | null;
  readonly arrivesAt: WireEnd | null;
  readonly frame: WireFrame | null;
  readonly dueUs: number;
}

/** How often frames are retransmitted while the link is cut, per ping interval. */
const RETRIES_PER_PING = 10;
/** A process is seen to exit up to this much later than its sockets are closed. */
const EXIT_MS = 3;

/**
 * The connections between the processes of a simulated cluster. Each process decides about its own with the same
 * state machine as a real member (src/peers), and the evidence that it finds about peers goes to its protocol.
 * Messages travel only between connected processes.
 *
 * It draws from its own random stream, so that nothing else in a run depends on it.
 */
export class Connections implements ConnectionSurroundings {
  readonly setup: ConnectionSetup;

  readonly #world: World;
  readonly #options: PeerOptions;
  readonly #random: Random;
  readonly #queue = new Queue<Task>();
  /** By name: the process that runs, or ran last. */
  readonly #processes = new Map<MemberId, ConnectedHost>();
  readonly #known = new Set<MemberId>();
  /** When dead processes vanished from the table of their kernel, by pid. */
  readonly #exitsUs = new Map<number, number>();
  #pids = 100;
  #numbers = 0;

  constructor(world: World, setup: ConnectionSetup) {
    this.#world = world;
    this.setup = setup;
    this.#options = peerOptionsOf(setup);
    this.#random = new Random(world.seed, 'connections');
  }

  get nowMs(): number {
    return toMs(this.#world.nowUs);
  }

  /** Runs the next event of a connection, if it comes before that moment. */
  happenBefore(beforeUs: number, untilUs: number): boolean {
    const atUs = this.#queue.peek()?.atUs ?? Number.POSITIVE_INFINITY;
    if (atUs >= beforeUs || atUs > untilUs) return false;
    this.#world.nowUs = atUs;
    const task = this.#queue.pop()!;
    if (task.arrivesAt === null) task.run?.();
    else this.#arrive(task.arrivesAt, task);
    return true;
  }

  /** Processes may have started, died or resumed. */
  notice(): void {
    const hosts = this.#world.processes;
    for (const [name, connected] of this.#processes) {
      const host = this.#world.process(name);
      if (connected.isAlive && (host === undefined || !host.alive || host.life !== connected.life))
        this.#kill(connected);
    }
    for (const host of hosts) {
      if (!host.alive) continue;
      const connected = this.#processes.get(host.name);
      if (connected === undefined || !connected.isAlive) this.#start(host);
      else if (!host.paused) connected.resume();
    }
    for (const { id } of hosts) this.#know(id);
  }

  /** The process that a message reaches: none if the sender is not connected, or not accepted at the other end. */
  receiverOf(name: MemberId, to: MemberId): Host | undefined {
    const used = this.#processes.get(name)?.used.get(to);
    if (used === undefined || used.isForgotten) return undefined;
    const { owner, isOpen, isAccepted } = used.other;
    return isOpen && isAccepted && owner instanceof ConnectedHost ? owner.host : undefined;
  }

  /** The identity of this process. */
  identityOf(name: MemberId): Identity | null {
    return this.#processes.get(name)?.identity ?? null;
  }

  /** Opens a connection from outside to a process. */
  connect(from: WireOwner, to: MemberId): WireEnd | null {
    const connected = this.#processes.get(to);
    if (connected === undefined || !connected.isAlive) return null;
    const end = new WireEnd(this.#numbers++, from);
    this.#accept(connected, end);
    return end;
  }

  /** Something in between closes all connections of two members. With `isHalf`, only the first of them learns of it. */
  reset(from: MemberId, to: MemberId, isHalf: boolean): number {
    // This setup assumes that nothing in between closes connections.
    if (this.setup.between === 'trusted') this.#world.broken.add('proof');
    let count = 0;
    for (const connected of this.#processes.values()) {
      if (!connected.isAlive || connected.at !== from) continue;
      for (const end of [...connected.ends.values()]) {
        const { owner } = end.other;
        if (!end.isOpen || !(owner instanceof ConnectedHost) || owner.at !== to) continue;
        connected.closed(end, 'reset');
        if (!isHalf) owner.closed(end.other, 'reset');
        count++;
      }
    }
    return count;
  }

  after(delay: Delay, run: () => void): () => void {
    const delayMs =
      typeof delay === 'number' ? delay : delay[0] + (delay[1] - delay[0]) * this.#random.fraction();
    const atUs = this.#soonestUs(toUs(delayMs));
    const task: Task = { atUs, seq: 0, run, arrivesAt: null, frame: null, dueUs: atUs };
    this.#queue.push(task);
    return () => {
      task.run = null;
    };
  }

  transmit(to: WireEnd, frame: WireFrame): void {
    const { incoming } = to;
    const { nowUs } = this.#world;
    const soonestUs = nowUs + toUs(this.#latencyMs(to.other.owner.at, to.owner.at));
    if (!to.isOpen) return;
    const dueUs =
      incoming.length === 0 ? soonestUs : Math.max(soonestUs, incoming[incoming.length - 1]!.dueUs);
    const atUs = this.#soonestUs(dueUs - nowUs);
    const task: Task = { atUs, seq: 0, run: null, arrivesAt: to, frame, dueUs };
    incoming.push(task);
    this.#queue.push(task);
  }

  /** At least one microsecond ahead, so that no run loops without time passing. */
  #soonestUs(delayUs: number): number {
    return this.#world.nowUs + Math.max(1, delayUs);
  }

  dial(connected: ConnectedHost, peer: MemberId): () => void {
    const target = this.#targetOf(connected, peer);
    const latencyMs = this.#latencyMs(connected.at, peer);
    const fail = (reason: string, afterMs: number): (() => void) =>
      this.after(afterMs, () => connected.give({ type: 'dial-failed', peer, reason }));
    if (target === null) return fail('refused', 2 * latencyMs);
    let prevent = this.after(latencyMs, () => {
      if (!this.#isConnected(connected.at, peer) || target.host.paused) {
        prevent = fail('no answer', connectMsOf(this.setup));
        return;
      }
      if (!target.isAlive) {
        prevent = fail('refused', latencyMs);
        return;
      }
      const end = new WireEnd(this.#numbers++, connected);
      this.#accept(target, end);
      connected.ends.set(end.number, end);
      prevent = this.after(latencyMs, () =>
        connected.give({ type: 'dialled', peer, connection: end.number }),
      );
    });
    return () => prevent();
  }

  canMeet(connected: ConnectedHost, { other }: WireEnd, localSocket: string): boolean {
    const { owner } = other;
    // A clone listens under the same name on its own kernel, and a stranger that copied a name does not listen there.
    if (!this.#isOneKernel(connected.at, owner.at)) return false;
    if (owner instanceof ConnectedHost) return owner.identity.localSocket === localSocket;
    return connected.isAlive && 'localSocket' in owner && owner.localSocket === localSocket;
  }

  isDead(connected: ConnectedHost, other: ProcessIdentity): boolean {
    for (const each of this.#processes.values()) {
      const isHere = each.at === connected.at || this.#isOneKernel(each.at, connected.at);
      if (each.isAlive && isHere && each.identity.process?.pid === other.pid) return false;
    }
    return (this.#exitsUs.get(other.pid) ?? 0) <= this.#world.nowUs;
  }

  gone(connected: ConnectedHost, { peer, proof, life, witness }: Extract<Decision, { type: 'gone' }>): void {
    const world = this.#world;
    const named = [...this.#processes.values()].find((each) => each.at === peer && each.life === life);
    // A process whose messages were never received has been promised nothing, whatever another one says under its id.
    if (proof && named?.isAlive === true && connected.heard.has(named)) {
      const detail = `${connected.host.name} has proof of the death of ${named.host.name}, which lives`;
      const claimed = !world.broken.has('proof');
      world.violations.push({ property: 'proof', claimed, atMs: this.nowMs, members: [peer], detail });
    }
    const by = witness === undefined ? {} : { witness };
    connected.host.give({ type: 'peer-gone', peer, proof, life, ...by });
  }

  #start(host: Host): void {
    const pid = this.#pids++;
    const { between } = this.setup;
    const bootId = between === 'clones' ? '' : this.#kernelOf(host.id, host.name);
    const identity: Identity = {
      id: host.id,
      cluster: 'simulated',
      incarnation: host.incarnation,
      life: host.life,
      url: `simulated:${host.name}`,
      process: { bootId, pidNamespace: '', pid, startTime: String(pid) },
      localSocket: `caucus-${host.name}-${host.life}`,
      ...(between === 'witnessed' ? { features: [TAKES_REPORTS] } : {}),
    };
    const connected = new ConnectedHost(host, identity, this.#options, this);
    this.#processes.set(host.name, connected);
    for (const peer of this.#known) if (peer !== host.id) connected.give({ type: 'peer-added', peer });
  }

  /** Names the kernel that a process of this member runs on. */
  #kernelOf(id: MemberId, name: MemberId): string {
    const { between } = this.setup;
    if (between === 'one-host') return '';
    if (between !== 'witnessed') return String(name);
    return `pair ${Math.floor([...this.#world.hosts.keys()].indexOf(id) / 2)}`;
  }

  #isOneKernel(one: MemberId, other: MemberId): boolean {
    const { between } = this.setup;
    if (between !== 'one-host' && between !== 'witnessed') return false;
    return this.#kernelOf(one, one) === this.#kernelOf(other, other);
  }

  #kill(connected: ConnectedHost): void {
    const exitMs = EXIT_MS * this.#random.fraction();
    this.#exitsUs.set(connected.identity.process!.pid, this.#world.nowUs + toUs(exitMs));
    connected.kill(this.#random.chance(0.3) ? 'reset' : 'ended');
  }

  /** A member that joins is known to all. */
  #know(peer: MemberId): void {
    if (this.#known.has(peer)) return;
    this.#known.add(peer);
    for (const connected of this.#processes.values())
      if (connected.at !== peer) connected.give({ type: 'peer-added', peer });
  }

  /** The process at the URL of the peer. */
  #targetOf(connected: ConnectedHost, peer: MemberId): ConnectedHost | null {
    const { hosts, twins } = this.#world;
    const host = [hosts.get(peer), twins.of(peer)].find(
      (each) => each?.alive && twins.connects(connected.host, each),
    );
    return host === undefined ? null : (this.#processes.get(host.name) ?? null);
  }

  #accept(connected: ConnectedHost, from: WireEnd): void {
    const end = new WireEnd(this.#numbers++, connected);
    WireEnd.join(from, end);
    connected.ends.set(end.number, end);
    connected.give({ type: 'accepted', connection: end.number });
  }

  /**
   * The oldest frame first; a frame on a cut link is retransmitted, and all later ones wait. An end that is closed
   * stays closed, and drops what arrives: nothing is retransmitted to it.
   */
  #arrive(end: WireEnd, task: Task): void {
    if (!end.isOpen) return;
    for (let first = end.incoming[0]; first !== undefined; first = end.incoming[0]) {
      if (first.dueUs > this.#world.nowUs) return;
      if (!this.#isConnected(end.other.owner.at, end.owner.at)) {
        task.atUs = this.#soonestUs(toUs(this.setup.pingMs / RETRIES_PER_PING));
        this.#queue.push(task);
        return;
      }
      end.incoming.shift();
      end.owner.onFrame(end, first.frame!);
      if (!end.isOpen) return;
    }
  }

  #isConnected(from: MemberId, to: MemberId): boolean {
    const { network } = this.#world;
    return network.connected(from, to) && network.connected(to, from);
  }

  #latencyMs(from: MemberId, to: MemberId): number {
    return drawLatencyMs(this.#world.network.qualityOf(from, to).latencyMs, this.#random);
  }
}
