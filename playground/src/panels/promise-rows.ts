import type { Pledge, Property } from '../../../src/core/index.ts';
import { SAFETY_NAMES } from '../../../src/properties/index.ts';
import { nameFallen, nameProperty } from '../../../src/story/index.ts';
import type { History } from '../game/history/history.ts';
import { seconds } from '../game/words/seconds.ts';
import { inItsWords } from '../game/words/term-words.ts';

interface PromiseRow {
  readonly property: Property;
  readonly name: string;
  readonly isPromised: boolean;
  /** "promised", or its condition. */
  readonly promise: string;
  readonly holds: boolean;
  /** A broken promise is a defect; any other property that did not hold is a limit of this protocol. */
  readonly isDefect: boolean;
  /** "holds", "not since 2.41 s". */
  readonly verdict: string;
  readonly detail: string;
  readonly atMs: number | null;
}

/** Every watched property, and its state at that moment. */
export function promiseRows(
  history: History,
  pledges: readonly Pledge[],
  protocol: string,
  ms: number,
): PromiseRow[] {
  return SAFETY_NAMES.map((property) => {
    const seen = history.violations.filter((each) => each.property === property && each.atMs <= ms);
    const first = seen.find((each) => each.claimed) ?? seen[0];
    const pledge = pledges.find((each) => each.property === property);
    const unless = pledge === undefined ? '' : nameFallen(pledge.assuming).replaceAll(' and ', ' or ');
    return {
      property,
      name: inItsWords(nameProperty(property), protocol),
      isPromised: pledge !== undefined,
      promise:
        pledge === undefined
          ? 'not promised'
          : unless === ''
            ? 'promised'
            : `promised, except after ${unless}`,
      holds: first === undefined,
      isDefect: first?.claimed ?? false,
      verdict: first === undefined ? 'holds' : `did not hold at ${seconds(first.atMs)}`,
      detail: first === undefined ? '' : inItsWords(first.detail, protocol),
      atMs: first?.atMs ?? null,
    };
  });
}
