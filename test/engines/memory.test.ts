import { describe, it } from 'vitest';
import type { Clock } from '../../src/election/index.ts';
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

const cases = conformance({
  leaseMs: 200,
  open(options) {
    const clock = new MortalClock();
    const engine = memory.engine({ ...options, clock });
    clocks.set(engine, clock);
    return engine;
  },
  crash(participant) {
    clocks.get(participant)!.isDead = true;
  },
});

describe('the memory, as an engine', () => {
  for (const { name, skip, run } of cases) (skip === null ? it : it.skip)(name, run);
});
