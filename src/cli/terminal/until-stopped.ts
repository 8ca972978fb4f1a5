const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type StopSignal = (typeof SIGNALS)[number];

/**
 * Settles with the first stop signal, or when the parent process that opened a channel is gone. A second signal ends
 * the process at once.
 */
export function untilStopped(): Promise<StopSignal | 'parent gone'> {
  return new Promise((resolve) => {
    if (process.connected) process.once('disconnect', () => resolve('parent gone'));
    // There was a channel, and it closed before we listened.
    else if (process.connected === false) resolve('parent gone');
    for (const signal of SIGNALS) {
      process.once(signal, () => {
        for (const each of SIGNALS) process.on(each, () => process.exit(1));
        process.channel?.unref(); // It would keep the process alive.
        resolve(signal);
      });
    }
  });
}
