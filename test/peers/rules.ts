/** What the machine must do in a few steps. Each returns whether it does. */
import type { Peers } from '../../src/peers/index.ts';
import { Bench, processOf } from './bench.ts';
import { type WitnessRuleName, witnessRules } from './witness-rules.ts';

type Rule = (Machine: typeof Peers) => boolean;

const two = processOf(2, 'two');

export type RuleName =
  | 'a process that answers keeps its place'
  | 'a process that says the life of another is another one if it runs elsewhere'
  | 'a connection that answers no pings is closed'
  | 'messages go to the oldest connection that answers'
  | 'messages wait while it is found out which connection answers'
  | 'messages go to the oldest connection as long as none has answered'
  | 'a connection that was silent for a moment is used again when it answers'
  | 'messages do not go by the answer of a connection that is closed'
  | 'a process that connects again while another claims its place keeps it'
  | 'a process that connects after its id spoke by POST proves nothing'
  | 'the end of a connection that the other side opened proves nothing if a duplicate was closed'
  | WitnessRuleName;

export const rules: Readonly<Record<RuleName, Rule>> = {
  ...witnessRules,
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
  'messages go to the oldest connection as long as none has answered': (Machine) => {
    const bench = new Bench(Machine);
    bench.greet(10, two);
    bench.greet(11, two);
    bench.probed(10, 1, false);
    return bench.probed(11, 1, false).includes('use 10');
  },
  'a connection that was silent for a moment is used again when it answers': (Machine) => {
    const bench = new Bench(Machine);
    bench.greet(10, two);
    bench.greet(11, two);
    bench.probed(10, 1, false);
    bench.probed(11, 1, true);
    bench.take({ type: 'pong', connection: 10 });
    return bench.probed(10, 2, true).includes('use 10');
  },
  'messages do not go by the answer of a connection that is closed': (Machine) => {
    const bench = new Bench(Machine, {}, processOf(3, 'own'));
    for (const connection of [10, 11, 12]) bench.greet(connection, two);
    for (const poll of [1, 2]) bench.probed(11, poll, true);
    bench.closed(11, 'ended');
    for (const poll of [1, 2]) bench.probed(10, poll, false);
    return bench.probed(12, 2, true).includes('use 12');
  },
  'a process that connects again while another claims its place keeps it': (Machine) => {
    const bench = new Bench(Machine);
    bench.greet(10, two);
    bench.greet(11, processOf(2, 'another'));
    bench.greet(12, two);
    bench.probed(10, 1, false);
    bench.probed(10, 3, false);
    return bench.probed(12, 3, true).includes('refuse 11: same-id');
  },
  'a process that connects after its id spoke by POST proves nothing': (Machine) => {
    const bench = new Bench(Machine, { trustConnections: true });
    bench.take({ type: 'posted', peer: 2 });
    bench.greet(10, two);
    return bench.closed(10, 'ended').includes('two is gone');
  },
  'the end of a connection that the other side opened proves nothing if a duplicate was closed': (
    Machine,
  ) => {
    const bench = new Bench(Machine, { trustConnections: true });
    bench.greet(10, two);
    bench.greet(11, two);
    bench.probed(10, 1, true);
    return bench.closed(10, 'ended').includes('two is gone');
  },
};
