import { countOf } from './bounds.ts';
import type { Cluster } from './cluster.ts';
import type { Model, Transition } from './model.ts';
import type { Space } from './space.ts';

/** What should be seen at least once. The names appear in results. */
export type Sight =
  | 'a member leads'
  | 'every member leads in some state'
  | 'all agree on a leader'
  | 'two members have led'
  | 'a member wins after a crash'
  | 'a vote is cast after a restart';

/**
 * Guards against a check that is true only because nothing happened: each of these must be seen in some state.
 * With exchangeable members, what one can do the others can.
 */
export class Sightings {
  readonly #model: Model;
  readonly #n: number;
  readonly #exchangeable: boolean;
  readonly #ids: Cluster['ids'];
  readonly #seen = new Map<Sight, boolean>();
  readonly #led: boolean[] = [];
  #left: number;

  constructor({ model, cluster, bounds, quotient }: Space) {
    this.#model = model;
    this.#n = cluster.ids.length;
    this.#ids = cluster.ids;
    this.#exchangeable = quotient !== null;
    const sights: Sight[] = ['a member leads', 'every member leads in some state', 'all agree on a leader'];
    if (this.#n > 1) sights.push('two members have led');
    if (bounds.crashes > 0) sights.push('a member wins after a crash');
    if (bounds.crashes > 0 && cluster.protocol.vote !== undefined)
      sights.push('a vote is cast after a restart');
    for (const sight of sights) this.#seen.set(sight, false);
    this.#left = sights.length;
  }

  result(): Record<string, boolean> {
    return Object.fromEntries(this.#seen);
  }

  /** What everybody's start alone has brought. */
  lookAtRoot(state: Int32Array): void {
    for (let i = 0; i < this.#n; i++) if (this.#model.outcomes.facts(state[i]!).claims) this.#lead(i);
    if (this.#allAgree(state)) this.#see('all agree on a leader');
    if (this.#model.histories.hasTwoLeaders(state[this.#model.past]!)) this.#see('two members have led');
  }

  look({ outcome, member, to }: Transition): void {
    if (this.#left === 0 || outcome === null) return;
    const { outcomes, histories } = this.#model;
    const { claims } = outcomes.facts(outcome.local);
    if (claims) this.#lead(member);
    const crashed = countOf(to[this.#model.faults]!, 'crashes') > 0;
    if (outcome.wins) {
      if (crashed) this.#see('a member wins after a crash');
      if (histories.hasTwoLeaders(to[this.#model.past]!)) this.#see('two members have led');
    }
    if (outcome.votes && crashed && this.#allRun(to)) this.#see('a vote is cast after a restart');
    if (this.#seen.get('all agree on a leader') === false && this.#allAgree(to))
      this.#see('all agree on a leader');
  }

  #lead(member: number): void {
    this.#see('a member leads');
    this.#led[member] = true;
    const many = this.#led.filter(Boolean).length;
    if (this.#exchangeable || many === this.#n) this.#see('every member leads in some state');
  }

  #allRun(state: Int32Array): boolean {
    for (let i = 0; i < this.#n; i++) if (!this.#model.outcomes.facts(state[i]!).alive) return false;
    return true;
  }

  #allAgree(state: Int32Array): boolean {
    const { leader } = this.#model.outcomes.facts(state[0]!);
    if (leader === null) return false;
    for (let i = 0; i < this.#n; i++) {
      const facts = this.#model.outcomes.facts(state[i]!);
      if (facts.leader !== leader || (this.#ids[i] === leader && !facts.claims)) return false;
    }
    return true;
  }

  #see(sight: Sight): void {
    if (this.#seen.get(sight) !== false) return;
    this.#seen.set(sight, true);
    this.#left -= 1;
  }
}
