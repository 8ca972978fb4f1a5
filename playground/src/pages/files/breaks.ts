import type { Violation } from '../../../../src/simulation/index.ts';
import { listed, nameProperty } from '../../../../src/story/index.ts';
import { isGrave } from '../../game/cause/alarms.ts';
import { seconds } from '../../game/words/seconds.ts';
import { inItsWords } from '../../game/words/term-words.ts';

interface Break {
  readonly atMs: number;
  /** "breaks S1, “one winner per epoch”, at 8.1 ms; also S4 and S9" */
  readonly words: string;
}

/** The gravest thing that does not hold in a run, promised or not, and what else. Null if all that is watched holds. */
export function breakOf(violations: readonly Violation[], protocol: string): Break | null {
  const gravest =
    violations.find(isGrave) ?? violations.find((each) => each.property === 'S10') ?? violations[0];
  if (gravest === undefined) return null;
  const { property, atMs } = gravest;
  const others = [...new Set(violations.map((each) => each.property))].filter((each) => each !== property);
  const rest = others.length === 0 ? '' : `; also ${listed(others)}`;
  const name = inItsWords(nameProperty(property), protocol);
  return { atMs, words: `breaks ${property}, “${name}”, at ${seconds(atMs)}${rest}` };
}
