import { catalogue } from '../src/protocols/index.ts';
import { runSeed } from '../src/simulation/index.ts';
import { queueFloor } from './queue-floor.ts';
import { printTable } from './table.ts';

const RUNS = 300;

/** Time of the processor: what else runs on the machine changes it little. */
function timed(run: () => number): { events: number; seconds: number } {
  const started = process.cpuUsage();
  const events = run();
  const { user, system } = process.cpuUsage(started);
  return { events, seconds: (user + system) / 1e6 };
}

/** The inputs that members took in the runs of these seeds, each with a scenario of its own. */
function swarm(protocol: string, fromSeed: number, runs: number): number {
  const definition = catalogue[protocol]!;
  let events = 0;
  for (let seed = fromSeed; seed < fromSeed + runs; seed++) {
    events += runSeed(definition, seed, { hash: 'moments' }).world.steps;
  }
  return events;
}

export function benchSwarm(): void {
  queueFloor(30, 500_000); // The first time is spent on compiling.
  const floor = timed(() => queueFloor(30, 2_000_000));
  const floorPerSecond = floor.events / floor.seconds;
  const rows = Object.keys(catalogue).map((protocol) => {
    const { events, seconds } = timed(() => swarm(protocol, 1, RUNS));
    return {
      protocol,
      runs: RUNS,
      events,
      'runs/s': RUNS / seconds,
      'events/s': events / seconds,
      'of the floor': events / seconds / floorPerSecond,
    };
  });
  printTable(
    `The swarm on one core: drawing, running and judging, against the queue alone (${Math.round(floorPerSecond).toLocaleString('en-US')} events a second)`,
    rows,
  );
  printTable(
    'quorum as runs grow: what a run costs must not depend on how many there were',
    [100, 300, 1000].map((runs) => {
      const { events, seconds } = timed(() => swarm('quorum', 1, runs));
      return { runs, seconds, 'ms per run': (seconds * 1000) / runs, 'events/s': events / seconds };
    }),
  );
}
