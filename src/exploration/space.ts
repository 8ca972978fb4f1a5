import type { Property } from '../core/index.ts';
import type { Bounds } from './bounds.ts';
import { Choices } from './choices.ts';
import type { Cluster } from './cluster.ts';
import type { Lessons } from './lessons.ts';
import { Model } from './model.ts';
import { Quotient } from './quotient.ts';

/** What is searched: the graph of a cluster's states, and the means to walk it. */
export interface Space {
  readonly cluster: Cluster;
  readonly bounds: Bounds;
  readonly model: Model;
  readonly choices: Choices;
  /** Null if members are not exchanged for each other. */
  readonly quotient: Quotient | null;
}

export function spaceOf(
  cluster: Cluster,
  bounds: Bounds,
  watched: ReadonlySet<Property>,
  lessons: Lessons,
): Space {
  const model = new Model(cluster, bounds, watched, lessons);
  const quotient = lessons.asymmetry === null ? new Quotient(model, cluster.ids.length) : null;
  return { cluster, bounds, model, choices: new Choices(model), quotient };
}

/** The state that stands for this one; valid until the next call. */
export function representative({ quotient }: Space, state: Int32Array): Int32Array {
  if (quotient === null) return state;
  quotient.canonical(state);
  return quotient.found;
}
