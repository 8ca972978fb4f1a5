import { catalogue } from '../src/protocols/index.ts';
import { readScenario, runWorld } from '../src/simulation/index.ts';
import { queueFloor } from './queue-floor.ts';
import { printTable } from './table.ts';

/** The best of several tries: the machine is shared, and the fastest is the one that was disturbed least. */
function best(
  tries: number,
  run: () => { events: number; seconds: number },
): { events: number; seconds: number } {
  const results = Array.from({ length: tries }, run);
  return results.reduce((a, b) => (a.seconds / a.events < b.seconds / b.events ? a : b));
}

function timed(run: () => number): { events: number; seconds: number } {
  const start = performance.now();
  const events = run();
  return { events, seconds: (performance.now() - start) / 1000 };
}

/** Two processes' worth of code that Node would do anyway: a step without a world around it. */
function stepFloor(events: number): number {
  const protocol = catalogue.epoch!.create({
    timing: { heartbeatMs: 50, timeoutMs: [150, 300] },
    options: {},
  });
  const state = protocol.init({ id: 1, members: [1, 2, 3, 4, 5], settings: {} });
  const input = { type: 'message', from: 2, message: { type: 'keep-alive', epoch: 1 } } as const;
  for (let i = 0; i < events; i++) protocol.step(state, input, []);
  return events;
}

export function benchSimulation(): void {
  const quick = { heartbeatMs: 50, timeoutMs: [150, 300] };
  const run = (protocol: string, members: number, untilMs: number, timing: object): (() => number) => {
    const scenario = readScenario({ protocol, members, timing, untilMs }, catalogue);
    return () => runWorld(scenario, 1).steps;
  };
  const floor = best(3, () => timed(() => queueFloor(30, 2_000_000)));
  const step = best(3, () => timed(() => stepFloor(2_000_000)));
  const perSecond = ({ events, seconds }: { events: number; seconds: number }): number => events / seconds;

  const rows = [
    { what: 'floor: the queue alone', events: floor.events, 'events/s': perSecond(floor), 'of the floor': 1 },
    {
      what: 'floor: the bare step',
      events: step.events,
      'events/s': perSecond(step),
      'of the floor': perSecond(step) / perSecond(floor),
    },
  ];
  for (const protocol of Object.keys(catalogue)) {
    const timing = protocol === 'epoch' ? quick : {};
    const untilMs = protocol === 'epoch' ? 10_000_000 : 20_000_000;
    const result = best(3, () => timed(run(protocol, 5, untilMs, timing)));
    rows.push({
      what: `${protocol}, 5 members`,
      events: result.events,
      'events/s': perSecond(result),
      'of the floor': perSecond(result) / perSecond(floor),
    });
  }
  printTable('Simulated events per second on one core (with hash and all watched properties)', rows);

  const growth = [3, 5, 9, 17, 33, 65, 101].map((members) => {
    const result = best(3, () => timed(run('epoch', members, 100_000, quick)));
    return {
      members,
      events: result.events,
      'ms per run': result.seconds * 1000,
      'µs per event': (result.seconds * 1e6) / result.events,
      'events/s': perSecond(result),
    };
  });
  printTable('Cost of 100 simulated seconds of epoch as members grow', growth);
}
