import { Worker } from 'node:worker_threads';

/** Starts a thread with this module in it (the name ends with `.js`), from compiled code or, during development, from source. */
export function startThread(module: URL, workerData: unknown): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(module, { workerData });
  // A new thread has to register tsx again before it can load TypeScript.
  const reader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const file = JSON.stringify(module.href.replace(/\.js$/, '.ts'));
  const code = `import(${reader}).then((tsx) => (tsx.register(), import(${file})))`;
  return new Worker(code, { eval: true, workerData });
}
