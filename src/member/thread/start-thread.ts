import { Worker } from 'node:worker_threads';

/** Bundlers look for every package that `import.meta.resolve` names, and this one is there only during development. */
const resolve = (name: string): string => import.meta.resolve(name);

/** Starts a thread with this module in it (the name ends with `.js`), from compiled code or, during development, from source. */
export function startThread(module: URL, workerData: unknown): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(module, { workerData });
  // A new thread has to register tsx again before it can load TypeScript.
  const reader = JSON.stringify(resolve('tsx/esm/api'));
  const file = JSON.stringify(module.href.replace(/\.js$/, '.ts'));
  const code = `import(${reader}).then((tsx) => (tsx.register(), import(${file})))`;
  return new Worker(code, { eval: true, workerData });
}
