/**
 * The answers of the last run, one line for each job, so that a part can be run again (`npm run verify -- --only draw`) and the pages
 * can be written anew from all of them.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AnswerOf, Job } from './jobs.ts';

type Answer = AnswerOf[Job['kind']];

const file: string = path.join(import.meta.dirname, 'answers.ndjson');

export class Answers {
  readonly #lines = new Map<string, Answer>();

  constructor() {
    if (!existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      if (line === '') continue;
      const { job, answer } = JSON.parse(line) as { job: Job; answer: Answer };
      this.#lines.set(JSON.stringify(job), answer);
    }
  }

  of(job: Job): Answer | undefined {
    return this.#lines.get(JSON.stringify(job));
  }

  /** An answer is kept at once: a run that is stopped can be continued part by part. */
  note(job: Job, answer: Answer): void {
    this.#lines.set(JSON.stringify(job), answer);
    this.#write();
  }

  /** Drops the answers to other jobs: those of an earlier version. */
  keepOnly(jobs: readonly Job[]): void {
    const kept = new Set(jobs.map((job) => JSON.stringify(job)));
    for (const key of this.#lines.keys()) if (!kept.has(key)) this.#lines.delete(key);
    this.#write();
  }

  /** Sorted, so that the lines of two runs can be compared. */
  #write(): void {
    const lines = [...this.#lines].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const text = lines.map(([job, answer]) => `{"job":${job},"answer":${JSON.stringify(answer)}}\n`);
    writeFileSync(file, text.join(''));
  }
}
