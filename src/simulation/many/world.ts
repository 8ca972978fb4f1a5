/**
 * Several elections of the same members, with support between their processes: the production host, protocol and
 * support, on a simulated network, disk and clock. The rest of the simulator has one election; what is about the
 * number of elections is tried here. Messages are lost, duplicated and overtaken; processes crash, are stopped, start
 * again; links are cut, also one way; leaders resign, transfer and publish; deaths are proven or not.
 */
import { type Definition, type Json, type MemberId, Random, readSettings } from '../../core/index.ts';
import { type Alarm, ProcessClock } from '../process-clock.ts';
import { type Due, Queue } from '../queue.ts';
import { toUs } from '../time.ts';
import { Changes } from './changes.ts';
import type { ManyStorm } from './draw.ts';
import { type Carried, ManyProcess, type Member } from './running.ts';
import { ManyWatch } from './watch.ts';

interface Event extends Due {
  run(): void;
}

export interface ManyOutcome {
  /** The first broken promise in words, or null. */
  readonly failure: string | null;
  /** How often an election began to act, and the sum over the run's samples of elections that rested. */
  readonly leaderships: number;
  readonly rests: number;
  /** Messages of elections and about support. */
  readonly messages: number;
  readonly supportMessages: number;
}

class ManyWorld {
  nowUs = 0;
  failure: string | null = null;
  messages = 0;
  supportMessages = 0;

  readonly #storm: ManyStorm;
  readonly #definition: Definition;
  readonly #protocol;
  readonly #queue = new Queue<Event>();
  readonly #network: Random;
  readonly #faults: Random;
  readonly #late: Random;
  readonly #members: Member[] = [];
  readonly #elections: readonly string[];
  /** "FROM TO": nothing arrives. */
  readonly #cut = new Set<string>();
  readonly watch: ManyWatch = new ManyWatch((what) => this.#fail(what));
  readonly #changes: Changes | null;
  #saves = 0;
  #isCalm = false;

  constructor(definition: Definition, storm: ManyStorm) {
    this.#storm = storm;
    this.#definition = definition;
    this.#protocol = definition.create({
      timing: readSettings(definition.timing, {}, 'timing'),
      options: readSettings(definition.options, { preset: 'lan' }, 'options'),
    });
    this.#network = new Random(storm.seed, 'many/network');
    this.#faults = new Random(storm.seed, 'many/faults');
    this.#late = new Random(storm.seed, 'many/late-faults');
    this.#elections = Array.from({ length: storm.elections }, (_, i) => `e${i + 1}`);
    const ids = Array.from({ length: storm.members }, (_, i) => i + 1);
    for (const id of ids) {
      const self = { id, members: ids, settings: { priority: 1 } };
      const records = new Map(this.#elections.map((name) => [name, this.#protocol.genesis!(self)]));
      this.#members.push({ id, records, saved: new Map(), incarnation: 0, running: null });
    }
    const changes = new Changes(storm, definition, this.#members, this.#elections, {
      afterMs: (delayMs, run) => this.#afterMs(delayMs, run),
      isCalm: () => this.#isCalm,
      timesOf: (state) => this.#protocol.retimed!(state)?.times ?? null,
      kill: (member) => this.#kill(member),
      resume: (running) => this.#resume(running),
    });
    this.#changes = storm.changeEveryMs === 0 ? null : changes;
    for (const member of this.#members) this.#start(member);
  }

  run(): void {
    const { stormMs, calmMs } = this.#storm;
    this.#afterMs(this.#faults.between(200, 1200), () => this.#fault());
    this.#changes?.begin();
    this.#afterMs(stormMs, () => this.#calmDown());
    const endUs = toUs(stormMs + calmMs);
    for (let next = this.#queue.pop(); next !== undefined; next = this.#queue.pop()) {
      if (next.atUs > endUs || this.failure !== null) break;
      this.nowUs = Math.max(this.nowUs, next.atUs);
      this.#look(); // A lease may have ended since.
      next.run();
      this.#look();
    }
    this.#checkEnd();
  }

  #start(member: Member): void {
    member.incarnation += 1;
    const { id } = member;
    const clock = this.#clock(() => member.running);
    const drift = this.#storm.drift;
    clock.rate = 1 + drift * (this.#faults.fraction() * 2 - 1) * 0.5;
    const ids = this.#members.length > 0 ? this.#members.map((each) => each.id) : [id];
    const life = `${id}/${member.incarnation}`;
    member.running = new ManyProcess(
      { id, members: ids, settings: { priority: 1 } },
      member.incarnation,
      this.#protocol,
      this.#definition.commands,
      member.records,
      this.#storm.support,
      {
        clock,
        random: new Random(this.#storm.seed, life),
        send: (to, carried) => this.#send(id, to, carried),
        save: (election, record, done) => this.#save(member, life, election, record, done),
        reported: (election, view) => {
          this.watch.onReport(election, life, view);
          this.#changes?.onReport(id, election, view);
        },
      },
    );
  }

  #clock(running: () => ManyProcess | null): ProcessClock {
    const put = (atUs: number, alarm: Alarm): Due => {
      const event: Event = {
        atUs,
        seq: 0,
        run: () => {
          const owner = running();
          if (owner?.clock !== clock) return; // That process has died.
          if (owner.isPaused) owner.missed.push(() => clock.ring(alarm, event));
          else clock.ring(alarm, event);
        },
      };
      this.#queue.push(event);
      return event;
    };
    const clock: ProcessClock = new ProcessClock(this, put);
    return clock;
  }

  #save(
    member: Member,
    life: string,
    election: string,
    record: Json,
    done: (failure: string | null) => void,
  ): void {
    const save = ++this.#saves;
    const commit = (): void => {
      if (member.running !== null && member.running.life !== life) return;
      const saved = member.saved.get(election) ?? 0;
      if (save > saved) member.records.set(election, record); // A record does not replace a newer one.
      member.saved.set(election, Math.max(save, saved));
      done(null);
    };
    const { saveMs } = this.#storm;
    if (saveMs === 0 || this.#isCalm || this.#network.below(4) > 0) return commit();
    this.#afterMs(this.#network.fraction() * saveMs, () => {
      const { running } = member;
      if (running?.life !== life) return;
      if (running.isPaused) running.missed.push(commit);
      else commit();
    });
  }

  #send(from: MemberId, to: MemberId, carried: Carried): void {
    if (carried.election === null) this.supportMessages += 1;
    else this.messages += 1;
    const { lossRate, duplicateRate, latencyMs } = this.#storm;
    const isLost = this.#network.fraction() < lossRate;
    const copies = this.#network.fraction() < duplicateRate ? 2 : 1;
    const text = JSON.stringify(carried.message); // What is sent does not change afterwards.
    for (let i = 0; i < copies; i++) {
      const delayMs = latencyMs[0] + (latencyMs[1] - latencyMs[0]) * this.#network.fraction();
      if (isLost && !this.#isCalm) continue;
      this.#afterMs(delayMs, () => this.#arrive(from, to, carried.election, text));
    }
    const { lateRate, lateMs } = this.#storm;
    if (lateRate > 0 && !this.#isCalm && this.#late.fraction() < lateRate)
      this.#afterMs(this.#late.fraction() * lateMs, () => {
        if (!this.#isCalm) this.#arrive(from, to, carried.election, text);
      });
  }

  #arrive(from: MemberId, to: MemberId, election: string | null, text: string): void {
    if (this.#cut.has(`${from} ${to}`)) return;
    const running = this.#member(to).running;
    if (running === null) return;
    const receive = (): void => running.receive(from, { election, message: JSON.parse(text) } as Carried);
    if (running.isPaused) running.missed.push(receive);
    else receive();
  }

  #fault(): void {
    if (this.#isCalm) return;
    const random = this.#faults;
    const member = this.#members[random.below(this.#members.length)]!;
    const election = this.#elections[random.below(this.#elections.length)]!;
    const leading = this.#members.find((each) => each.running?.hosts.get(election)?.acting === true);
    switch (random.below(12)) {
      case 0:
      case 1:
        this.#kill(random.below(2) === 0 ? (leading ?? member) : member);
        break;
      case 2:
      case 3:
        this.#pause(random.below(2) === 0 ? (leading ?? member) : member, random.between(5, 600));
        break;
      case 4:
      case 5:
        this.#separate(member, random.between(20, 800), random.below(3));
        break;
      case 6:
        leading?.running?.command(election, { type: 'resign' });
        break;
      case 7:
        leading?.running?.command(election, { type: 'transfer', to: member.id });
        break;
      case 8:
        leading?.running?.command(election, { type: 'publish', value: this.nowUs });
        break;
      case 9:
        member.running?.command(election, { type: 'priority', priority: random.below(3) });
        this.#afterMs(random.between(50, 500), () =>
          member.running?.command(election, { type: 'priority', priority: 1 }),
        );
        break;
      case 10:
        this.#say(member, { type: 'peer-gone', peer: (leading ?? member).id, proof: false, life: '' });
        break;
      default:
        member.running?.command(election, { type: 'campaign' });
    }
    this.#afterMs(1 + random.fraction() * 2 * this.#storm.faultEveryMs, () => this.#fault());
  }

  #kill(member: Member): void {
    const { running, id } = member;
    if (running === null) return;
    const { life } = running;
    const proof = this.#faults.fraction() < this.#storm.proofRate;
    running.stop();
    member.running = null;
    for (const other of this.#members) {
      if (other === member) continue;
      const delayMs = this.#faults.fraction() * 5;
      this.#afterMs(delayMs, () => this.#say(other, { type: 'peer-gone', peer: id, proof, life }));
    }
    const isQuick = this.#late.fraction() < this.#storm.quickRate;
    this.#afterMs(this.#faults.between(1, isQuick ? 20 : 500), () => this.#startAgain(member));
  }

  #startAgain(member: Member): void {
    if (member.running !== null) return;
    this.#start(member);
    for (const other of this.#members)
      if (other !== member) this.#say(other, { type: 'peer-back', peer: member.id });
  }

  #say(member: Member, input: Parameters<ManyProcess['give']>[0]): void {
    const { running } = member;
    if (running === null || input.peer === member.id) return;
    if (running.isPaused) running.missed.push(() => running.give(input));
    else running.give(input);
  }

  #pause(member: Member, forMs: number): void {
    const { running } = member;
    if (running === null || running.isPaused) return;
    running.isPaused = true;
    this.#afterMs(forMs, () => {
      if (member.running === running) this.#resume(running);
    });
  }

  #resume(running: ManyProcess): void {
    running.isPaused = false;
    for (const run of running.missed.splice(0)) {
      run();
      this.#look();
    }
  }

  #separate(member: Member, forMs: number, way: number): void {
    const links = this.#members.flatMap(({ id }) => {
      if (id === member.id) return [];
      const [there, back] = [`${member.id} ${id}`, `${id} ${member.id}`];
      return way === 0 ? [there, back] : way === 1 ? [there] : [back];
    });
    for (const link of links) this.#cut.add(link);
    this.#afterMs(forMs, () => {
      for (const link of links) this.#cut.delete(link);
    });
  }

  #calmDown(): void {
    this.#isCalm = true;
    this.#cut.clear();
    for (const member of this.#members) this.#startAgain(member);
    for (const { running } of this.#members)
      for (const election of this.#elections) running?.command(election, { type: 'priority', priority: 1 });
  }

  /** In a calm cluster every election is led, and rests. */
  #checkEnd(): void {
    if (this.failure !== null) return;
    for (const election of this.#elections) {
      const led = this.#members.filter(({ running }) => running?.hosts.get(election)?.acting === true);
      if (led.length !== 1) this.#fail(`L1: ${led.length} lead ${election} in a calm cluster`);
      const resting = this.#members.filter(
        ({ running }) => running?.hosts.get(election)?.resting.isOn === true,
      );
      if (this.#storm.support && this.failure === null && resting.length < this.#members.length)
        this.#fail(`${election} rests with ${resting.length} of ${this.#members.length} in a calm cluster`);
    }
  }

  #look(): void {
    this.watch.look(
      this.#elections,
      this.#members.map(({ running }) => running),
    );
  }

  #fail(what: string): void {
    this.failure ??= `${what}, after ${(this.nowUs / 1000).toFixed(3)} ms`;
  }

  #member(id: MemberId): Member {
    return this.#members.find((each) => each.id === id)!;
  }

  #afterMs(delayMs: number, run: () => void): void {
    this.#queue.push({ atUs: this.nowUs + Math.max(1, toUs(delayMs)), seq: 0, run });
  }
}

export function runManyStorm(definition: Definition, storm: ManyStorm): ManyOutcome {
  const world = new ManyWorld(definition, storm);
  world.run();
  const { failure, messages, supportMessages } = world;
  const { leaderships, rests } = world.watch;
  return { failure, leaderships, rests, messages, supportMessages };
}
