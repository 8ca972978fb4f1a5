import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describeBounds } from '../src/exploration/index.ts';
import { nameFallen, nameProperty } from '../src/story/index.ts';
import { explorations as supportExplorations } from '../test/supporting/explorations.ts';
import { troubles } from './comparing.ts';
import { faults } from './faults.ts';
import { type Cell, COLUMNS, type File, type Row } from './findings.ts';
import type { Compared, Directed, Explored, Supported, Swarmed } from './jobs.ts';
import { checkCommandOf } from './repeating.ts';
import { numbered, storyOf } from './story.ts';
import { protocolOf, type Subject, subjects } from './subjects.ts';

export interface Contents {
  readonly rows: readonly Row[];
  readonly files: readonly File[];
  readonly explored: readonly Explored[];
  readonly compared: readonly Compared[];
  readonly swarmed: readonly Swarmed[];
  readonly directed: readonly Directed[];
  readonly unscripted: readonly Directed[];
  readonly supported: readonly Supported[];
}

export function documentOf(contents: Contents): string {
  const parts = [
    opening(),
    comparison(contents),
    ...subjects.map((subject) => section(subject, contents)),
    explorations(contents),
    memberships(contents),
    directions(contents),
    support(contents),
    swarm(contents),
    byHand,
    counterexamples(contents),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** What takes too long for this, and was run once. */
const byHand: string = readFileSync(path.join(import.meta.dirname, 'by-hand.md'), 'utf8').trim();

function opening(): string {
  return `# What holds, and what does not

This page is written by \`npm run verify\`, from what it has just seen; do not edit it. It takes some twenty-five minutes on two
free cores, and ends with an error if a promise was broken. \`npm run verify -- --only draw\` does the part of one election again
(also \`--only explore\`, \`trials\`, \`compare\`, \`swarm\`, \`unscripted\`, \`directed\`, \`support\`, \`mutants\`), \`-- --missing\` what was
never done; the rest comes from the answers of the last run (\`verify/answers.ndjson\`).

Each election is put through each kind of trouble, one kind at a time, in two ways where both apply:

- _explored_: three members, every order of events within the bounds that are listed [below](#explorations). Messages are late,
  lost, doubled and reordered at will, and any timer may fire at any time. "All" means that nothing within the bounds was left out.
  "Not all" means that the exploration was stopped: by its number of states, or after four minutes of processor time (other elections
  than \`quorum\`: half a minute).
- _runs_: three or five members in the simulator with times as they are by default, each run drawn from its seed. "Changes" counts
  the leaderships that began after the first, over all runs, so that one sees that something happened.

A cell says **holds** if neither way broke the property, and else leads to the shortest counterexample, which is a file that
\`caucus simulate\` replays. A property that is broken and was not promised is no bug, but a limit of that election. The names are
those of [guarantees](guarantees.md); L1: once the faults stop, all come to name one leader (in the runs); L4: no leader that
runs and hears a majority is deposed. \`·\` means that the election has no such thing (no terms, no votes, no values), or that
the question does not arise.`;
}

/** What the same trouble does to each of them: the known flaws, and what their cures buy. */
function comparison({ compared, files }: Contents): string {
  const names = troubles.map(({ name }) => name);
  const head = row(['election', ...names.map((name) => troubleTitle(name))]);
  const lines = subjects.map((subject) =>
    row([
      title(subject),
      ...names.map((name) =>
        comparedCell(compared.find((each) => each.subject === subject.name && each.trouble === name)!, files),
      ),
    ]),
  );
  return `## The same trouble for each

Five members, 20 seeds each. How much of the trouble's time two members could act, and how many leaders were deposed in a run
although no fault had happened to them. A stopped process counts as one that can act, since it would the moment it goes on, unless its lease ends.

${head}
${rule(names.length + 1)}
${lines.join('\n')}

What to see in it:

- The classics have two leaders for as long as a partition lasts. \`quorum: true\` is what ends that for bully and draw: the side
  without a majority gives up, after the time that it takes to notice. It does not help against a leader that was only stopped.
- \`epoch\` has two leaders for ever when one link is cut: the old leader's messages are discarded in silence, so it never learns of the new one.
- Bully lets the highest id take over from a healthy leader each time it returns; with \`quorum: true\` it joins. Chang–Roberts gives
  up its leader whenever any member starts an election, and one broken link makes that happen without end.
- \`quorum\` has neither two that act nor a leader deposed for nothing: leases end on the leader's own clock, stale messages are
  answered with the newer term, and no candidate gets votes while a majority hears the leader.`;
}

function comparedCell({ doubleShare, deposed, trouble, subject }: Compared, files: readonly File[]): string {
  const { sparesLeaders } = troubles.find(({ name }) => name === trouble)!;
  const double = doubleShare === 0 ? 'never two' : `two for ${percent(doubleShare)}`;
  const lost = sparesLeaders ? `; ${deposed === 0 ? 'none' : round(deposed)} deposed` : '';
  const words = `${double}${lost}`;
  const shown = deposed > 0 && sparesLeaders ? 'L4' : doubleShare > 0 ? 'S10' : null;
  const file = files.find(
    (each) =>
      each.subject === subject && each.fault === trouble && each.properties.some((one) => one === shown),
  );
  return file === undefined ? words : `[${words}](#${anchor(file.name)})`;
}

function section(subject: Subject, { rows }: Contents): string {
  const own = rows.filter((each) => each.subject === subject);
  const head = row(['trouble', 'explored', 'runs (changes)', ...COLUMNS]);
  const lines = own.map(({ fault, explored, tried, cells }) =>
    row([
      faultTitle(fault),
      explored === null ? '·' : statesOf(explored.result),
      `${grouped(tried.runs)} (${grouped(tried.changes)})`,
      ...COLUMNS.map((property) => cellWords(cells.get(property)!)),
    ]),
  );
  return `## ${title(subject)}\n\n${promises(subject)}\n\n${head}\n${rule(COLUMNS.length + 3)}\n${lines.join('\n')}${beyond(subject)}`;
}

function promises(subject: Subject): string {
  const byAssumption = new Map<string, string[]>();
  for (const { property, assuming } of protocolOf(subject).pledges) {
    const unless = assuming.map((each) => nameFallen([each])).join(' or ');
    byAssumption.set(unless, [...(byAssumption.get(unless) ?? []), property]);
  }
  if (byAssumption.size === 0) return 'Promises none of these: best effort.';
  const words = [...byAssumption].map(([unless, properties]) => `${properties.join(' ')} barring ${unless}`);
  return `Promises ${words.join('; ')}.`;
}

function beyond({ name }: Subject): string {
  if (name !== 'quorum') return '';
  const broken = faults.filter(({ breaks }) => breaks !== null).map(({ title }) => title);
  return `

Three of these are outside what it assumes: ${broken.join('; ')}. What is broken there is what its header excludes. One lost disk leaves
all but S2 and S3, which are about the memory of one member. With two lost disks, "holds" means that no run broke the property, not that it is
promised.`;
}

function cellWords(cell: Cell): string {
  if (cell.verdict === 'holds') return 'holds';
  if (cell.verdict !== 'broken') return '·';
  const word = cell.claimed ? '**BROKEN PROMISE**' : 'broken';
  return cell.file === null ? word : `[${word}](#${anchor(cell.file)})`;
}

function explorations({ explored }: Contents): string {
  const order = subjects.map(({ name }) => name);
  const sorted = explored.toSorted(
    (a, b) =>
      order.indexOf(a.job.subject) - order.indexOf(b.job.subject) || a.result.states - b.result.states,
  );
  const lines = sorted.map(({ job, result }) =>
    row([
      job.subject,
      describeBounds(result.bounds, false).join('; '),
      statesOf(result),
      result.seconds.toFixed(0),
      `${result.eventually.agreed} of ${result.eventually.tried}`,
      checkCommandOf(job),
    ]),
  );
  return `## Explorations

Three members; every message arrives any number of times, in any order, or never. States that cover others stand for them. "Agree"
tells from how many of the states that were tried all came to agree once nothing went wrong any more.

${row(['election', 'bounds', 'states', 'seconds', 'agree', 'repeat'])}
${rule(6)}
${lines.join('\n')}`;
}

/** Changes of members, from the first start on. */
function memberships({ unscripted }: Contents): string {
  const lines = unscripted.map(({ job, bounds, states, complete, found, seconds }) =>
    row([
      job.name,
      job.kind === 'unscripted' && job.planted !== null ? job.planted : '·',
      describeBounds(bounds, false).join('; '),
      statesOf({ states, complete }),
      seconds.toFixed(1),
      found.length === 0 ? 'nothing' : found.join(', '),
    ]),
  );
  return `## Changes of members, from the first start

\`quorum\` again, with members that are added and removed, values that are published, and one lost disk, from the start of all members and
without a script. So many events are too many for a network that delays every message. Here, all that is sent at one event (a timer, a command, a
restart) arrives before the next one, in the order of sending, or never: each direction of each link works or is broken, and a new choice
is made at every event. Each is explored with the rules of today, and with the bugs of earlier versions that it shows ("without": the rule
against it is taken out); the search ends at the first broken promise. An exploration is stopped after 90 seconds of processor time.
Again: \`npm run verify -- --only unscripted\`.

${row(['explored', 'without the rule against', 'bounds', 'states', 'seconds', 'broken'])}
${rule(6)}
${lines.join('\n')}`;
}

function isPlanted(job: Directed['job']): boolean {
  return job.kind === 'directed' ? job.isPlanted : job.planted !== null;
}

/** What begins where a script has led. */
export function directions({ directed }: Pick<Contents, 'directed'>): string {
  const sorted = directed.toSorted(
    (a, b) => Number(isPlanted(a.job)) - Number(isPlanted(b.job)) || a.job.name.localeCompare(b.job.name),
  );
  const lines = sorted.map(({ job, bounds, states, complete, found, seconds }) =>
    row([
      job.name,
      isPlanted(job) ? 'taken away' : 'there',
      describeBounds(bounds, false).join('; '),
      statesOf({ states, complete }),
      seconds.toFixed(1),
      found.length === 0 ? 'nothing' : found.join(', '),
    ]),
  );
  return `## Explorations from further on

\`quorum\`, from a state to which a script has led: a leader is elected and has committed a value, and what else the name says has happened.
The ways in which an earlier version was broken are explored twice, with the rule that stands against them today and with that rule
taken away; the search ends at the first broken promise. An exploration is stopped after 45 seconds of processor time.
Again: \`npm run verify -- --only directed\`, or \`--only 'four members'\`.

${row(['about', 'rule', 'bounds', 'states', 'seconds', 'broken'])}
${rule(6)}
${lines.join('\n')}`;
}

function swarm({ swarmed }: Contents): string {
  const sum = (of: (each: Swarmed) => number): number => swarmed.reduce((total, each) => total + of(each), 0);
  const failed = swarmed.flatMap((each) => each.failed);
  const verdict = failed.length === 0 ? 'none failed' : `**failed: seeds ${failed.join(', ')}**`;
  const runs = sum((each) => each.runs);
  const seconds = sum((each) => each.seconds);
  return `## The swarm

All kinds of faults at once, drawn from the seed: ${grouped(runs)} runs of \`quorum\`, ${grouped(sum((each) => each.steps))} events in ${grouped(Math.round(seconds))} seconds of
one core; ${verdict}. Again, or with more seeds:

    npx caucus simulate --swarm --protocol quorum --runs ${runs}`;
}

/** Two processes with elections at rest. */
function support({ supported }: Contents): string {
  const lines = supported.map(({ job, states, complete, resting, broken, seconds }) =>
    row([
      job.name,
      supportExplorations[job.name].about,
      statesOf({ states, complete }),
      grouped(resting),
      seconds.toFixed(1),
      broken ?? 'nothing',
    ]),
  );
  return `## Elections at rest, between two processes

The production code of \`src/support\`, in every order of steps within bounds, without a simulator: process 1 leads one or two elections, process 2 votes in
them, and a third voter is down, so that every lease rests on the answers of process 2 alone. Steps are 10 ms of the clock (a heartbeat; half a lease), the
arrival, loss and second arrival of any message, heartbeats, wakes, resignations, wins, and starts of either process (\`test/supporting/world.ts\`). After each step: while process 1
may act in an election, process 2 helps no other candidate in it; a lease that has ended is not renewed; a consent covers every promise that was given. "Resting":
in so many states an election rests on both sides. An exploration is stopped after one minute of processor time. Again: \`npm run verify -- --only support\`.

${row(['explored', 'what happens', 'states', 'resting', 'seconds', 'broken'])}
${rule(6)}
${lines.join('\n')}`;
}

function counterexamples({ files }: Contents): string {
  return `## Counterexamples\n\n${files.map(counterexample).join('\n\n')}`;
}

function counterexample({ name, fault, properties, scenario, trace, isShortest, subject }: File): string {
  const broken = properties.map((property) => `${property} (${columnName(property)})`).join(', ');
  const lines = trace === null ? storyOf(scenario, properties) : numbered(trace);
  const how = isShortest ? ' No history has fewer steps.' : '';
  return `### ${name}

${title(subjects.find((each) => each.name === subject)!)}, ${faultTitle(fault)}: breaks ${broken}.${how}

\`\`\`
${lines.join('\n')}
\`\`\`

    npx caucus simulate docs/counterexamples/${name}.json`;
}

function columnName(property: string): string {
  if (property === 'L4') return 'no healthy leader is deposed';
  return nameProperty(property);
}

function title({ name }: Subject): string {
  return name.replace('-with-quorum', ', `quorum: true`');
}

function faultTitle(name: string): string {
  return faults.find((fault) => fault.name === name)!.title;
}

function troubleTitle(name: string): string {
  return troubles.find((trouble) => trouble.name === name)!.title;
}

function anchor(heading: string): string {
  return heading.toLowerCase();
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

function rule(columns: number): string {
  return `|${'---|'.repeat(columns)}`;
}

function statesOf({ states, complete }: { readonly states: number; readonly complete: boolean }): string {
  return `${grouped(states)} states, ${complete ? 'all' : 'not all'}`;
}

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}

function percent(share: number): string {
  return share < 0.001 ? 'under 0.1 %' : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

function round(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}
