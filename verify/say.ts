const startedMs = performance.now();

/** One line about how far it is. */
export function say(line: string): void {
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stderr.write(`${String(seconds).padStart(5)} s  ${line}\n`);
}
