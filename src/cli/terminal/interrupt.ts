import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Until the returned function is called, Ctrl-C runs `cleanUp` and then ends the process at once, with the exit code
 * that a shell gives to a process that died of the signal. Threads end with the process.
 */
export function onInterrupt(cleanUp: () => void): () => void {
  const end = (signal: NodeJS.Signals): void => {
    cleanUp();
    process.exit(exitCodeOf(signal));
  };
  for (const signal of SIGNALS) process.on(signal, end);
  return () => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
}

/** The exit code that a shell gives to a process that died of this signal. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Work that a signal ends early, with a result. */
export interface Ending {
  /** The signal that came, or null. */
  readonly signal: NodeJS.Signals | null;
  /** The work has ended: signals end the process again. */
  forget(): void;
}

/** The first Ctrl-C is only noted, and the work looks at it; a second one runs `cleanUp` and ends the process. */
export function endingOf(cleanUp: () => void): Ending {
  let noted: NodeJS.Signals | null = null;
  let forgetSecond = (): void => {};
  const note = (signal: NodeJS.Signals): void => {
    noted = signal;
    forgetFirst();
    forgetSecond = onInterrupt(cleanUp);
  };
  const forgetFirst = (): void => {
    for (const signal of SIGNALS) process.off(signal, note);
  };
  for (const signal of SIGNALS) process.on(signal, note);
  return {
    get signal() {
      return noted;
    },
    forget() {
      forgetFirst();
      forgetSecond();
    },
  };
}
