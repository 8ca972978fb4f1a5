import type { Model, Transition } from './model.ts';
import type { Outcome } from './outcomes.ts';

/** Is told each thing that saturation let happen. */
export type Tell = (member: number, cause: number, outcome: Outcome) => void;

/**
 * Lets everything happen that does nothing but send. In a network that keeps every message for ever, more messages
 * allow everything that fewer do; so the state after that can stand for the one before it, and a cluster full of
 * heartbeats and refusals that change nobody's mind is one state instead of thousands.
 */
export class Saturation {
  readonly #model: Model;
  readonly #n: number;
  readonly #withTimers: boolean;

  constructor(model: Model) {
    this.#model = model;
    this.#n = model.cluster.ids.length;
    this.#withTimers = model.bounds.timers === null; // Else each one that fires is counted, and changes the state.
  }

  /** Changes the state in place. */
  saturate(state: Int32Array, tell?: Tell): void {
    const known = state[this.#model.net]!;
    for (let i = 0; i < this.#n; i++) this.#awaken(state, i, tell);
    this.#spread(state, known, tell);
  }

  /** The same where the state before the transition was saturated: only what is new can lead to more. */
  saturateAfter(before: Int32Array, { to, member, followed }: Transition): void {
    const { net, past, running } = this.#model;
    if (to[past] !== before[past] || to[running] !== before[running]) return this.saturate(to);
    this.#awaken(to, member);
    for (const each of followed) this.#awaken(to, each.member);
    this.#spread(to, before[net]!);
  }

  /** One member looks at all its timers and everything that is under way to it. */
  #awaken(state: Int32Array, i: number, tell?: Tell): void {
    const { outcomes, inFlight, net } = this.#model;
    const facts = outcomes.facts(state[i]!);
    if (!facts.alive) return;
    if (this.#withTimers) for (const timer of facts.firing) this.#send(state, i, timer, tell);
    for (const message of inFlight.lists.value(state[net]!)) {
      if (outcomes.receiver(message) === i) this.#send(state, i, message, tell);
    }
  }

  /** Everybody looks at what has been sent since `known`, until nothing new is sent. */
  #spread(state: Int32Array, known: number, tell?: Tell): void {
    const { outcomes, inFlight, net } = this.#model;
    let seen = known;
    while (seen !== state[net]) {
      const now = state[net]!;
      for (const message of inFlight.added(seen, now)) {
        const i = outcomes.receiver(message);
        if (i >= 0 && outcomes.facts(state[i]!).alive) this.#send(state, i, message, tell);
      }
      seen = now;
    }
  }

  #send(state: Int32Array, i: number, cause: number, tell?: Tell): void {
    const { outcomes, inFlight, histories, leases, net, past, running } = this.#model;
    const { sending } = outcomes.of(state[i]!, cause);
    for (const outcome of sending) {
      const { timers, marks } = outcome;
      if (timers !== 0 && leases.after(state[running]!, i, timers) !== state[running]) continue;
      if (marks !== 0) {
        const next = histories.after(state[past]!, marks);
        if (next.past !== state[past] || next.findings.length > 0) continue;
      }
      const before = state[net]!;
      const after = inFlight.with(before, outcome.sends);
      if (after === before) continue;
      state[net] = after;
      this.#model.forget(state);
      if (state[net] === before) continue;
      tell?.(i, cause, outcome);
    }
  }
}
