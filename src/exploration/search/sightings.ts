import { isAgreed } from '../../properties/index.ts';
import { countOf } from '../model/bounds.ts';
import type { Cluster } from '../model/cluster.ts';
import type { Model, Transition } from '../model/model.ts';
import type { Outcome } from '../model/outcomes.ts';
import type { Space } from './space.ts';
import type { Permutation } from './symmetry.ts';

/** What should be seen at least once. The names appear in results. */
export type Sight =
  | 'a member leads'
  | 'every member leads in some state'
  | 'all agree on a leader'
  | 'two members have led'
  | 'a member wins after a crash'
  | 'a vote is cast after a restart';

/**
 * Guards against a check that is true only because nothing happened: each of these must be seen in some state. What
 * one member can do counts for all that it is interchangeable with.
 */
export class Sightings {
  readonly #model: Model;
  readonly #n: number;
  readonly #permutations: readonly Pick<Permutation, 'to'>[];
  readonly #ids: Cluster['ids'];
  readonly #seen = new Map<Sight, boolean>();
  /** The indices of the first membership. */
  readonly #insiders: readonly number[];
  readonly #led: boolean[] = [];
  #left: number;

  constructor({ model, cluster, bounds, quotient }: Space) {
    this.#model = model;
    this.#n = cluster.ids.length;
    this.#ids = cluster.ids;
    this.#insiders = cluster.insiders.map((id) => cluster.ids.indexOf(id));
    this.#permutations = quotient?.permutations ?? [{ to: this.#ids.map((_, i) => i) }];
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

  /** What the start of all members alone has brought. */
  lookAtRoot(state: Int32Array): void {
    for (let i = 0; i < this.#n; i++) if (this.#model.outcomes.facts(state[i]!).claims) this.#lead(i);
    if (this.#allAgree(state)) this.#see('all agree on a leader');
    if (this.#model.histories.hasTwoLeaders(state[this.#model.past]!)) this.#see('two members have led');
  }

  look({ outcome, member, followed, to }: Transition): void {
    if (this.#left === 0 || outcome === null) return;
    this.#lookAt(outcome, member, to);
    for (const each of followed) this.#lookAt(each.outcome, each.member, to);
    if (this.#seen.get('all agree on a leader') === false && this.#allAgree(to))
      this.#see('all agree on a leader');
  }

  #lookAt(outcome: Outcome, member: number, to: Int32Array): void {
    const { outcomes, histories } = this.#model;
    if (outcomes.facts(outcome.local).claims) this.#lead(member);
    const crashed = countOf(to[this.#model.faults]!, 'crashes') > 0;
    if (outcome.wins) {
      if (crashed) this.#see('a member wins after a crash');
      if (histories.hasTwoLeaders(to[this.#model.past]!)) this.#see('two members have led');
    }
    if (outcome.votes && crashed && this.#allRun(to)) this.#see('a vote is cast after a restart');
  }

  #lead(member: number): void {
    if (this.#seen.get('every member leads in some state') === true) return;
    this.#see('a member leads');
    for (const { to } of this.#permutations) this.#led[to[member]!] = true;
    if (this.#insiders.every((insider) => this.#led[insider])) this.#see('every member leads in some state');
  }

  #allRun(state: Int32Array): boolean {
    for (let i = 0; i < this.#n; i++) if (!this.#model.outcomes.facts(state[i]!).alive) return false;
    return true;
  }

  #allAgree(state: Int32Array): boolean {
    return isAgreed(this.#ids.map((_, i) => this.#model.outcomes.facts(state[i]!)));
  }

  #see(sight: Sight): void {
    if (this.#seen.get(sight) !== false) return;
    this.#seen.set(sight, true);
    this.#left -= 1;
  }
}
