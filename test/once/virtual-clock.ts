import type { Clock } from '../../src/election/index.ts';

/** Time that passes when it is told to. Its wall clock can be set, as an operator does. */
export class VirtualClock implements Clock {
  /** How many timers have fired. */
  fired = 0;
  #nowMs = 1000;
  #wallAheadMs: number;
  #timers: { readonly atMs: number; readonly wake: () => void }[] = [];

  constructor(wall: string) {
    this.#wallAheadMs = Date.parse(wall) - this.#nowMs;
  }

  now = (): number => this.#nowMs;

  wall = (): number => this.#nowMs + this.#wallAheadMs;

  set(wall: string): void {
    this.#wallAheadMs = Date.parse(wall) - this.#nowMs;
  }

  after(delayMs: number, wake: () => void): () => void {
    const timer = { atMs: this.#nowMs + Math.max(0, delayMs), wake };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** Time passes while nothing happens, as for a process that is stopped. Then the timers that were due fire, each once. */
  stall(ms: number): void {
    this.#nowMs += ms;
    const due = this.#timers.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#timers = this.#timers.filter((each) => !due.includes(each));
    for (const { wake } of due) wake();
  }

  /** Between any two timers, everything is done that can be done without waiting. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      await settle();
      const next = this.#timers.toSorted((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined || next.atMs > untilMs) break;
      this.#timers = this.#timers.filter((each) => each !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      this.fired += 1;
      next.wake();
    }
    this.#nowMs = untilMs;
  }
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
}
