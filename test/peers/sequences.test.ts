/**
 * Any sequence of events that could happen: member 1, and processes of the peer 2 that start, connect, close, stop answering and
 * die. What is told of them is compared with what is true.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertNever } from '../../src/core/index.ts';
import {
  type Closing,
  DEFAULT_PEER_OPTIONS,
  type Decision,
  type Identity,
  type PeerEvent,
  Peers,
} from '../../src/peers/index.ts';
import { processOf } from './bench.ts';

/** A process of the peer, as it is. */
interface Process {
  readonly identity: Identity;
  isAlive: boolean;
  /** It answers pings and probes. */
  isAwake: boolean;
}

interface Wire {
  readonly number: number;
  readonly process: Process;
  isOpen: boolean;
  /** What is sent over it arrives only later, although the process at its end lives and is awake. */
  isMute: boolean;
  /** A ping is to be answered. */
  isPinged: boolean;
}

class Truth {
  readonly processes: Process[] = [];
  readonly wires: Wire[] = [];
  readonly timers = new Set<string>();
  /** Deaths that were proven although the process lives. */
  readonly lies: string[] = [];
  proofs = 0;
  used: number | null = null;
  /** Connections of the peer, in the order in which they were accepted. */
  readonly accepted: number[] = [];
  isDialling = false;

  readonly #peers: Peers;
  readonly #probes: { readonly connection: number; readonly poll: number }[] = [];
  readonly #meetings: number[] = [];
  #nowMs = 0;

  constructor(trustConnections: boolean) {
    this.#peers = new Peers(processOf(1, 'own'), { ...DEFAULT_PEER_OPTIONS, trustConnections });
    this.start();
    this.give({ type: 'peer-added', peer: 2 });
  }

  get process(): Identity | null {
    return this.#peers.processOf(2);
  }

  start(): void {
    const identity = processOf(2, 'x'.repeat(this.processes.length + 1));
    this.processes.push({ identity, isAlive: true, isAwake: true });
  }

  kill(process: Process, closing: Closing): void {
    if (!process.isAlive) return;
    process.isAlive = false;
    for (const wire of this.wires) if (wire.process === process) this.close(wire, closing);
  }

  /** Either side has opened a connection, and both greet. */
  connect(process: Process, isDialled: boolean): void {
    if (!process.isAlive || (isDialled && !this.isDialling)) return;
    const number = this.wires.length + 1;
    this.wires.push({ number, process, isOpen: true, isMute: false, isPinged: false });
    this.isDialling = false;
    if (isDialled) this.give({ type: 'dialled', peer: 2, connection: number });
    else this.give({ type: 'accepted', connection: number });
    this.give({ type: 'greeted', connection: number, identity: process.identity });
  }

  close(wire: Wire, closing: Closing): void {
    if (!wire.isOpen) return;
    wire.isOpen = false;
    this.give({ type: 'closed', connection: wire.number, closing, reason: closing });
  }

  /** The oldest probe is answered if the process at the other end does; else its time is over. */
  answerProbe(): boolean {
    const probe = this.#probes.shift();
    if (probe === undefined) return false;
    this.give({ type: 'probed', ...probe, answered: this.#isHeard(probe.connection) });
    return true;
  }

  /** Nothing that was sent over a connection is lost: a process that slept answers when it is awake. */
  answerPings(): void {
    for (const wire of this.wires) {
      if (!wire.isPinged || !this.#isHeard(wire.number)) continue;
      wire.isPinged = false;
      this.give({ type: 'pong', connection: wire.number });
    }
  }

  meet(): void {
    const connection = this.#meetings.shift();
    if (connection !== undefined && this.#isHeard(connection)) this.give({ type: 'met', connection });
  }

  fire(timer: string): void {
    if (this.timers.delete(timer)) this.give({ type: 'timer', timer });
  }

  pass(ms: number): void {
    this.#nowMs += ms;
  }

  failDial(): void {
    if (!this.isDialling) return;
    this.isDialling = false;
    this.give({ type: 'dial-failed', peer: 2, reason: 'refused' });
  }

  give(event: PeerEvent): void {
    const decisions = this.#peers.take(event, this.#nowMs);
    const later: (() => void)[] = [];
    for (const decision of decisions) this.#carryOut(decision, later);
    for (const each of later) each();
  }

  #isHeard(connection: number): boolean {
    const { isOpen, isMute, process } = this.wires[connection - 1]!;
    return isOpen && !isMute && process.isAlive && process.isAwake;
  }

  #carryOut(decision: Decision, later: (() => void)[]): void {
    switch (decision.type) {
      case 'use':
        this.used = decision.connection;
        return;
      case 'terminate':
      case 'close':
      case 'refuse':
        later.push(() => this.close(this.wires[decision.connection - 1]!, 'by-us'));
        return;
      case 'ping':
        this.wires[decision.connection - 1]!.isPinged = true;
        later.push(() => this.answerPings());
        return;
      case 'probe':
        this.#probes.push({ connection: decision.connection, poll: decision.poll });
        return;
      case 'meet':
        this.#meetings.push(decision.connection);
        return;
      case 'look': {
        const found = this.processes.find(({ identity }) => identity.process!.pid === decision.process.pid);
        const { peer, look } = decision;
        later.push(() => this.give({ type: 'seen', peer, look, isDead: found?.isAlive !== true }));
        return;
      }
      case 'dial':
      case 'abort-dial':
        this.isDialling = decision.type === 'dial';
        return;
      case 'set-timer':
        this.timers.add(decision.timer);
        return;
      case 'cancel-timer':
        this.timers.delete(decision.timer);
        return;
      case 'gone': {
        const found = this.processes.find(({ identity }) => identity.life === decision.life);
        if (decision.proof && found?.isAlive === true) this.lies.push(decision.life);
        if (decision.proof) this.proofs++;
        return;
      }
      case 'accept':
        this.accepted.push(decision.connection);
        return;
      case 'greet':
      case 'warn':
      case 'use-rest':
      case 'unreachable':
      case 'up':
      case 'local':
      case 'down':
      case 'shared':
      case 'tell':
      case 'back':
      case 'adopt':
      case 'attest':
      case 'disbelieve':
        return;
      default:
        assertNever(decision);
    }
  }
}

/** What can happen next; `at` chooses among what there is. */
const STEPS: Readonly<Record<string, (truth: Truth, at: number) => void>> = {
  start: (truth) => void (truth.processes.length < 6 && truth.start()),
  kill: (truth, at) => truth.kill(pick(truth.processes, at), at % 2 === 0 ? 'ended' : 'reset'),
  sleep: (truth, at) => setAwake(truth, pick(truth.processes, at), false),
  wake: (truth, at) => setAwake(truth, pick(truth.processes, at), true),
  mute: (truth, at) => setMute(truth, at, true),
  unmute: (truth, at) => setMute(truth, at, false),
  accept: (truth, at) => truth.connect(pick(truth.processes, at), false),
  dial: (truth) => truth.fire('dial 2'),
  dialled: (truth, at) => truth.connect(pick(truth.processes, at), true),
  'dial-failed': (truth) => truth.failDial(),
  goodbye: (truth, at) => truth.wires.length > 0 && truth.close(pick(truth.wires, at), 'goodbye'),
  probe: (truth) => void truth.answerProbe(),
  meet: (truth) => truth.meet(),
  ping: (truth) => truth.give({ type: 'ping-due' }),
  look: (truth) => truth.fire('look 2'),
  time: (truth, at) => truth.pass(at),
  post: (truth) => truth.give({ type: 'posted', peer: 2 }),
};

function setAwake(truth: Truth, process: Process, isAwake: boolean): void {
  process.isAwake = isAwake;
  truth.answerPings();
}

function setMute(truth: Truth, at: number, isMute: boolean): void {
  if (truth.wires.length > 0) pick(truth.wires, at).isMute = isMute;
  truth.answerPings();
}

/** Something between the members resets a connection: that is excluded where connections are trusted. */
const reset = (truth: Truth, at: number): void => {
  if (truth.wires.length > 0) truth.close(pick(truth.wires, at), 'reset');
};

function pick<T>(items: readonly T[], at: number): T {
  return items[at % items.length]!;
}

const sequence = fc.array(
  fc.tuple(fc.constantFrom('reset', ...Object.keys(STEPS)), fc.integer({ min: 0, max: 40 })),
  // Without the size, hardly any has more than ten steps.
  { maxLength: 60, size: 'max' },
);

function play(
  steps: readonly (readonly [string, number])[],
  trusted: boolean,
  check: (truth: Truth) => void,
): Truth {
  const truth = new Truth(trusted);
  for (const [step, at] of steps) {
    if (step !== 'reset') STEPS[step]!(truth, at);
    else if (!trusted) reset(truth, at);
    check(truth);
  }
  return truth;
}

/** All processes answer from now on, over all connections, until nothing changes any more. */
function settle(truth: Truth): void {
  for (const wire of truth.wires) wire.isMute = false;
  for (const process of truth.processes) setAwake(truth, process, true);
  for (let rounds = 0; rounds < 20; rounds++) {
    while (truth.answerProbe());
    truth.give({ type: 'ping-due' });
    truth.fire('look 2');
  }
}

const RUNS = { numRuns: 2000 };

describe('after any sequence of events', () => {
  it.each([
    ['', false],
    [' where connections are trusted', true],
  ])('no death of a process that lives was proven%s', (_, trusted) => {
    let proofs = 0;
    fc.assert(
      fc.property(sequence, (steps) => {
        proofs += play(steps, trusted, ({ lies }) => expect(lies).toEqual([])).proofs;
      }),
      RUNS,
    );
    expect(proofs).toBeGreaterThan(0);
  });

  it('the connection in use is open, and leads to the one process of the peer that is connected', () => {
    fc.assert(
      fc.property(sequence, (steps) => {
        play(steps, false, ({ used, wires, process }) => {
          if (used === null) return;
          const wire = wires[used - 1]!;
          expect(wire.isOpen).toBe(true);
          expect(wire.process.identity.life).toBe(process?.life);
        });
      }),
      RUNS,
    );
  });

  it('a peer that lives and answers has a connection in use, or is about to be dialled, once all has settled', () => {
    fc.assert(
      fc.property(sequence, (steps) => {
        const truth = play(steps, false, () => {});
        settle(truth);
        const willDial = truth.isDialling || truth.timers.has('dial 2');
        expect(truth.used !== null || willDial).toBe(true);
        // Nothing that leads nowhere is in use.
        if (truth.used !== null) expect(truth.wires[truth.used - 1]!.process.isAlive).toBe(true);
      }),
      RUNS,
    );
  });

  it('a peer has one connection once all has settled: the oldest, which may have been silent for a while', () => {
    fc.assert(
      fc.property(sequence, (steps) => {
        const truth = play(steps, false, () => {});
        const before = truth.accepted.filter((each) => truth.wires[each - 1]!.isOpen);
        settle(truth);
        const after = truth.wires.filter(({ isOpen, process }) => isOpen && process.isAlive);
        expect(after.map(({ number }) => number)).toEqual(truth.used === null ? [] : [truth.used]);
        if (truth.used === null) return;
        const { process } = truth.wires[truth.used - 1]!;
        const oldest = before.find((each) => truth.wires[each - 1]!.process === process);
        expect(oldest ?? truth.used).toBe(truth.used);
      }),
      RUNS,
    );
  });
});
