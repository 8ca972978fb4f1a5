import type { Property } from '../../core/index.ts';
import type { Bounds } from '../model/bounds.ts';
import { Causes } from '../model/causes.ts';
import { Choices } from '../model/choices.ts';
import type { Cluster } from '../model/cluster.ts';
import type { Lessons } from '../model/lessons.ts';
import { Model } from '../model/model.ts';
import type { Script } from '../model/script.ts';
import { type Root, rootsOf } from '../model/stage.ts';
import type { Loop } from './loops.ts';
import { Quotient } from './quotient.ts';
import { Settling } from './settling.ts';

/** The graph of a cluster's states, and the means to search it. */
export interface Space {
  readonly cluster: Cluster;
  readonly bounds: Bounds;
  readonly model: Model;
  readonly choices: Choices;
  readonly roots: readonly Root[];
  /** Null if members are not interchangeable. */
  readonly quotient: Quotient | null;
  /**
   * For a search that treats the places in a loop as equal. There is only one, since the quotient refers to its loops
   * by number.
   */
  readonly settling: Settling;
}

export function spaceOf(
  cluster: Cluster,
  bounds: Bounds,
  script: Script,
  watched: ReadonlySet<Property>,
  lessons: Lessons,
): Space {
  const loses = bounds.network !== 'any' || script.some((each) => each.do === 'lose');
  const model = new Model(cluster, bounds, watched, lessons, !loses && bounds.atOnce.length === 0);
  const causes = new Causes(model.outcomes);
  const roots = rootsOf(model, causes, script);
  const quotient = lessons.asymmetry === null ? new Quotient(model, roots) : null;
  const choices = new Choices(model, causes);
  return { cluster, bounds, model, choices, roots, quotient, settling: new Settling(model) };
}

/**
 * The representative of this state; valid until the next call. With loops, it represents all that differ only in the
 * places in them.
 */
export function representative(
  { quotient }: Space,
  state: Int32Array,
  loops: readonly Loop[] | null = null,
): Int32Array {
  if (quotient !== null) {
    quotient.canonical(state, loops);
    return quotient.found;
  }
  loops?.forEach(({ locals }, i) => {
    state[i] = locals[0]!;
  });
  return state;
}
