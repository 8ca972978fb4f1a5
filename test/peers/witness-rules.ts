/** What the machine must do with reports of witnesses, in a few steps each. Each returns whether it does. */
import { type DeathReport, type Identity, type Peers, TAKES_REPORTS } from '../../src/peers/index.ts';
import { Bench, PROCESS, processOf } from './bench.ts';

type Rule = (Machine: typeof Peers) => boolean;

const THERE = { bootId: 'there', pidNamespace: 'ns' };
/** The process of member 2, on another host than member 1, and a witness of that host. */
const two = processOf(2, 'two', { process: { ...PROCESS, ...THERE, pid: 22 } });
const BELIEVED = 'two is gone, certainly, by w';

export type WitnessRuleName =
  | 'only a witness that is trusted is believed'
  | 'no witness is believed unless that is configured'
  | 'a witness attests for its own host alone'
  | 'a witness attests for its own namespace of pids alone'
  | 'a report about a life that never greeted has no effect'
  | 'a report counts only for the process that greeted'
  | 'a report about a life that two processes used has no effect'
  | 'a late report about an earlier life has no effect'
  | 'a report that is replayed has no effect'
  | 'a process that greets after it was reported dead proves nothing any more'
  | 'what was not seen is not reported'
  | 'a death that was seen is reported to those that take reports, before anything else'
  | 'nothing is reported to a member that takes no reports'
  | 'a member that reports its own death lives'
  | 'the connections of a process that was reported dead are closed'
  | 'a suspicion waits for the report of a witness, and not for long';

/** A machine that trusts the witness w, unless something else is said, and is connected with two. */
function bench(Machine: typeof Peers, trustWitnesses: boolean | readonly string[] = ['w']): Bench {
  const made = new Bench(Machine, { trustWitnesses });
  made.greet(10, two);
  return made;
}

function reportOf({ id, life, process }: Identity): DeathReport {
  return { id, life, process: process! };
}

function reported(made: Bench, report = reportOf(two), witness = 'w', host: typeof THERE = THERE): string[] {
  return made.take({ type: 'reported', witness, host, report });
}

/** Member 1 has met member 2 on its own kernel, and is connected with 3 on another host, over connection 20. */
function beside(Machine: typeof Peers, features: readonly string[] | undefined): Bench {
  const made = new Bench(Machine);
  made.take({ type: 'peer-added', peer: 3 });
  made.greet(10, processOf(2, 'two'));
  made.take({ type: 'met', connection: 10 });
  made.greet(
    20,
    processOf(3, 'three', {
      process: { ...PROCESS, ...THERE },
      ...(features === undefined ? {} : { features }),
    }),
  );
  return made;
}

export const witnessRules: Readonly<Record<WitnessRuleName, Rule>> = {
  'only a witness that is trusted is believed': (Machine) => {
    const made = bench(Machine);
    return (
      reported(made, reportOf(two), 'another').join() === 'disbelieve another: not-trusted' &&
      reported(made).includes(BELIEVED)
    );
  },
  'no witness is believed unless that is configured': (Machine) =>
    reported(bench(Machine, false)).join() === 'disbelieve w: not-trusted' &&
    reported(bench(Machine, true)).includes(BELIEVED),
  'a witness attests for its own host alone': (Machine) =>
    reported(bench(Machine), reportOf(two), 'w', { ...THERE, bootId: 'elsewhere' }).join() ===
    'disbelieve w: other-host',
  'a witness attests for its own namespace of pids alone': (Machine) =>
    reported(bench(Machine), reportOf(two), 'w', { ...THERE, pidNamespace: 'another' }).join() ===
    'disbelieve w: other-host',
  'a report about a life that never greeted has no effect': (Machine) =>
    reported(bench(Machine), { ...reportOf(two), life: 'never' }).join() === 'disbelieve w: unknown-life',
  'a report counts only for the process that greeted': (Machine) => {
    const { process } = reportOf(two);
    const others = [{ pid: 7 }, { startTime: 'later' }].map((other) => ({ ...process, ...other }));
    return others.every(
      (each) =>
        reported(bench(Machine), { ...reportOf(two), process: each }).join() ===
        'disbelieve w: other-process',
    );
  },
  'a report about a life that two processes used has no effect': (Machine) => {
    const made = bench(Machine);
    made.closed(10, 'ended');
    made.greet(11, { ...two, process: { ...two.process!, pid: 7 } });
    return reported(made).join() === 'disbelieve w: doubtful-life';
  },
  'a late report about an earlier life has no effect': (Machine) => {
    const made = bench(Machine);
    made.closed(10, 'ended');
    made.greet(11, processOf(2, 'next', { process: { ...PROCESS, ...THERE, pid: 23 } }));
    return reported(made).join() === 'disbelieve w: earlier-life';
  },
  'a report that is replayed has no effect': (Machine) => {
    const made = bench(Machine);
    return reported(made).includes(BELIEVED) && reported(made).join() === 'disbelieve w: known';
  },
  'a process that greets after it was reported dead proves nothing any more': (Machine) => {
    const made = bench(Machine);
    reported(made);
    made.greet(11, two);
    return (
      reported(made).join() === 'disbelieve w: doubtful-life' &&
      made.closed(11, 'ended').every((each) => !each.includes('certainly'))
    );
  },
  'what was not seen is not reported': (Machine) => {
    const made = beside(Machine, [TAKES_REPORTS]);
    made.closed(10, 'ended');
    made.nowMs = 1000;
    return !made.take({ type: 'seen', peer: 2, look: 1, isDead: false }).some((each) => /^attest/.test(each));
  },
  'a death that was seen is reported to those that take reports, before anything else': (Machine) => {
    const made = beside(Machine, [TAKES_REPORTS]);
    made.closed(10, 'ended');
    return made.take({ type: 'seen', peer: 2, look: 1, isDead: true })[0] === 'attest 20: two';
  },
  'nothing is reported to a member that takes no reports': (Machine) => {
    const made = beside(Machine, undefined);
    made.closed(10, 'ended');
    return made.take({ type: 'seen', peer: 2, look: 1, isDead: true }).join() === 'two is gone, certainly';
  },
  'a member that reports its own death lives': (Machine) => {
    const made = bench(Machine, true);
    return (
      made.take({ type: 'witnessed', connection: 10, report: reportOf(two) }).join() ===
      'disbelieve 2: of-itself'
    );
  },
  'the connections of a process that was reported dead are closed': (Machine) => {
    const made = bench(Machine);
    made.greet(11, two);
    const decided = reported(made);
    return (
      decided.includes('terminate 10') &&
      decided.includes('terminate 11') &&
      decided.indexOf('two is down') < decided.indexOf(BELIEVED)
    );
  },
  'a suspicion waits for the report of a witness, and not for long': (Machine) => {
    const made = bench(Machine);
    const isPatient = !made.closed(10, 'ended').includes('two is gone');
    const isTold = made.take({ type: 'timer', timer: 'look 2' }).includes('two is gone');
    return isPatient && isTold && reported(made).includes(BELIEVED);
  },
};
