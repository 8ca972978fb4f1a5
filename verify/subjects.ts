import { type Definition, type Json, type MemberId, type Property, readSettings } from '../src/core/index.ts';
import { catalogue } from '../src/protocols/index.ts';

/** An election as it is put to the test: a protocol with its options. */
export interface Subject {
  /** Also the first part of the names of its counterexamples. */
  readonly name: string;
  readonly definition: Definition;
  readonly options: Readonly<Record<string, Json>>;
  /** What one waits for a member that is silent, at the longest: what all times of a trial are measured in. */
  readonly timeoutMs: number;
  /** How many states of an exploration are looked at before it is given up. */
  readonly maxStates: number;
  /** Every state is checked separately: a member of `draw` remembers too much for a state to cover others. */
  readonly isExact: boolean;
  /** How many random runs there are for each kind of fault. */
  readonly runs: number;
}

const RUNS = 100;

function subject(name: string, more: Pick<Subject, 'timeoutMs' | 'maxStates'> & Partial<Subject>): Subject {
  const protocol = name.replace('-with-quorum', '');
  const options = name === protocol ? {} : { quorum: true };
  return {
    name,
    definition: catalogue[protocol]!,
    options,
    isExact: protocol === 'draw',
    runs: RUNS,
    ...more,
  };
}

export const subjects: readonly Subject[] = [
  subject('ring', { timeoutMs: 3000, maxStates: 100_000 }),
  subject('chang-roberts', { timeoutMs: 4000, maxStates: 100_000 }),
  subject('bully', { timeoutMs: 1000, maxStates: 1_000_000 }),
  subject('bully-with-quorum', { timeoutMs: 1000, maxStates: 60_000 }),
  subject('draw', { timeoutMs: 1000, maxStates: 300 }),
  subject('draw-with-quorum', { timeoutMs: 1000, maxStates: 300 }),
  subject('epoch', { timeoutMs: 3000, maxStates: 1_000_000 }),
  subject('quorum', { options: { preset: 'lan' }, timeoutMs: 300, maxStates: 10_000_000, runs: 500 }),
];

export function subjectNamed(name: string): Subject {
  return subjects.find((each) => each.name === name)!;
}

/** How it stands in a scenario. */
export function baseOf({ definition, options }: Subject): Readonly<Record<string, Json>> {
  return { protocol: definition.name, ...(Object.keys(options).length === 0 ? {} : { options }) };
}

export function protocolOf({ definition, options }: Subject): ReturnType<Definition['create']> {
  return definition.create({
    timing: readSettings(definition.timing, {}, 'timing'),
    options: readSettings(definition.options, options, 'options'),
  });
}

/** The member that the election prefers; null where it has no preference. */
export function preferredOf({ definition }: Subject, ids: readonly MemberId[]): MemberId | null {
  const prefer = definition.options.prefer?.default;
  return prefer === undefined ? null : prefer === 'lowest' ? ids[0]! : ids.at(-1)!;
}

export const PROPERTIES: readonly Property[] = ['S1', 'S2', 'S3', 'S4', 'S6', 'S9', 'S10', 'R1'];

/** Which of the properties mean something for it: without terms there is no winner of a term, without votes none is cast twice. */
export function appliesTo(subject: Subject, property: string): boolean {
  if (property === 'R1') return subject.definition.commands.includes('publish');
  if (property === 'S2' || property === 'S4') return protocolOf(subject).vote !== undefined;
  if (['S1', 'S3', 'S6', 'S9'].includes(property)) return hasTerms(subject);
  return true;
}

function hasTerms(subject: Subject): boolean {
  return !['ring', 'chang-roberts', 'bully'].includes(subject.name);
}
