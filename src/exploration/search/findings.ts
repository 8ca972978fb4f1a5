import type { Assumption, Property } from '../../core/index.ts';
import { isPromised } from '../../properties/index.ts';
import { countOf } from '../model/bounds.ts';
import type { Model, Transition } from '../model/model.ts';

/** Where a property was first seen broken: by which action of which state. */
export interface Found {
  readonly property: Property;
  /** Did the protocol promise it under what happened so far? */
  readonly claimed: boolean;
  readonly state: number;
  /** Null if it was broken as soon as all members had started. */
  readonly action: number | null;
}

/** The first violation of each property, once within what the protocol promised and once outside. */
export class Findings {
  readonly all: Found[] = [];
  readonly #model: Model;

  constructor(model: Model) {
    this.#model = model;
  }

  note({ findings, to }: Pick<Transition, 'findings' | 'to'>, state: number, action: number | null): void {
    for (const { property } of findings) {
      const claimed = isPromised(this.#model.cluster.protocol, property, brokenBy(to[this.#model.faults]!));
      if (!this.has(property, claimed)) this.all.push({ property, claimed, state, action });
    }
  }

  has(property: Property, claimed: boolean): boolean {
    return this.all.some((found) => found.property === property && found.claimed === claimed);
  }
}

/** Coarser than in a simulation: a second lost disk breaks `one-disk`, even if the first member has its seat again. */
function brokenBy(faults: number): Set<Assumption> {
  const broken = new Set<Assumption>();
  if (countOf(faults, 'amnesia') > 0) broken.add('disk');
  if (countOf(faults, 'amnesia') > 1) broken.add('one-disk');
  if (countOf(faults, 'falseProof') > 0) broken.add('proof');
  return broken;
}
