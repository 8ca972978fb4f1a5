const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type StopSignal = (typeof SIGNALS)[number];

/**
 * Settles with the first stop signal, or when the parent process that opened a channel is gone. A second signal ends
 * the process at once. With `onReload`, SIGHUP calls that instead, as daemons do, unless a terminal is there: then it
 * means that the terminal was closed.
 */
export function untilStopped(onReload: (() => void) | null = null): Promise<StopSignal | 'parent gone'> {
  const isReloading = onReload !== null && !process.stdin.isTTY;
  const signals = SIGNALS.filter((signal) => !isReloading || signal !== 'SIGHUP');
  if (isReloading) process.on('SIGHUP', onReload);
  return new Promise((resolve) => {
    if (process.connected) process.once('disconnect', () => resolve('parent gone'));
    // There was a channel, and it closed before we listened.
    else if (process.connected === false) resolve('parent gone');
    for (const signal of signals) {
      process.once(signal, () => {
        for (const each of signals) process.on(each, () => process.exit(1));
        process.channel?.unref(); // It would keep the process alive.
        resolve(signal);
      });
    }
  });
}
