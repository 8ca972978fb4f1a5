/** Lets the conformance suite tell whether own-engine.ts behaves. Any test runner will do; this is that of Node.js. */
import test from 'node:test';
import { conformance, type EngineKit, type Participant } from 'caucus/conformance';
import { own } from './own-engine.ts';

const crashes = new Map<Participant, () => void>();

const kit: EngineKit = {
  leaseMs: 300,
  open(options) {
    let isAlive = true;
    const clock = {
      now: () => performance.now(),
      after(delayMs: number, wake: () => void) {
        const timer = setTimeout(() => isAlive && wake(), delayMs);
        return () => clearTimeout(timer);
      },
    };
    const engine = own({ ...options, clock });
    crashes.set(engine, () => {
      isAlive = false;
    });
    return engine;
  },
  crash: (participant) => crashes.get(participant)!(),
  cannot: {
    wake: 'nothing tells us of changes',
    publish: 'our store keeps no values',
    ask: 'our store passes on no requests',
  },
};

for (const { name, skip, run } of conformance(kit)) void test(name, { skip: skip ?? false }, run);
