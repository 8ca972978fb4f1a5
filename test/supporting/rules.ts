/** What support must do in a few steps. Each returns whether it does. */
import {
  type Definition,
  type Effect,
  type Protocol,
  type Rested,
  type RestOffer,
  readSettings,
} from '../../src/core/index.ts';
import type { HostClock, Rest } from '../../src/host/index.ts';
import type { Support, SupportAnswer, SupportRequest } from '../../src/support/index.ts';
import type { Loaded } from './mutate.ts';

type Rule = (loaded: Pick<Loaded, 'Support' | 'quorum'>) => boolean;

export type RuleName =
  | 'a request far ahead is ignored'
  | 'too many endings to list end every rest'
  | 'an answer to a request that was not sent is ignored'
  | 'an answer to another process is ignored'
  | 'an answer about an earlier rest does not count'
  | 'a sleep of the machine ends every lease'
  | 'no election rests while a voter that answers does not understand it'
  | 'elections with other times do not rest together'
  | 'a late request renews nothing'
  | 'what the leader woke is awake before the promise is renewed'
  | 'an election that wakes has promised the newest round'
  | 'elections wake when the leader is silent'
  | 'an ending counts once'
  | 'nothing rests with another process of a voter'
  | 'a late answer is ignored'
  | 'a late answer of an earlier process counts for nothing that woke since'
  | 'a voter that asks for longer promises does not rest'
  | 'a member that still keeps promises of before its start does not rest'
  | 'a disk that lost its seat does not keep an election awake'
  | 'an election that a voter refuses wakes'
  | 'voters are told which elections woke'
  | 'a voter rests only with the term and register of the leader'
  | 'a voter rests only if the leader knows its priority'
  | 'a voter without a seat does not rest'
  | 'a probe without an answer does not keep a voter awake'
  | 'what a late request of an earlier process woke is told to the leader'
  | 'a count of another process confirms no ending'
  | 'a voter that missed the end of a rest begins the next one'
  | 'another process of a voter is told that every rest ended'
  | 'both sides know when they heard the other'
  | 'a voter that was not asked for its support gives none'
  | 'one request stands for all elections';

const TIMES = { heartbeatMs: 50, promiseMs: 125, leaseMs: 120 };

/** An election of which only the rest is of interest. */
class Sleeper {
  rest_: Rest | null = null;
  woken: Rested[] = [];
  isWilling = true;
  endsAtMs = TIMES.leaseMs;

  timer(): { endsAtMs: number; lengthMs: number; sleeps: number } {
    return { endsAtMs: this.endsAtMs, lengthMs: TIMES.leaseMs, sleeps: 0 };
  }
  accepts(): boolean {
    return this.isWilling && this.rest_ === null;
  }
  begin(rest: Rest): void {
    this.rest_ = rest;
  }
  /** Three voters: this one and the second newest of the others. */
  carried(round: number, answeredBy: (id: number) => number): number {
    return [round, answeredBy(2), answeredBy(3)].sort((a, b) => b - a)[1]!;
  }
  wake(): void {
    const rest = this.rest_;
    this.rest_ = null;
    if (rest !== null) this.woken.push(rest.end());
  }
  get leaseMs(): number {
    return this.rest_?.lease?.endsAtMs ?? 0;
  }
}

/** One process with a clock that is set by hand. */
class Bench implements HostClock {
  nowMs = 0;
  sleeps = 0;
  readonly sleptMs = 0;
  readonly sent: { to: unknown; message: SupportRequest | SupportAnswer }[] = [];
  readonly elections = new Map<string, Sleeper>();
  readonly support: Support;
  understands: (id: unknown) => boolean | null = () => true;
  readonly #alarms: { atMs: number; run: () => void }[] = [];

  constructor(Machine: typeof Support) {
    this.support = new Machine({
      self: 1,
      life: 'one',
      clock: this,
      send: (to, message) => this.sent.push({ to, message }),
      understands: (id) => this.understands(id),
      find: (name) => this.elections.get(name) ?? null,
    });
  }

  now(): number {
    return this.nowMs;
  }
  wallNow(): number {
    return this.nowMs;
  }
  after(delayMs: number): number {
    return this.nowMs + Math.max(0.01, delayMs);
  }
  set(atMs: number, run: () => void): () => void {
    const alarm = { atMs, run };
    this.#alarms.push(alarm);
    return () => {
      const at = this.#alarms.indexOf(alarm);
      if (at >= 0) this.#alarms.splice(at, 1);
    };
  }

  to(atMs: number): void {
    for (;;) {
      const next = this.#alarms.filter((each) => each.atMs <= atMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#alarms.splice(this.#alarms.indexOf(next), 1);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
    }
    this.nowMs = atMs;
  }

  /** An election that this process leads, and that rests if it can. */
  lead(name: string, offer: Partial<RestOffer> = {}): { sleeper: Sleeper; rests: boolean } {
    const sleeper = this.elections.get(name) ?? new Sleeper();
    sleeper.endsAtMs = this.nowMs + TIMES.leaseMs;
    this.elections.set(name, sleeper);
    const rests = this.support.rest(name, sleeper, {
      times: TIMES,
      marks: { 2: '1', 3: '1' },
      voters: [1, 2, 3],
      answering: [2, 3],
      kind: 'three',
      round: 3,
      leaseRound: 3,
      leaseTimer: 'lease',
      ...offer,
    });
    return { sleeper, rests };
  }

  /** An election in which the second voter leads, and that rests from this request on. */
  follow(name: string, { round }: { readonly round: number }): Sleeper {
    const sleeper = new Sleeper();
    this.elections.set(name, sleeper);
    this.ask({ round, offers: [{ election: name, mark: '1', round: round + 3 }] });
    return sleeper;
  }

  get requests(): SupportRequest[] {
    return this.sent.map(({ message }) => message).filter((each) => each.type === 'support');
  }
  get answers(): SupportAnswer[] {
    return this.sent.map(({ message }) => message).filter((each) => each.type === 'support/answer');
  }

  /** The second voter answers the latest request, or another one does. */
  answer(fields: Partial<SupportAnswer> = {}, from = 2): void {
    const last = this.requests.at(-1)!;
    this.support.receive(from, {
      type: 'support/answer',
      to: 'one',
      life: 'two',
      round: last.round,
      count: 0,
      ended: [],
      seen: last.count,
      rested: last.offers.map(({ election }) => election),
      refused: [],
      ...fields,
    });
  }

  /** The second voter asks for support. */
  ask(fields: Partial<SupportRequest> = {}): SupportAnswer | undefined {
    const before = this.answers.length;
    this.support.receive(2, {
      type: 'support',
      life: 'two',
      round: 1,
      promiseMs: 125,
      count: 0,
      ended: [],
      to: 'one',
      seen: 0,
      offers: [],
      ...fields,
    });
    return this.answers[before];
  }
}

const LEADER = { disk: '0', start: 1, life: 'two' };
const REQUEST = { leader: 2, life: 'two', mark: '3 0 0 1', promiseMs: 125, round: 3 };

/** A voter of `quorum` that has just heard a heartbeat of the second member. */
function followed(
  quorum: Definition,
  record: Readonly<Record<string, string>> = {},
): { readonly protocol: Protocol; readonly state: unknown } {
  const protocol = quorum.create({
    timing: readSettings(quorum.timing, {}, ''),
    options: readSettings(quorum.options, {}, ''),
  });
  const self = { id: 1, members: [1, 2, 3], settings: { priority: 1 } };
  const state = protocol.init(self);
  const saved = { ...(protocol.genesis!(self) as object), ...record };
  protocol.step(state, { type: 'start', saved, incarnation: 1, life: 'one' }, []);
  const age = { term: 0, version: 0 };
  const heartbeat = { type: 'heartbeat', term: 3, round: 2, age, committed: age, promiseMs: 125, by: LEADER };
  protocol.step(state, { type: 'message', from: 2, message: heartbeat }, []);
  return { protocol, state };
}

function peerOf(disk: string, round: number): object {
  return { disk, round, streak: 0, age: { term: 0, version: 0 }, priority: 1, deputies: false };
}

/** What a member that `followed` made has to know to lead, where all answer its tenth round. */
function led(newcomers: object = {}): object {
  const peers = { 2: peerOf('0', 10), 3: peerOf('0', 10) };
  const lease = { leaseRound: 10, openRounds: [10], countsMs: 1500, asksMs: 1500 };
  return { role: 'leader', leader: 1, promise: null, round: 10, ...lease, peers, newcomers };
}

export const rules: Readonly<Record<RuleName, Rule>> = {
  'a request far ahead is ignored': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    bench.ask({ round: 5 });
    return bench.ask({ round: 2 ** 50 }) === undefined && bench.ask({ round: 6 })?.round === 6;
  },
  'too many endings to list end every rest': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const names = Array.from({ length: 1200 }, (_, i) => `e${i}`);
    for (const name of names) bench.elections.set(name, new Sleeper());
    const offers = names.map((election) => ({ election, mark: '1', round: 4 }));
    bench.ask({ round: 1, offers: offers.slice(0, 600) });
    bench.ask({ round: 2, offers: offers.slice(600) });
    for (const name of names) bench.elections.get(name)!.wake();
    const said = bench.ask({ round: 3 });
    return said?.ended === null && said.count === 1200;
  },
  'an answer to a request that was not sent is ignored': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const { sleeper } = bench.lead('a');
    bench.to(1);
    bench.answer({ round: bench.requests.at(-1)!.round + 1, rested: ['a'] });
    bench.to(60);
    bench.answer({ rested: [] });
    return sleeper.leaseMs === TIMES.leaseMs;
  },
  'an answer to another process is ignored': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const { sleeper } = bench.lead('a');
    bench.to(1);
    bench.answer({ to: 'zero' });
    return sleeper.leaseMs === TIMES.leaseMs;
  },
  'an answer about an earlier rest does not count': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const { sleeper } = bench.lead('a');
    bench.to(1);
    const first = bench.requests.at(-1)!.round;
    sleeper.wake();
    bench.to(10);
    bench.lead('a', { marks: { 2: '2', 3: '2' }, round: 5, leaseRound: 5 });
    bench.answer({ round: first, rested: ['a'] });
    bench.to(60);
    bench.answer({ rested: [] });
    return sleeper.leaseMs === 10 + TIMES.leaseMs;
  },
  'a sleep of the machine ends every lease': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const { sleeper } = bench.lead('a');
    bench.to(1);
    bench.answer();
    const before = sleeper.leaseMs;
    bench.sleeps = 1;
    return before > TIMES.leaseMs - 1 && sleeper.leaseMs === 0;
  },
  'no election rests while a voter that answers does not understand it': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    bench.understands = (id) => id !== 3;
    if (bench.lead('a').rests || bench.lead('b', { answering: [2] }).rests) return false;
    bench.understands = (id) => (id === 3 ? null : true);
    return !bench.lead('c').rests && bench.lead('d', { answering: [2] }).rests;
  },
  'elections with other times do not rest together': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    return bench.lead('a').rests && !bench.lead('b', { times: { ...TIMES, heartbeatMs: 40 } }).rests;
  },
  'a late request renews nothing': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    bench.ask({ round: 5 });
    return bench.ask({ round: 4 }) === undefined && bench.ask({ round: 5 }) === undefined;
  },
  'what the leader woke is awake before the promise is renewed': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const a = bench.follow('a', { round: 1 });
    bench.to(40);
    bench.ask({ round: 2, count: 1, ended: [{ election: 'a', count: 1 }] });
    const [rested] = a.woken;
    return rested?.as === 'follower' && rested.heard.sentAtMs === 0 && rested.heard.round === 4;
  },
  'an election that wakes has promised the newest round': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const a = bench.follow('a', { round: 1 });
    bench.ask({ round: 2 });
    bench.ask({ round: 5 });
    a.wake();
    const [rested] = a.woken;
    return rested?.as === 'follower' && rested.heard.round === 8;
  },
  'elections wake when the leader is silent': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const a = bench.follow('a', { round: 1 });
    bench.to(100);
    bench.ask({ round: 2 });
    bench.to(200);
    const isAsleep = a.woken.length === 0;
    bench.to(226);
    return isAsleep && a.woken.length === 1;
  },
  'an ending counts once': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const a = bench.follow('a', { round: 1 });
    const ended = [{ election: 'a', count: 1 }];
    bench.ask({ round: 2, count: 1, ended });
    bench.ask({ round: 3, count: 1, ended, offers: [{ election: 'a', mark: '1', round: 6 }] });
    bench.ask({ round: 4, count: 2, ended: [...ended, { election: 'b', count: 2 }] });
    return a.woken.length === 1;
  },
  'nothing rests with another process of a voter': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const { sleeper } = bench.lead('a');
    bench.to(1);
    bench.answer();
    bench.to(60);
    const before = sleeper.leaseMs;
    bench.answer({ life: 'another', rested: [] });
    return sleeper.leaseMs === before;
  },
  'a late answer is ignored': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const { sleeper } = bench.lead('a');
    bench.to(1);
    const { round } = bench.requests.at(-1)!;
    bench.to(60);
    bench.answer({ rested: [] });
    bench.answer({ round, rested: ['a'] });
    return sleeper.leaseMs === TIMES.leaseMs;
  },
  'a late answer of an earlier process counts for nothing that woke since': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const { sleeper } = bench.lead('a');
    bench.to(1);
    const { round } = bench.requests.at(-1)!;
    bench.answer();
    bench.answer({}, 3);
    bench.to(60);
    bench.answer({ rested: [], count: 1, ended: [{ election: 'a', count: 1 }] });
    bench.answer({ rested: [] }, 3);
    const before = sleeper.leaseMs;
    bench.to(111);
    const latest = bench.requests.findLast(({ seen }) => seen === 1)!;
    bench.answer({ life: 'another', rested: [] });
    // The process before says that it rests, and then, to a request that has confirmed the ending, nothing more about it.
    bench.answer({ round, rested: ['a'] });
    bench.answer({ round: latest.round, count: 1, rested: [] });
    return before > TIMES.leaseMs && sleeper.leaseMs === before;
  },
  'a voter that asks for longer promises does not rest': ({ quorum }) => {
    const { protocol, state } = followed(quorum);
    Object.assign(state as object, { asksMs: 250, countsMs: 125 });
    return !protocol.resting!.accepts(state, REQUEST);
  },
  'a member that still keeps promises of before its start does not rest': ({ quorum }) => {
    const { protocol, state } = followed(quorum);
    const { accepts, offer } = protocol.resting!;
    const earlier = (isEnding: boolean): void => {
      Object.assign(state as object, { earlier: { ms: 1500, isEnding } });
    };
    earlier(true);
    const isAwake = !accepts(state, REQUEST);
    earlier(false);
    if (!isAwake || !accepts(state, REQUEST)) return false;
    Object.assign(state as object, led());
    const offers = offer(state) !== null;
    earlier(true);
    return offers && offer(state) === null;
  },
  'a disk that lost its seat does not keep an election awake': ({ quorum }) => {
    const { protocol, state } = followed(quorum);
    const offers = (newcomers: object): boolean => {
      Object.assign(state as object, led(newcomers));
      return protocol.resting!.offer(state) !== null;
    };
    return offers({}) && !offers({ 3: peerOf('other', 9) }) && offers({ 3: peerOf('other', 7) });
  },
  'an election that a voter refuses wakes': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const { sleeper } = bench.lead('a');
    bench.to(1);
    bench.answer({ rested: [], refused: ['a'] });
    return sleeper.woken.length === 1;
  },
  'voters are told which elections woke': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    bench.lead('b');
    const { sleeper } = bench.lead('a');
    bench.to(1);
    bench.answer();
    sleeper.wake();
    bench.to(60);
    const { ended, count } = bench.requests.at(-1)!;
    return count === 1 && ended?.[0]?.election === 'a';
  },
  'a voter rests only with the term and register of the leader': ({ quorum }) => {
    const { protocol, state } = followed(quorum);
    const { accepts } = protocol.resting!;
    const request = REQUEST;
    const others = [
      { mark: '4 0 0 1' },
      { mark: '3 0 1 1' },
      { round: 2 },
      { promiseMs: 100 },
      { life: 'x' },
      { leader: 3 },
    ];
    return accepts(state, request) && others.every((each) => !accepts(state, { ...request, ...each }));
  },
  'a voter rests only if the leader knows its priority': ({ quorum }) => {
    const { protocol, state } = followed(quorum);
    const { accepts } = protocol.resting!;
    protocol.step(state, { type: 'command', id: 1, command: { type: 'priority', priority: 5 } }, []);
    return !accepts(state, REQUEST) && accepts(state, { ...REQUEST, mark: '3 0 0 5' });
  },
  'a voter without a seat does not rest': ({ quorum }) => {
    const { protocol, state } = followed(quorum, { disk: 'another' });
    return !protocol.resting!.accepts(state, REQUEST);
  },
  'a probe without an answer does not keep a voter awake': ({ quorum }) => {
    const { protocol, state } = followed(quorum);
    const ask = { type: 'transfer/ask', term: 3, by: LEADER };
    const out: Effect[] = [];
    protocol.step(state, { type: 'message', from: 2, message: ask }, out);
    return out.length > 0 && protocol.resting!.accepts(state, REQUEST);
  },
  'what a late request of an earlier process woke is told to the leader': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const a = bench.follow('a', { round: 1 });
    const b = bench.follow('b', { round: 2 });
    b.wake();
    const before = bench.ask({ round: 3 })!;
    bench.ask({ life: 'zero', round: 9 });
    const after = bench.ask({ round: 4, seen: before.count })!;
    const isTold = after.ended === null || after.ended.some(({ election }) => election === 'a');
    const confirmed = bench.ask({ round: 5, seen: after.count })!;
    return a.woken.length === 1 && after.count > before.count && isTold && confirmed.ended?.length === 0;
  },
  'a count of another process confirms no ending': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    bench.follow('a', { round: 1 }).wake();
    const [other, own] = [bench.ask({ round: 2, to: 'zero', seen: 9 }), bench.ask({ round: 3, seen: 1 })];
    return other?.ended?.length === 1 && own?.ended?.length === 0;
  },
  'a voter that missed the end of a rest begins the next one': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const a = bench.follow('a', { round: 1 });
    const said = bench.ask({ round: 2, offers: [{ election: 'a', mark: '2', round: 9 }] });
    a.wake();
    const [, rested] = a.woken;
    return said?.rested[0] === 'a' && rested?.as === 'follower' && rested.heard.round === 9;
  },
  'another process of a voter is told that every rest ended': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    bench.lead('a');
    bench.to(1);
    bench.answer();
    bench.to(60);
    bench.answer({ life: 'another', rested: [] });
    bench.to(115);
    const [first, last] = [
      bench.requests.find(({ to }) => to === 'two'),
      bench.requests.findLast(({ to }) => to !== null),
    ];
    return first?.ended?.length === 0 && last?.to === 'another' && last.ended === null;
  },
  'both sides know when they heard the other': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    bench.lead('a');
    bench.to(1);
    bench.answer();
    bench.follow('b', { round: 1 });
    bench.to(60);
    bench.answer();
    const { support } = bench;
    const heard = [support.heardAtMs(2, 'a'), support.heardAtMs(3, 'a'), support.heardAtMs(2, 'b')];
    return heard.join() === '60,,1';
  },
  'a voter that was not asked for its support gives none': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const a = new Sleeper();
    a.isWilling = false;
    bench.elections.set('a', a);
    const said = bench.ask({ offers: [{ election: 'a', mark: '1', round: 4 }] });
    return said?.rested.length === 0 && said.refused[0] === 'a' && a.rest_ === null;
  },
  'one request stands for all elections': ({ Support: Machine }) => {
    const bench = new Bench(Machine);
    const sleepers = Array.from({ length: 400 }, (_, i) => bench.lead(`e${i}`).sleeper);
    bench.to(1);
    bench.answer();
    const before = bench.sent.length;
    bench.to(56);
    bench.answer();
    return bench.sent.length - before <= 4 && sleepers.every((each) => each.leaseMs > 44 + TIMES.leaseMs);
  },
};
