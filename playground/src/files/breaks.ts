import { listed } from '../../../src/cli/names.ts';
import { nameProperty } from '../../../src/cli/property-names.ts';
import type { Violation } from '../../../src/simulation/index.ts';
import { seconds } from '../app/seconds.ts';
import { inItsWords } from '../words/term-words.ts';

interface Break {
  readonly atMs: number;
  /** "breaks S1, “one winner per epoch”, at 8.1 ms; then S4 and S9" */
  readonly words: string;
}

/** The first thing that does not hold in a run, promised or not, and what follows. Null if everything holds. */
export function firstBreak(violations: readonly Violation[], protocol: string): Break | null {
  const [first] = violations;
  if (first === undefined) return null;
  const { property, atMs } = first;
  const others = [...new Set(violations.map((each) => each.property))].filter((each) => each !== property);
  const rest = others.length === 0 ? '' : `; then ${listed(others)}`;
  const name = inItsWords(nameProperty(property), protocol);
  return { atMs, words: `breaks ${property}, “${name}”, at ${seconds(atMs)}${rest}` };
}
