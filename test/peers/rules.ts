/** What the machine must do in a few steps. Each returns whether it does. */
import type { Peers } from '../../src/peers/index.ts';
import { Bench, processOf } from './bench.ts';

type Rule = (Machine: typeof Peers) => boolean;

const two = processOf(2, 'two');

export type RuleName =
  | 'a process that answers keeps its place'
  | 'a process that says the life of another is another one if it runs elsewhere'
  | 'a connection that answers no pings is closed'
  | 'messages go to the oldest connection that answers'
  | 'messages wait while it is found out which connection answers'
  | 'a process that connects after its id spoke by POST proves nothing';

export const rules: Readonly<Record<RuleName, Rule>> = {
  'a process that answers keeps its place': (Machine) => {
    const bench = new Bench(Machine);
    bench.greet(10, two);
    bench.greet(11, processOf(2, 'another'));
    return bench.probed(10, 1, true).includes('refuse 11: same-id');
  },
  'a process that says the life of another is another one if it runs elsewhere': (Machine) => {
    const bench = new Bench(Machine);
    bench.greet(10, two);
    return (
      bench.greet(11, processOf(2, 'two', { process: { ...two.process!, pid: 7 } })).at(0) === 'probe 10'
    );
  },
  'a connection that answers no pings is closed': (Machine) => {
    const bench = new Bench(Machine, { missedPings: 3 });
    bench.greet(10, two);
    const due = { type: 'ping-due' } as const;
    return bench.take(due, due).length === 0 && bench.take(due).includes('terminate 10');
  },
  'messages go to the oldest connection that answers': (Machine) => {
    const bench = new Bench(Machine);
    bench.greet(10, two);
    bench.greet(11, two);
    bench.probed(11, 1, true);
    return bench.probed(10, 1, true).includes('use 10');
  },
  'messages wait while it is found out which connection answers': (Machine) => {
    const bench = new Bench(Machine);
    bench.greet(10, two);
    return bench.greet(11, two).at(-1) === 'use null';
  },
  'a process that connects after its id spoke by POST proves nothing': (Machine) => {
    const bench = new Bench(Machine, { trustConnections: true });
    bench.take({ type: 'posted', peer: 2 });
    bench.greet(10, two);
    return bench.closed(10, 'ended').includes('two is gone');
  },
};
