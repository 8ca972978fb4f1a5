import { assert } from '../../core/index.ts';
import { isPrompt, oneMore } from './bounds.ts';
import type { Followed, Model, Transition, Visit } from './model.ts';
import type { Outcome } from './outcomes.ts';

/** More messages that arrive at once are an endless loop. */
const MOST_AT_ONCE = 1000;

/** A burst of a network without delay (PromptNetwork), as far as it has got. */
interface Burst extends Transition {
  /** Messages that wait to arrive, in the order of sending. */
  readonly queue: readonly number[];
  /** The links, by direction, that are broken, and those that a message of this burst has passed. */
  readonly broken: number;
  readonly passed: number;
}

/** One outcome, replacing the state that the transition has led to so far. */
type Happen = (before: Int32Array, transition: Transition, i: number, outcome: Outcome) => void;

/** Messages that arrive before the next event: their effects are part of the step that sent them. */
export class Bursts {
  readonly #model: Model;
  readonly #happen: Happen;
  readonly #before: Int32Array;

  constructor(model: Model, happen: Happen) {
    this.#model = model;
    this.#happen = happen;
    this.#before = new Int32Array(model.width);
  }

  /**
   * Delivers messages that arrive at once, and those that their receivers send. Draws on the way get the first
   * possible answer.
   */
  follow(transition: Transition, messages: readonly number[]): void {
    const { outcomes } = this.#model;
    const queue = [...messages];
    const followed: Followed[] = [];
    for (let message = queue.shift(); message !== undefined; message = queue.shift()) {
      const member = outcomes.receiver(message);
      if (member < 0 || !outcomes.facts(transition.to[member]!).alive) continue;
      const outcome = outcomes.of(transition.to[member]!, message)[0]!;
      this.#before.set(transition.to);
      this.#happen(this.#before, transition, member, outcome);
      followed.push({ member, cause: message, outcome });
      queue.push(...outcome.atOnce);
      assert(followed.length < MOST_AT_ONCE, 'messages that arrive at once never end');
    }
    transition.followed = followed;
  }

  /** Visits every way in which a burst that begins with these messages can end. */
  converse(transition: Transition, messages: readonly number[], visit: Visit): void {
    const first: Burst = {
      ...transition,
      to: Int32Array.from(transition.to),
      followed: [],
      queue: messages,
      broken: 0,
      passed: 0,
    };
    this.#continue(first, transition, visit);
  }

  /** The next message arrives, or is lost because its link is broken for the rest of the burst, or is late. */
  #continue(burst: Burst, transition: Transition, visit: Visit): void {
    const { outcomes, cluster, bounds, faults, net, inFlight } = this.#model;
    const { queue, to, passed, broken } = burst;
    const [message, ...rest] = queue;
    if (message === undefined) return this.#end(burst, transition, visit);
    const member = outcomes.receiver(message);
    const link = 1 << (cluster.ids.length * outcomes.sender(message) + member);
    if (member < 0 || (broken & link) !== 0 || !outcomes.facts(to[member]!).alive)
      return this.#continue({ ...burst, queue: rest }, transition, visit);
    const after = { ...burst, queue: rest, passed: passed | link };
    this.#continue(this.#arrive(after, transition, member, message), transition, visit);
    const { network } = bounds;
    if (!isPrompt(network)) return;
    if (network.breaks === 'any' || (passed & link) === 0)
      this.#continue({ ...burst, queue: rest, broken: broken | link }, transition, visit);
    if (!this.#model.mayStill(to[faults]!, 'late')) return;
    const kept = Int32Array.from(to);
    kept[faults] = oneMore(to[faults]!, 'late');
    kept[net] = inFlight.with(to[net]!, inFlight.id([message]));
    this.#continue({ ...after, to: kept }, transition, visit);
  }

  /** Draws on the way get the first possible answer, and no process dies in the middle of a save. */
  #arrive(burst: Burst, transition: Transition, member: number, message: number): Burst {
    const followed = [...burst.followed];
    assert(followed.length < MOST_AT_ONCE, 'messages that arrive at once never end');
    transition.to.set(burst.to);
    transition.findings = burst.findings;
    transition.beyond = burst.beyond;
    const outcome = this.#model.outcomes.of(burst.to[member]!, message)[0]!;
    this.#happen(burst.to, transition, member, outcome);
    followed.push({ member, cause: message, outcome });
    const { findings, beyond } = transition;
    const queue = [...burst.queue, ...outcome.atOnce];
    return { ...burst, to: Int32Array.from(transition.to), findings, beyond, queue, followed };
  }

  #end({ to, followed, findings, beyond }: Burst, transition: Transition, visit: Visit): void {
    transition.to.set(to);
    transition.followed = followed;
    transition.findings = findings;
    transition.beyond = beyond;
    this.#model.forget(transition.to);
    visit(transition);
  }
}
