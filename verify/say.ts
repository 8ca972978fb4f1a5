const startedMs = performance.now();

/** One line about how far it is. */
export function say(line: string): void {
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stderr.write(`${String(seconds).padStart(5)} s  ${line}\n`);
}

/** How much processor time this process has taken from now on, in seconds: other jobs run beside it. */
export function processorSeconds(): () => number {
  const started = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1e6;
  };
}
