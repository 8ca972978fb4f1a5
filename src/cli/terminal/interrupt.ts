import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Until the returned function is called, Ctrl-C runs `cleanUp` and then ends the process at once, with the exit code
 * that a shell gives to a process that died of the signal. Threads end with the process.
 */
export function onInterrupt(cleanUp: () => void): () => void {
  const end = (signal: NodeJS.Signals): void => {
    cleanUp();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  return () => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
}
