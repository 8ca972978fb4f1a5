/**
 * `npm run verify`: finds out what holds and what does not, and writes docs/verification.md and docs/mutants.md.
 * `npm run verify -- --only draw` does a part of it again and takes the rest from the last run.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Answers } from './answers.ts';
import { directedJobs, unscriptedJobs } from './directed.ts';
import { documentOf } from './document.ts';
import { explorations } from './exploring.ts';
import { faults } from './faults.ts';
import { type File, judge } from './findings.ts';
import type { AnswerOf, Job } from './jobs.ts';
import { huntJobs, writeMutants } from './mutants.ts';
import { runJobs } from './pool.ts';
import { say } from './say.ts';
import { selected } from './selecting.ts';
import { subjects } from './subjects.ts';
import { supportJobs } from './supporting.ts';
import { isAsNamed, verdictOn } from './verdict.ts';

const docs: string = path.resolve(import.meta.dirname, '..', 'docs');
const folder: string = path.join(docs, 'counterexamples');

const SWARM_RUNS = 10_000;
const SWARM_CHUNK = 1000;

/** Those that take longest first. */
const jobs: readonly Job[] = [
  ...explorations(),
  ...unscriptedJobs(),
  ...directedJobs(),
  ...supportJobs(),
  ...subjects.flatMap(({ name }) =>
    faults.map((fault) => ({ kind: 'trials' as const, subject: name, fault: fault.name })),
  ),
  ...subjects.map(({ name }) => ({ kind: 'compare' as const, subject: name })),
  ...Array.from({ length: SWARM_RUNS / SWARM_CHUNK }, (_, i) => ({
    kind: 'swarm' as const,
    from: 1 + i * SWARM_CHUNK,
    runs: SWARM_CHUNK,
  })),
  ...huntJobs(),
];

const { only = [], missing = false } = parseArgs({
  options: { only: { type: 'string', multiple: true }, missing: { type: 'boolean' } },
}).values;
const answers = new Answers();
const asked = missing ? jobs.filter((job) => answers.of(job) === undefined) : askedFor(only);

let done = 0;
await runJobs(asked, (job, answer) => {
  answers.note(job, answer);
  done += 1;
  say(`${done} of ${asked.length}: ${JSON.stringify(job)}`);
});
answers.keepOnly(jobs);
const explored = all('explore');
const compared = all('compare').flat();
const swarmed = all('swarm');
const directed = all('directed');
const unscripted = all('unscripted');
const supported = all('support');
const { rows, files } = hasAll('verification.md', ({ kind }) => !isHunt(kind))
  ? judge({ explored, tried: all('trials'), compared })
  : { rows: [], files: null };
if (files !== null) {
  writeFiles(files);
  writeFileSync(
    path.join(docs, 'verification.md'),
    documentOf({ rows, files, explored, directed, unscripted, supported, compared, swarmed }),
  );
}
const hunted = jobs.flatMap((job) =>
  job.kind === 'hunt' ? [{ job, hunted: answers.of(job) as AnswerOf['hunt'] }] : [],
);
const free = hasAll('mutants.md', ({ kind }) => isHunt(kind))
  ? writeMutants(hunted, all('stand').flat())
  : [];

const broken: readonly string[] = rows.flatMap(({ subject, fault, cells }) =>
  [...cells].flatMap(([property, cell]) =>
    cell.verdict === 'broken' && cell.claimed ? [`${subject.name}, ${fault}: ${property}`] : [],
  ),
);
const problems: readonly string[] = [
  ...broken.map((line) => `BROKEN PROMISE: ${line}`),
  ...[...explored.filter(({ job }) => job.fault === null)].flatMap(({ result }) =>
    result.violations
      .filter(({ claimed }) => claimed)
      .map(({ property, detail }) => `BROKEN PROMISE: quorum with commands: ${property}, ${detail}`),
  ),
  ...[...directed, ...unscripted].flatMap(({ job, found }) => {
    const isPlanted = job.kind === 'directed' ? job.isPlanted : job.planted !== null;
    if (isPlanted) return found.length === 0 ? [`NOT FOUND: ${JSON.stringify(job)}`] : [];
    return found.length === 0 ? [] : [`BROKEN PROMISE: quorum, ${job.name}: ${found.join(', ')}`];
  }),
  ...supported.flatMap(({ job, broken: what }) =>
    what === null ? [] : [`BROKEN PROMISE: support, ${job.name}: ${what}`],
  ),
  ...swarmed
    .flatMap(({ failed }) => failed)
    .map((seed) => `BROKEN PROMISE: npx caucus simulate --swarm --protocol quorum --seed ${seed}`),
  ...free.map((name) => `NOT CAUGHT: ${name}`),
];
for (const line of problems) say(line);
if (problems.length > 0) process.exitCode = 1;

function isHunt(kind: Job['kind']): boolean {
  return kind === 'hunt' || kind === 'stand';
}

/** Was every job done of which this page tells? Else the page stays as it is. So it does if none of them was asked for. */
function hasAll(page: string, isTold: (job: Job) => boolean): boolean {
  if (!asked.some(isTold) && asked.length > 0) return false;
  const lacking = jobs.filter((job) => isTold(job) && answers.of(job) === undefined);
  if (lacking.length === 0) return true;
  say(`${page} was not written: ${lacking.length} jobs were never done (npm run verify -- --missing)`);
  process.exitCode = 1;
  return false;
}

/** The jobs that were asked for. A name that selects none ends the process with one line. */
function askedFor(names: readonly string[]): readonly Job[] {
  try {
    return selected(jobs, names);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
}

function all<Kind extends Job['kind']>(kind: Kind): readonly AnswerOf[Kind][] {
  const known = jobs.filter((job) => job.kind === kind && answers.of(job) !== undefined);
  return known.map((job) => answers.of(job) as AnswerOf[Kind]);
}

/** Replaces the counterexamples by those that were found now. Each must break what its name says, or nothing is written. */
function writeFiles(found: readonly File[]): void {
  for (const { name, scenario, properties } of found) {
    const { broken: shown } = verdictOn(scenario);
    const absent = properties.filter((property) => !shown.has(property));
    if (absent.length > 0) throw new Error(`${name} does not break ${absent.join(', ')}`);
    if (!isAsNamed(name, scenario)) throw new Error(`${name} runs another election`);
  }
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
  for (const { name, scenario } of found)
    writeFileSync(path.join(folder, `${name}.json`), `${JSON.stringify(scenario, null, 2)}\n`);
}
