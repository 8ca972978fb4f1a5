/** Explorations of support between two processes, step by step (`test/supporting/world.ts`): the small ones of `npm test`, and large ones. */
import { type ExplorationName, explorations } from '../test/supporting/explorations.ts';
import { explore, openSupport } from '../test/supporting/explore.ts';
import type { Supported, SupportJob } from './jobs.ts';
import { processorSeconds } from './say.ts';

const MOST_SECONDS = 60;

export function supportJobs(): readonly SupportJob[] {
  return (Object.keys(explorations) as ExplorationName[]).map((name) => ({ kind: 'support', name }));
}

export async function runSupport(job: SupportJob): Promise<Supported> {
  const seconds = processorSeconds();
  const explored = explore(await openSupport(), explorations[job.name], () => seconds() >= MOST_SECONDS);
  const { states, complete, resting, failure } = explored;
  return { job, states, complete, resting, broken: failure?.what ?? null, seconds: seconds() };
}
