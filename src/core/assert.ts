/** A broken invariant of our own code. It is never an operating error, so no code catches it. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${message}`);
}

/** Closes a `switch` over a union: a forgotten case fails to compile, a forged one fails loudly. */
export function assertNever(value: never): never {
  throw new Error(`invariant broken: unexpected ${JSON.stringify(value)}`);
}
