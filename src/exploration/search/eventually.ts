import { type Delay, type MemberId, Random } from '../../core/index.ts';
import { isAgreed } from '../../properties/index.ts';
import type { Cluster } from '../model/cluster.ts';
import { type Cause, type Local, react } from '../model/member.ts';
import type { Model } from '../model/model.ts';
import type { Space } from './space.ts';
import type { States } from './state-store.ts';

/**
 * Does every state lead to one leader that all agree on, once the faults stop? That is checked from a sample of the
 * states, evenly spread over all of them: members that are down start with their disks, every message in flight
 * arrives, timers take their time, and from then on nothing is lost.
 */
export interface Eventually {
  /** How many states were tried, and from how many of them all members agreed. */
  readonly tried: number;
  readonly agreed: number;
  /** The most inputs that it took. */
  readonly steps: number;
  /** The number of the first state from which the members did not agree, or null. */
  readonly failed: number | null;
}

const MOST_STEPS = 2000;
/** Further failures add nothing. */
const MOST_FAILURES = 10;
const LATENCY_MS: Delay = [1, 10];
/** Later than any earlier start. */
const LATEST = 1000;
/** How long a running timer may still take. */
const REST_MS: Delay = [0, 100];

export function checkEventually({ model, cluster }: Space, states: States, samples: number): Eventually {
  const state = new Int32Array(model.width);
  const stride = Math.max(1, Math.ceil(states.size / Math.max(1, samples)));
  let tried = 0;
  let agreed = 0;
  let steps = 0;
  let failed: number | null = null;
  for (let index = 0; index < states.size && samples > 0; index += stride) {
    if (tried - agreed === MOST_FAILURES) break;
    states.read(index, state);
    const taken = new Calm(cluster, index).run(model, state);
    tried += 1;
    if (taken === null) failed ??= index;
    else agreed += 1;
    steps = Math.max(steps, taken ?? 0);
  }
  return { tried, agreed, steps, failed };
}

interface Due {
  readonly atMs: number;
  readonly member: number;
  readonly cause: Cause;
}

/** A cluster without further faults. */
class Calm {
  readonly #cluster: Cluster;
  readonly #random: Random;
  readonly #locals: Local[] = [];
  #due: Due[] = [];
  #nowMs = 0;

  constructor(cluster: Cluster, seed: number) {
    this.#cluster = cluster;
    this.#random = new Random(seed, 'calm');
  }

  /** After how many inputs all agree, or null if that takes too long. */
  run(model: Model, state: Int32Array): number | null {
    const { outcomes, inFlight } = model;
    for (let i = 0; i < this.#cluster.ids.length; i++) {
      const local = outcomes.locals.value(state[i]!);
      this.#locals.push(local);
      if (!local.alive) this.#plan(i, { type: 'start', amnesia: false, incarnation: LATEST }, 0);
      for (const timer of local.timers) this.#plan(i, { type: 'timer', timer }, REST_MS);
    }
    for (const message of inFlight.lists.value(state[model.net]!)) {
      const to = outcomes.receiver(message);
      if (to >= 0) this.#plan(to, outcomes.causes.value(message), LATENCY_MS);
    }
    for (let steps = 0; steps <= MOST_STEPS; steps++) {
      if (this.#allAgree()) return steps;
      if (!this.#step()) return null;
    }
    return null;
  }

  #plan(member: number, cause: Cause, delay: Delay): void {
    const [min, max] = typeof delay === 'number' ? [delay, delay] : delay;
    this.#due.push({ atMs: this.#nowMs + min + (max - min) * this.#random.fraction(), member, cause });
  }

  #step(): boolean {
    const next = this.#due.reduce<Due | null>(
      (first, each) => (first === null || each.atMs < first.atMs ? each : first),
      null,
    );
    if (next === null) return false;
    const { member, cause } = next;
    this.#due = this.#due.filter((each) => each !== next);
    this.#nowMs = next.atMs;
    const local = this.#locals[member]!;
    if (!local.alive && cause.type !== 'start') return true; // It arrives before its receiver has started.
    const fate = {
      draws: Array.from({ length: 8 }, () => this.#random.draw64()),
      draw: '0',
      diesAtSave: null,
    };
    const reaction = react(this.#cluster.protocol, this.#cluster.selves[member]!, local, cause, fate);
    this.#locals[member] = reaction.local;
    for (const { timer, delayMs } of reaction.timers) {
      this.#due = this.#due.filter(
        (each) => each.member !== member || each.cause.type !== 'timer' || each.cause.timer !== timer,
      );
      if (delayMs !== null) this.#plan(member, { type: 'timer', timer }, delayMs);
    }
    for (const envelope of reaction.sends) {
      const to = this.#indexOf(envelope.to);
      if (to >= 0) this.#plan(to, { type: 'message', ...envelope }, LATENCY_MS);
    }
    return true;
  }

  #allAgree(): boolean {
    return isAgreed(
      this.#locals.map(({ member, view }) => ({
        id: member,
        leader: view?.leader ?? null,
        claims: view?.role === 'leader',
        // A list that the voters only found out is no agreed membership: all of them have to agree.
        members: view?.electors === undefined ? (view?.members ?? null) : null,
      })),
    );
  }

  #indexOf(member: MemberId): number {
    return this.#cluster.ids.indexOf(member);
  }
}
