import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../src/election/index.ts';
import { Election, type ElectionOptions, type Engine } from '../../src/election/index.ts';
import { ScriptedSeat } from './scripted-seat.ts';

/** Lets everything happen that waits for nothing but promises. */
export async function calm(): Promise<void> {
  for (let i = 0; i < 3; i++) await turn();
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

export function open(options: ElectionOptions = {}): { seat: ScriptedSeat; election: Election } {
  const seat = new ScriptedSeat();
  return { seat, election: new Election(seat.election, { seat: () => seat }, options) };
}

/** Time that passes when a test says so. A jump is a stall: what was due meanwhile comes after it. */
export class HandClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly atMs: number; readonly wake: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, wake: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, wake };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** The clock goes on, but nobody is woken. */
  stall(ms: number): void {
    this.#nowMs += ms;
  }

  wakeDue(): void {
    for (;;) {
      const [next] = [...this.#timers].filter((t) => t.atMs <= this.#nowMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) return;
      this.#timers.delete(next);
      next.wake();
    }
  }

  /** Everybody is woken when it is due. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      await calm();
      const [next] = [...this.#timers].filter((t) => t.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      this.wakeDue();
    }
    this.#nowMs = untilMs;
    await calm();
  }
}

/** The same on a clock of the test, with what the election logs. */
export function openLogged(): {
  readonly seat: ScriptedSeat;
  readonly clock: HandClock;
  readonly election: Election;
  readonly log: string[];
} {
  const seat = new ScriptedSeat();
  const clock = new HandClock();
  const log: string[] = [];
  const engine: Engine = { seat: () => seat, log: ({ message }) => log.push(message) };
  return { seat, clock, election: new Election(seat.election, engine, { clock }), log };
}
