import { Worker } from 'node:worker_threads';
import type { Work } from './run-worker.ts';

/** Starts a thread with run-worker in it, from what was compiled or, during development, from source. */
export function startRunThread(workerData: Work): Worker {
  if (!import.meta.url.endsWith('.ts')) {
    return new Worker(new URL('./run-worker.js', import.meta.url), { workerData });
  }
  // A new thread cannot read TypeScript before it has loaded tsx once more for itself.
  const reader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const file = JSON.stringify(new URL('./run-worker.ts', import.meta.url));
  const code = `import(${reader}).then((tsx) => (tsx.register(), import(${file})))`;
  return new Worker(code, { eval: true, workerData });
}
