import { describe, it } from 'vitest';
import type { Clock, Seat } from '../../src/election/index.ts';
import { conformance, type Participant } from '../../src/engines/conformance/index.ts';
import { Memory } from '../../src/engines/memory/memory.ts';

/** Time as the process has it, until it is killed: then nobody is woken any more, though the clock goes on. */
class MortalClock implements Clock {
  isDead = false;

  now = (): number => performance.now();

  after(delayMs: number, wake: () => void): () => void {
    const timer = setTimeout(() => {
      if (!this.isDead) wake();
    }, delayMs);
    return () => clearTimeout(timer);
  }
}

const memory = new Memory();
const clocks = new Map<Participant, MortalClock>();
const seats = new Map<Participant, Seat[]>();

const cases = conformance({
  leaseMs: 200,
  open(options) {
    const clock = new MortalClock();
    const engine = memory.engine({ ...options, clock });
    clocks.set(engine, clock);
    const own: Seat[] = [];
    seats.set(engine, own);
    const seatOf = engine.seat.bind(engine);
    engine.seat = (election): Seat => {
      const seat = seatOf(election);
      own.push(seat);
      return seat;
    };
    return engine;
  },
  crash(participant) {
    clocks.get(participant)!.isDead = true;
    // Nor does it hear news any more: else it would take what becomes free at once, and renew nothing of it.
    for (const seat of seats.get(participant)!) Object.assign(seat, { isClosed: true, stand() {} });
  },
});

describe('the memory, as an engine', () => {
  for (const { name, skip, run } of cases) (skip === null ? it : it.skip)(name, run);
});
