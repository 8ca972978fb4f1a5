import { troubles } from './comparing.ts';
import { type Fault, faults } from './faults.ts';
import type { Compared, Example, Explored, Tried } from './jobs.ts';
import { appliesTo, PROPERTIES, type Subject, subjects } from './subjects.ts';
import { written } from './written.ts';

/** Everything that was found out. */
export interface Findings {
  readonly explored: readonly Explored[];
  readonly tried: readonly Tried[];
  readonly compared: readonly Compared[];
}

/** Whether a property holds for an election under one kind of fault. */
export type Cell =
  | { readonly verdict: 'holds' | 'means nothing' | 'not looked at' }
  | { readonly verdict: 'broken'; readonly claimed: boolean; readonly file: string | null };

export interface Row {
  readonly subject: Subject;
  readonly fault: string;
  readonly tried: Tried;
  readonly explored: Explored | null;
  readonly cells: ReadonlyMap<string, Cell>;
}

export interface File extends Example {
  /** Without `.json`: the election, the fault, and what is broken. */
  readonly name: string;
  readonly subject: string;
  readonly fault: string;
}

/** The columns: what must always hold, that all agree in the end, and that no healthy leader is deposed. */
export const COLUMNS: readonly string[] = [...PROPERTIES, 'L1', 'L4'];

/** Looks at all kinds of faults of all elections, and picks as few counterexamples as show all that is broken. */
export function judge(found: Findings): { readonly rows: readonly Row[]; readonly files: readonly File[] } {
  const files: File[] = [];
  const rows: Row[] = [];
  for (const subject of subjects) {
    for (const fault of faults) rows.push(rowOf(found, subject, fault, rows, files));
  }
  return { rows, files };
}

function rowOf(
  found: Findings,
  subject: Subject,
  { name: fault, includes, breaks }: Fault,
  rows: readonly Row[],
  files: File[],
): Row {
  const isOurs = ({ job }: { job: { subject: string; fault: string | null } }): boolean =>
    job.subject === subject.name && job.fault === fault;
  const tried = found.tried.find(isOurs)!;
  const explored = found.explored.find(isOurs) ?? null;
  const compared = found.compared.find((each) => each.subject === subject.name && each.trouble === fault);
  const own = written.filter((each) => each.subject === subject.name && each.fault === fault);
  const broken = brokenBy(tried, explored, [...own, ...(compared?.example ? [compared.example] : [])]);
  const examples = examplesFrom(tried, explored, compared, own);
  const contained = rows.filter((row) => row.subject === subject && includes.includes(row.fault));
  const cells = COLUMNS.map((property): [string, Cell] => {
    if (!appliesTo(subject, property)) return [property, { verdict: 'means nothing' }];
    const inherited = contained
      .map((row) => row.cells.get(property)!)
      .find((cell) => cell.verdict === 'broken');
    const claimed = broken.get(property);
    if (inherited !== undefined && claimed !== true) return [property, inherited];
    if (claimed !== undefined) {
      return [
        property,
        { verdict: 'broken', claimed, file: fileFor(subject, fault, property, examples, files) },
      ];
    }
    // The members need not come to agree when what a leader needs may be gone.
    const isAsked = property === 'L4' ? sparesLeaders(fault) : property !== 'L1' || breaks !== 'one-disk';
    return [property, { verdict: isAsked ? 'holds' : 'not looked at' }];
  });
  return { subject, fault, tried, explored, cells: new Map(cells) };
}

/** What is broken, and whether it was promised. */
function brokenBy(
  tried: Tried,
  explored: Explored | null,
  examples: readonly Example[],
): Map<string, boolean> {
  const broken = new Map<string, boolean>();
  for (const { property, claimed } of [...tried.broken, ...(explored?.result.violations ?? [])]) {
    broken.set(property, claimed || broken.get(property) === true);
  }
  const seen = examples.flatMap(({ properties }) => properties);
  if (explored !== null && explored.result.eventually.failed !== null) seen.push('L1');
  for (const property of seen) if (!broken.has(property)) broken.set(property, false);
  return broken;
}

/** The best first. */
function examplesFrom(
  tried: Tried,
  explored: Explored | null,
  compared: Compared | undefined,
  own: readonly Example[],
): readonly Example[] {
  const shortest = (explored?.result.violations ?? []).flatMap((violation) => {
    const { property, scenario, replays, trace, shortest: isShortest } = violation;
    return scenario !== null && replays ? [{ scenario, properties: [property], trace, isShortest }] : [];
  });
  const common = compared?.example ? [compared.example] : [];
  // Where the leader is spared it is the point that the trouble goes on and on; else the smallest run tells it best.
  const lasting = compared !== undefined && sparesLeaders(compared.trouble);
  return lasting
    ? [...shortest, ...common, ...own, ...tried.examples]
    : [...shortest, ...own, ...tried.examples, ...common];
}

function sparesLeaders(fault: string): boolean {
  return troubles.some((trouble) => trouble.name === fault && trouble.sparesLeaders);
}

/** The counterexample for a property: one that is there already, if it shows this too. */
function fileFor(
  subject: Subject,
  fault: string,
  property: string,
  examples: readonly Example[],
  files: File[],
): string | null {
  const shows = ({ properties }: Example): boolean => properties.includes(property);
  const known = files.find((file) => file.subject === subject.name && file.fault === fault && shows(file));
  if (known !== undefined) return known.name;
  const example = examples.find(shows);
  if (example === undefined) return null;
  const properties = COLUMNS.filter((each) => example.properties.includes(each));
  const name = [subject.name, fault, ...properties].join('-');
  files.push({ ...example, properties, name, subject: subject.name, fault });
  return name;
}
