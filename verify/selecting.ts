import type { Job } from './jobs.ts';
import { subjects } from './subjects.ts';

/**
 * The names by which `--only` selects a job: its kind; its election, under the name of the protocol (`draw` includes `draw` with
 * `quorum: true`); and, for one exploration, its own name.
 */
export function namesOf(job: Job): readonly string[] {
  switch (job.kind) {
    case 'explore':
      return [job.kind, protocolOf(job.subject), job.fault ?? 'commands'];
    case 'trials':
    case 'compare':
      return [job.kind, protocolOf(job.subject)];
    case 'swarm':
      return [job.kind, 'quorum'];
    case 'directed':
    case 'unscripted':
      return [job.kind, 'quorum', job.name];
    case 'support':
      return [job.kind, job.name];
    case 'hunt':
      return ['mutants', job.in];
    case 'stand':
      return ['mutants'];
  }
}

/** The jobs that were asked for; all of them without names. Throws where a name selects none. */
export function selected(jobs: readonly Job[], only: readonly string[]): readonly Job[] {
  if (only.length === 0) return jobs;
  const known = [...new Set(jobs.flatMap(namesOf))].toSorted();
  const unknown = only.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(`--only ${unknown}: expected one of ${known.map((name) => `'${name}'`).join(', ')}`);
  return jobs.filter((job) => namesOf(job).some((name) => only.includes(name)));
}

function protocolOf(subject: string): string {
  return subjects.find(({ name }) => name === subject)!.definition.name;
}
