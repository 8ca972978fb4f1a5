type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/**
 * Settles with the first stop signal, or when the parent process that opened a channel is gone. A second signal ends
 * the process at once. With `reload`, SIGHUP calls it, as often as it comes, in place of stopping; but not where there
 * is a terminal, of which it says that it was closed.
 */
export function untilStopped(reload: (() => void) | null = null): Promise<StopSignal | 'parent gone'> {
  const isReloading = reload !== null && !process.stdin.isTTY;
  const signals: readonly StopSignal[] = isReloading
    ? ['SIGINT', 'SIGTERM']
    : ['SIGINT', 'SIGTERM', 'SIGHUP'];
  if (isReloading) process.on('SIGHUP', reload);
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
