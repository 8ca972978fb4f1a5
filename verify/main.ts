/** `npm run verify`: finds out what holds and what does not, and writes docs/verification.md. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { directedJobs } from './directed.ts';
import { documentOf } from './document.ts';
import { explorations } from './exploring.ts';
import { faults } from './faults.ts';
import { type File, judge } from './findings.ts';
import type { AnswerOf, Compared, Directed, Explored, Job, Swarmed, Tried } from './jobs.ts';
import { writeMutants } from './mutants.ts';
import { runJobs } from './pool.ts';
import { say } from './say.ts';
import { subjects } from './subjects.ts';
import { isAsNamed, verdictOn } from './verdict.ts';

const docs: string = path.resolve(import.meta.dirname, '..', 'docs');
const folder: string = path.join(docs, 'counterexamples');

const SWARM_RUNS = 10_000;
const SWARM_CHUNK = 1000;

const explored: Explored[] = [];
const tried: Tried[] = [];
const compared: Compared[] = [];
const swarmed: Swarmed[] = [];
const directed: Directed[] = [];
let done = 0;

const jobs: readonly Job[] = [
  ...explorations(),
  ...directedJobs(),
  ...subjects.flatMap(({ name }) =>
    faults.map((fault) => ({ kind: 'trials' as const, subject: name, fault: fault.name })),
  ),
  { kind: 'compare' },
  ...Array.from({ length: SWARM_RUNS / SWARM_CHUNK }, (_, i) => ({
    kind: 'swarm' as const,
    from: 1 + i * SWARM_CHUNK,
    runs: SWARM_CHUNK,
  })),
];

/** Replaces the counterexamples by those that were found now. Each must break what its name says, or nothing is believed. */
function writeFiles(files: readonly File[]): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
  for (const { name, scenario, properties } of files) {
    const { broken } = verdictOn(scenario);
    const missing = properties.filter((property) => !broken.has(property));
    if (missing.length > 0) throw new Error(`${name} does not break ${missing.join(', ')}`);
    if (!isAsNamed(name, scenario)) throw new Error(`${name} runs another election`);
    writeFileSync(path.join(folder, `${name}.json`), `${JSON.stringify(scenario, null, 2)}\n`);
  }
}

function accept(job: Job, answer: AnswerOf[Job['kind']]): void {
  switch (job.kind) {
    case 'explore':
      explored.push(answer as Explored);
      break;
    case 'trials':
      tried.push(answer as Tried);
      break;
    case 'compare':
      compared.push(...(answer as readonly Compared[]));
      break;
    case 'swarm':
      swarmed.push(answer as Swarmed);
      break;
    case 'directed':
      directed.push(answer as Directed);
      break;
  }
  done += 1;
  say(`${done} of ${jobs.length}: ${JSON.stringify(job)}`);
}

await runJobs(jobs, accept);
const { rows, files } = judge({ explored, tried, compared });
writeFiles(files);
writeFileSync(
  path.join(docs, 'verification.md'),
  documentOf({ rows, files, explored, directed, compared, swarmed }),
);
say('planted bugs');
await writeMutants();

const broken: readonly string[] = rows.flatMap(({ subject, fault, cells }) =>
  [...cells].flatMap(([property, cell]) =>
    cell.verdict === 'broken' && cell.claimed ? [`${subject.name}, ${fault}: ${property}`] : [],
  ),
);
const directedly = directed.filter(({ job, found }) => !job.isPlanted && found.length > 0);
const overlooked = directed.filter(({ job, found }) => job.isPlanted && found.length === 0);
for (const { job, found } of directedly) say(`BROKEN PROMISE: quorum, ${job.name}: ${found.join(', ')}`);
for (const { job } of overlooked) say(`NOT FOUND: ${job.name}`);
if (directedly.length + overlooked.length > 0) process.exitCode = 1;
const failed: readonly number[] = swarmed.flatMap((each) => each.failed);
for (const line of broken) say(`BROKEN PROMISE: ${line}`);
for (const seed of failed)
  say(`BROKEN PROMISE: npx caucus simulate --swarm --protocol quorum --seed ${seed}`);
if (broken.length + failed.length > 0) process.exitCode = 1;
