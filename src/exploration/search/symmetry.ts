import { assert, isSame, type Json, type MemberId } from '../../core/index.ts';
import { aliasOf } from '../model/names.ts';

/** Members turned out not to be interchangeable. */
export class NotSymmetric extends Error {}

/** Member i takes the place of member `to[i]`. */
export interface Permutation {
  readonly to: readonly number[];
  readonly from: readonly number[];
  /** The alias that replaces each. */
  readonly names: readonly MemberId[];
  /** The number of the permutation that undoes this one. */
  readonly inverse: number;
}

/** All permutations of n members, or a group of them; the first changes nothing. */
export function permutationsOf(
  n: number,
  isIn: (names: readonly MemberId[], from: readonly number[]) => boolean = () => true,
): readonly Permutation[] {
  const orders = ordersOf(n).filter((to) => {
    const from = to.map((_, i) => to.indexOf(i));
    return isIn(to.map(aliasOf), from);
  });
  return orders.map((to) => {
    const from = to.map((_, i) => to.indexOf(i));
    const inverse = orders.findIndex((order) => order.join() === from.join());
    return { to, from, names: to.map(aliasOf), inverse };
  });
}

function ordersOf(n: number): number[][] {
  if (n === 0) return [[]];
  return ordersOf(n - 1).flatMap((rest) =>
    Array.from({ length: n }, (_, at) => [...rest.slice(0, n - 1 - at), n - 1, ...rest.slice(n - 1 - at)]),
  );
}

/** A store of numbered values. */
interface Numbered<T> {
  id(value: T): number;
  value(id: number): T;
}

/**
 * The numbered values of one kind under an exchange of members. A renaming must be undone by the inverse renaming,
 * else two different states could be treated as equal; that is checked for every value.
 */
export class Renamed<T> {
  readonly #interner: Numbered<T>;
  readonly #permutations: readonly Permutation[];
  readonly #rename: (value: T, permutation: number) => T;
  /** By permutation, then by number: the number of the renamed value, or -1. */
  readonly #known: Int32Array[];
  /**
   * The value from which a value was first made by renaming, and by which permutation. One permutation and then another are a
   * third: what the first value becomes under that one is often known already, and need not be made and compared again.
   */
  readonly #origin: number[] = [];
  readonly #by: number[] = [];
  /** By two permutations: the one that is the first of them and then the second. */
  readonly #products: readonly (readonly number[])[];

  constructor(
    interner: Numbered<T>,
    permutations: readonly Permutation[],
    rename: (value: T, permutation: number) => T,
  ) {
    this.#interner = interner;
    this.#permutations = permutations;
    this.#rename = rename;
    this.#known = permutations.map(() => new Int32Array(1024).fill(-1));
    this.#products = productsOf(permutations);
  }

  of(id: number, permutation: number): number {
    if (permutation === 0) return id;
    const known = this.#known[permutation]!;
    const found = id < known.length ? known[id]! : -1;
    return found >= 0 ? found : this.#learn(id, permutation);
  }

  #learn(id: number, permutation: number): number {
    const back = this.#permutations[permutation]!.inverse;
    this.#origin[id] ??= id;
    this.#by[id] ??= 0;
    const origin = this.#origin[id];
    const product = this.#products[this.#by[id]]![permutation]!;
    let renamed = product === 0 ? origin : (this.#known[product]![origin] ?? -1);
    if (renamed < 0) {
      const value = this.#interner.value(id);
      renamed = this.#interner.id(this.#rename(value, permutation));
      const again = this.#rename(this.#interner.value(renamed), back);
      if (!isSame(again as Json, value as Json))
        throw new NotSymmetric('a list of members has an order that matters');
      this.#note(origin, product, renamed);
      this.#origin[renamed] ??= origin;
      this.#by[renamed] ??= product;
    }
    this.#note(id, permutation, renamed);
    this.#note(renamed, back, id);
    return renamed;
  }

  #note(id: number, permutation: number, renamed: number): void {
    let known = this.#known[permutation]!;
    if (id >= known.length) {
      const larger = new Int32Array(Math.max(2 * known.length, id + 1)).fill(-1);
      larger.set(known);
      known = larger;
      this.#known[permutation] = known;
    }
    assert(known[id] === -1 || known[id] === renamed, 'renaming is ambiguous');
    known[id] = renamed;
  }
}

function productsOf(permutations: readonly Permutation[]): number[][] {
  return permutations.map((first) =>
    permutations.map((second) => {
      const product = first.to.map((place) => second.to[place]!).join();
      return permutations.findIndex(({ to }) => to.join() === product);
    }),
  );
}
