/**
 * Node.js compiles a function when it is called for the first time, and makes it faster when it has been called some more times. A
 * member at rest never calls the code that takes over from a dead leader, so without this file that code would be compiled while
 * there is no leader: some milliseconds of a takeover of ten.
 *
 * A process therefore holds elections in memory, among three members with a clock, a network and disks of their own: they elect a
 * leader, it resigns before it has a deputy, its successor hands over to a deputy, and that one dies. Nothing of that is sent, saved or logged. One is held before the process takes part
 * in its first election, some more soon after, and one a minute as long as it has a member, because V8 drops compiled code that
 * has not run for a while.
 */
import { type Definition, type MemberId, parseId } from '../core/index.ts';
import { Election, ProtocolSeat } from '../election/index.ts';
import { DEFAULT_PEER_OPTIONS, type Identity, Peers, type ProcessIdentity } from '../peers/index.ts';
import { RecordStore } from '../store/index.ts';
import type { Clock } from './clock.ts';
import type { Store } from './data-folder.ts';
import type { ElectionHost } from './election-host.ts';
import { Elections } from './elections.ts';
import { isDead, ownProcess } from './evidence.ts';
import { forgetfulHistory } from './history-file.ts';
import { encodeMessage, readFrame } from './links/frames.ts';
import type { Settled } from './options.ts';
import { nodeCoding } from './record-file.ts';
import { RefusalLog } from './refusal-log.ts';

const IDS: readonly MemberId[] = [1, 2, 3];
/** More events than an election takes. A protocol that elects no leader within this many is not rehearsed further. */
const MOST_EVENTS = 300;
/** How many microtask turns to wait between two events: more than any promise chain of the program needs. */
const TURNS = 20;
/** So many events of a leadership are enough for a deputy to stand by. */
const EVENTS_AT_REST = 40;
/** No process of Linux has this pid: pids end at 2 ** 22. */
const NO_PID = 2 ** 22 + 1;

/** Soon after the start so many more elections are held, so long after each other. */
const SOON = { rounds: 5, everyMs: 40 };
/** V8 drops code that did not run during several major collections; in a member at rest these are about a minute apart. */
const LATER_MS = 60_000;

const rehearsed = new WeakSet<Definition>();

/** Once in a process for each protocol, before its first election. */
export async function rehearse(settled: Settled): Promise<void> {
  if (rehearsed.has(settled.definition)) return;
  rehearsed.add(settled.definition);
  await rehearseElection(settled);
  rehearseDeath(ownProcess());
}

/** The members of this process, by protocol: the first one rehearses for all. */
const keeping = new Map<Definition, Set<Rehearsals>>();

/** Rehearses again and again while a member runs, one event in a turn of the event loop, so that no message waits for it. */
export class Rehearsals {
  readonly #settled: Settled;
  readonly #members: Set<Rehearsals>;
  #timer: NodeJS.Timeout | undefined;
  #rounds = 0;
  /** How many elections were held. */
  held = 0;
  isBusy = false;

  constructor(settled: Settled) {
    this.#settled = settled;
    const { definition } = settled;
    this.#members = keeping.get(definition) ?? new Set();
    keeping.set(definition, this.#members);
    this.#members.add(this);
    this.#wait();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#members.delete(this);
  }

  #wait(): void {
    this.#timer = setTimeout(() => void this.#round(), this.#rounds < SOON.rounds ? SOON.everyMs : LATER_MS);
    this.#timer.unref();
  }

  async #round(): Promise<void> {
    this.#rounds += 1;
    const [first] = this.#members;
    if (first === this) await this.#hold();
    if (this.#members.has(this)) this.#wait();
  }

  async #hold(): Promise<void> {
    this.isBusy = true;
    await rehearseElection(this.#settled, turn);
    this.isBusy = false;
    this.held += 1;
  }
}

/** A turn of the event loop. One that may end the process would not come before something else happens. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/**
 * Returns how many leaders were elected: four, if the protocol elects one soon and again after two resignations and a death.
 * `pause` lets what was begun in an event come to its end.
 */
export async function rehearseElection(
  settled: Settled,
  pause: () => Promise<void> = settle,
): Promise<number> {
  const rehearsal = new Rehearsal(settled, pause);
  await rehearsal.untilOneLeads();
  await rehearsal.resign();
  await rehearsal.untilOneLeads();
  await rehearsal.rest();
  await rehearsal.resign();
  await rehearsal.untilOneLeads();
  await rehearsal.rest();
  rehearsal.endLeader();
  await rehearsal.untilOneLeads();
  rehearsal.close();
  return rehearsal.leaders;
}

interface Participant {
  readonly id: MemberId;
  readonly life: string;
  readonly elections: Elections;
  readonly host: ElectionHost;
  readonly election: Election;
}

class Rehearsal {
  readonly #pause: () => Promise<void>;
  readonly #clock = new RehearsalClock();
  readonly #refusals = new RefusalLog(this.#clock, () => {});
  readonly #frames: { readonly to: MemberId; readonly from: MemberId; readonly frame: string }[] = [];
  #participants: readonly Participant[];
  /** How many were elected. */
  leaders = 0;

  constructor(settled: Settled, pause: () => Promise<void>) {
    this.#pause = pause;
    this.#participants = IDS.map((id) => this.#participant(settled, id));
    const untilLost = ({ signal }: { readonly signal: AbortSignal }): Promise<void> =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    for (const { election } of this.#participants) void election.lead(untilLost).catch(() => {});
  }

  async untilOneLeads(): Promise<void> {
    for (let events = 0; events < MOST_EVENTS && this.#leader === undefined; events++) await this.#event();
    if (this.#leader !== undefined) this.leaders++;
    // The messages of the new leader are processed too.
    while (this.#frames.length > 0) this.#deliver();
    await this.#pause();
  }

  async rest(): Promise<void> {
    for (let events = 0; events < EVENTS_AT_REST; events++) await this.#event();
  }

  async #event(): Promise<void> {
    if (this.#frames.length > 0) this.#deliver();
    else this.#clock.advance();
    await this.#pause();
  }

  async resign(): Promise<void> {
    void this.#leader?.election.resign().catch(() => {});
    await this.#pause();
  }

  endLeader(): void {
    const dead = this.#leader;
    if (dead === undefined) return;
    this.#participants = this.#participants.filter((each) => each !== dead);
    void dead.elections.close();
    for (const { elections } of this.#participants)
      elections.give({ type: 'peer-gone', peer: dead.id, proof: true, life: dead.life });
  }

  close(): void {
    for (const { elections } of this.#participants) void elections.close();
  }

  get #leader(): Participant | undefined {
    return this.#participants.find(({ host }) => host.acting);
  }

  #deliver(): void {
    const { to, from, frame } = this.#frames.shift()!;
    const read = readFrame(frame);
    const receiver = this.#participants.find(({ id }) => id === to);
    if (read.type !== 'messages' || receiver === undefined) return;
    for (const { election, message } of read.messages)
      this.#refusals.hear(from, () => receiver.elections.receive(from, election, message));
  }

  #participant(settled: Settled, id: MemberId): Participant {
    const peers = IDS.filter((each) => each !== id).map((each) => ({ id: each, url: 'http://localhost' }));
    const life = `rehearsal-${id}`;
    const clock = this.#clock;
    const elections = new Elections(
      { ...settled, id, peers, record: null, log: () => {} },
      {
        clock,
        store: storeNowhere(settled.cluster, id, life),
        send: (to, election, message) =>
          this.#frames.push({ to, from: id, frame: encodeMessage(election, message) }),
        isVoter: (each) => IDS.includes(each),
        isUsed: () => true,
        changed: () => {},
      },
    );
    const host = elections.open(settled.election);
    const seat = new ProtocolSeat(host, String(id), 1, parseId);
    const election = new Election(
      settled.election,
      { seat: () => seat },
      {
        clock: {
          now: () => clock.now(),
          after: (delayMs, run) => clock.set(clock.after(delayMs), run),
        },
      },
    );
    return { id, life, elections, host, election };
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await null;
}

/** Computes the bytes of each record, and writes nothing. */
function storeNowhere(cluster: string, id: MemberId, life: string): Store {
  return {
    member: { incarnation: 1, life, keeps: true, voters: [], members: [], removed: [] },
    saveVoters: () => {},
    saveMembers: () => {},
    adopt: () => {},
    records: () => [],
    election: (election, protocol) => {
      const records = new RecordStore({ cluster, id, election, protocol }, nodeCoding);
      return { load: () => null, save: (record) => void records.plan(record).steps };
    },
    isRecorded: () => false,
    history: () => forgetfulHistory,
    assertOurs: () => {},
    close: () => {},
  };
}

/** Its time jumps from one alarm to the next. */
class RehearsalClock implements Clock {
  readonly sleeps = 0;
  readonly sleptMs = 0;
  #nowMs = 0;
  readonly #alarms = new Set<{ readonly atMs: number; readonly run: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  wallNow(): number {
    return this.#nowMs;
  }

  after(delayMs: number): number {
    return this.#nowMs + Math.max(0.01, delayMs);
  }

  set(atMs: number, run: () => void): () => void {
    const alarm = { atMs, run };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  advance(): void {
    const [first] = [...this.#alarms].sort((a, b) => a.atMs - b.atMs);
    if (first === undefined) return;
    this.#alarms.delete(first);
    this.#nowMs = Math.max(this.#nowMs, first.atMs);
    first.run();
  }
}

/** Rehearses the death of a process: its connection closes, and its pid is looked up. */
function rehearseDeath(process: ProcessIdentity | null): void {
  const identity = (id: MemberId): Identity => ({
    id,
    cluster: 'rehearsal',
    incarnation: 1,
    life: `rehearsal-${id}`,
    url: 'http://localhost',
    process,
    localSocket: `rehearsal-${id}`,
  });
  const peers = new Peers(identity(1), DEFAULT_PEER_OPTIONS);
  peers.take({ type: 'peer-added', peer: 2 }, 0);
  peers.take({ type: 'dialled', peer: 2, connection: 1 }, 0);
  peers.take({ type: 'greeted', connection: 1, identity: identity(2) }, 0);
  peers.take({ type: 'met', connection: 1 }, 0);
  peers.take({ type: 'closed', connection: 1, closing: 'ended', reason: '' }, 1);
  peers.take({ type: 'seen', peer: 2, look: 1, isDead: true }, 1);
  if (process === null) return;
  isDead(process);
  isDead({ ...process, pid: NO_PID });
}
