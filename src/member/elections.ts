import { type ActStore, RefusedMessage } from '../api/index.ts';
import {
  BadInput,
  electionName,
  type Input,
  idSet,
  type MemberId,
  type Message,
  type Protocol,
  type Retimed,
  type Self,
  type Shape,
  textHash,
  type Why,
} from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import { ALL_ELECTIONS } from '../support/index.ts';
import { type Balance, balanceOf } from './balance.ts';
import { Bars } from './bars.ts';
import { Blank } from './belonging.ts';
import { readMessage, type Way } from './door.ts';
import { ElectionHost } from './election-host.ts';
import { ElectionNews, type NewsPorts, NewsTurns } from './election-news.ts';
import { ElectionSaves } from './election-saves.ts';
import { ElectionSupport } from './election-support.ts';
import {
  ElectionSurroundings,
  RestingSurroundings,
  type SharedSurroundings,
} from './election-surroundings.ts';
import { continued, type HistoryLog } from './history-file.ts';
import { Openings } from './openings.ts';
import type { Settled } from './options.ts';
import { Pace } from './pace.ts';
import { type Recorder, recorderOf } from './recorder.ts';
import { Rounds } from './rounds.ts';
import { SameParts } from './same-parts.ts';
import { SavedRecords } from './saved-records.ts';
import { SeatLog, SharedSeats } from './seat-log.ts';
import { SenderBudgets } from './sender-budgets.ts';
import { spentTerms } from './spent-terms.ts';
import type { ElectionsAround } from './surroundings.ts';

/** Errors of a record that stay until an operator has done something. */
const LASTING: readonly string[] = ['E_STORE_CORRUPT', 'E_STORE_FOREIGN', 'E_STORE_VERSION'];

/**
 * The elections that a member takes part in. When a message names an election for the first time, it is opened and
 * this member votes in it, since the others need its vote.
 */
export class Elections {
  readonly #settled: Settled;
  readonly #around: ElectionsAround;
  readonly #protocol: Protocol;
  readonly #self: Self;
  readonly #hosts = new Map<string, ElectionHost>();
  /** The same, in the order in which they were opened. Elections are only ever added. */
  readonly #list: ElectionHost[] = [];
  readonly #recorders: Recorder[] = [];
  readonly #news: ElectionNews[] = [];
  /** By election: what is kept of its history. */
  readonly #histories = new Map<string, HistoryLog>();
  readonly #shared: SharedSurroundings;
  readonly #newsPorts: NewsPorts;
  readonly #saved: SavedRecords;
  readonly #seats: SharedSeats;
  readonly #onLostHistory: (message: string) => void;
  readonly #blank: Blank;
  readonly #openings: Openings;
  /** Elections with a record that cannot be used, and the error. */
  readonly #broken = new Map<string, CaucusError>();
  #isClosed = false;
  /** Why no election may have this member as its leader, or null. */
  #exclusion: Why | null = null;
  readonly bars: Bars = new Bars(() => this.list);
  readonly #rounds: Rounds<ElectionHost>;
  readonly #support: ElectionSupport;
  readonly #balance: Balance | null;

  constructor(settled: Settled, around: ElectionsAround) {
    const { id, peers, definition, config } = settled;
    this.#settled = settled;
    this.#openings = new Openings(settled);
    this.#around = around;
    const budgets = new SenderBudgets(around.clock, () => this.#hosts.size);
    this.#rounds = new Rounds(() => around.clock.now());
    const isShown = (each: ElectionHost): boolean => this.isShown(each);
    const changed = (each: ElectionHost): void => {
      this.#balance?.changed(each);
      around.changed(each);
    };
    this.#newsPorts = { turns: new NewsTurns(), log: settled.log, isShown, changed };
    this.#onLostHistory = (message) => settled.log({ level: 'warning', message });
    this.#protocol = definition.create(config);
    this.#seats = new SharedSeats(id, this.#protocol);
    this.#blank = new Blank(around.store, this.#protocol);
    // In the main election, whose takeover has to be quick, a save blocks. Not that of a leader: it has to hear of a disk
    // that hangs, and to stop its work.
    const mayBlock = (name: string): boolean =>
      name === settled.election && (this.main?.held ?? null) === null;
    this.#saved = new SavedRecords(settled, around, this.#protocol, this.#blank, mayBlock);
    const settings = definition.memberSettings === undefined ? {} : { priority: 0 };
    // A member that joins a cluster is no founder of one: until it is added, it neither votes nor leads.
    const founders = [...(settled.join === null ? [id] : []), ...peers.map((peer) => peer.id)];
    this.#self = { id, members: idSet(founders), settings };
    this.#support = new ElectionSupport(
      id,
      this.#protocol,
      around,
      (name) => this.#hosts.get(name)?.host.resting ?? null,
    );
    this.#shared = {
      around,
      budgets,
      pace: new Pace(around.clock),
      support: this.#support,
      same: new SameParts(),
    };
    this.#balance = balanceOf(settled, around, this.#protocol, () => this.#hosts.values());
  }

  get isBlank(): boolean {
    return this.#blank.is;
  }

  /** The times that an operator set, by the main election; null: the configured ones hold. */
  get retimed(): Retimed | null {
    return this.main?.retimed() ?? null;
  }

  /** It grows when an election is opened: loops in which that may happen are over a copy. */
  get list(): readonly ElectionHost[] {
    return this.#list;
  }

  get main(): ElectionHost | undefined {
    return this.#hosts.get(this.#settled.election);
  }

  /** The election of this name, if it is open. */
  find(name: string): ElectionHost | undefined {
    return this.#hosts.get(name);
  }

  /** Does this member lead anything? */
  get leads(): boolean {
    return this.#list.some(({ held }) => held !== null);
  }

  /** Is it open, or was it open on this disk before? */
  isKnown(name: string): boolean {
    return this.#hosts.has(name) || this.#around.store.isRecorded(name);
  }

  /**
   * Without the main election as long as no program uses it: it is always open, since its record names the disk, but a
   * program that uses another one must not hear that it waits for members.
   */
  isShown({ name, view }: ElectionHost): boolean {
    return (
      name !== this.#settled.election || this.#around.isUsed(name) || view.term !== 0 || view.leader !== null
    );
  }

  /** Every other one is shown, and there may be thousands: they are not looked at one by one. */
  get shown(): readonly ElectionHost[] {
    const { main } = this;
    return main === undefined || this.isShown(main) ? this.#list : this.#list.filter((each) => each !== main);
  }

  /** Why this member cannot do its part (its health error), or null. */
  get illness(): string | null {
    for (const error of this.#broken.values()) return error.message;
    for (const host of this.#hosts.values()) if (host.illness !== null) return host.illness;
    return null;
  }

  /**
   * The election of this name, opened if necessary. Throws BadInput for a bad name, CaucusError if it cannot be
   * opened.
   */
  open(name: string): ElectionHost {
    const host = this.#open(name);
    this.#openings.byProgram(name);
    return host;
  }

  /** The same on behalf of another member. */
  openForOthers(name: string): ElectionHost {
    return this.#hosts.get(name) ?? this.#openings.forOthers(name, () => this.#open(name));
  }

  /** The same on behalf of an HTTP request. */
  openForRequest(name: string): ElectionHost {
    const found = this.#hosts.get(name);
    return found ?? this.#openings.forRequest(name, this.isKnown(name), () => this.openForOthers(name));
  }

  #open(name: string): ElectionHost {
    const found = this.#hosts.get(name);
    if (found !== undefined) return found;
    electionName.read(name, 'election');
    const broken = this.#broken.get(name);
    if (broken !== undefined) throw broken;
    if (this.#isClosed) throw new CaucusError('E_CLOSED', 'the member was closed');
    const { elections } = this.#settled.limits;
    if (this.#hosts.size >= elections) {
      throw new CaucusError('E_REFUSED', `${elections} elections are open; limits.elections allows no more`);
    }
    try {
      return this.#create(name);
    } catch (error) {
      if (!(error instanceof CaucusError)) throw error;
      // These errors are permanent. Other errors (for example a disk that cannot be read now) may be gone at the next
      // attempt.
      if (LASTING.includes(error.code)) this.#broken.set(name, error);
      this.#openings.complain(`${name}: ${error.message}`);
      throw error;
    }
  }

  /** A message of another member that did not come by POST. Throws RefusedMessage if it is refused. */
  receive(from: MemberId, election: string, message: Message, way: Way = 'link'): void {
    if (election === ALL_ELECTIONS && way === 'link') return this.#support.receive(from, message);
    // A message that the protocol does not define must not open an election.
    if (!this.#hosts.has(election)) readMessage(this.#settled.definition, message, way);
    let host: ElectionHost;
    try {
      host = this.openForOthers(election);
    } catch (error) {
      if (error instanceof BadInput) throw new RefusedMessage('bad-shape', error.message);
      if (error instanceof CaucusError) return; // Already logged.
      throw error;
    }
    this.#rounds.settle(host);
    host.receive(from, message, way);
  }

  /** An answer of another member over HTTP: the fields of the message stand among others. */
  receiveAnswer(
    from: MemberId,
    election: string,
    type: string,
    body: Readonly<Record<string, unknown>>,
  ): void {
    const messages: Readonly<Record<string, Shape<object>>> = this.#settled.definition.messages;
    const known = messages[type];
    const fields = Object.keys(known?.fields ?? {}).map((name) => [name, body[name]]);
    this.receive(from, election, { ...Object.fromEntries(fields), type }, 'answer');
  }

  /** An input for all elections, the main one first. What is about another member than the leader concerns no election at rest. */
  give(input: Input): void {
    this.#balance?.heard(input);
    const concerns = ({ host, view }: ElectionHost): boolean =>
      !(host.resting.isOn && 'peer' in input && input.peer !== view.leader);
    // Those that it does not concern take no turns. One that has yet to hear of something may be awake by then.
    const all = this.#list.filter((each) => concerns(each) || this.#rounds.isWaiting(each));
    this.#rounds.add(all, (each) => void (concerns(each) && each.give(input)));
  }

  /** The others refuse this process, so it leads in no election. Null: they accept it. */
  exclude(why: Why | null): void {
    this.#exclusion = why;
    for (const host of [...this.#list]) host.exclude(why);
  }

  /** The main election, in which this member stands for a while although its program does not, or takeovers are paused. */
  async lend(isLent: boolean): Promise<void> {
    const host = this.open(this.#settled.election);
    await host.lend(isLent);
    await this.bars.apply(host);
  }

  /** Where voters can register, one that leaves says so. */
  async leave(): Promise<void> {
    const { id } = this.#settled;
    await Promise.all(this.#list.map((host) => host.order({ type: 'remove', member: id })));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rounds.close();
    for (const host of [...this.#list]) host.stop();
    this.#support.close();
    this.#shared.pace?.close();
    this.#balance?.close();
    for (const news of this.#news) news.tell();
    await Promise.all([...this.#recorders, ...this.#histories.values()].map((each) => each.close()));
  }

  /** Where the acts of operators are kept. */
  readonly acts: ActStore = {
    earlier: (name) => this.#histories.get(name)?.acts ?? [],
    add: (act) => this.#histories.get(act.electionName)?.add(act),
  };

  /**
   * The leader of the main election has a successor elected in advance. The others rest when they have nothing to do, which
   * costs nothing, and a deputy needs answers with every heartbeat.
   */
  #selfIn(isMain: boolean): Self {
    const self = this.#self;
    return isMain && this.#settled.deputies
      ? { ...self, settings: { ...self.settings, deputies: true } }
      : self;
  }

  #create(name: string): ElectionHost {
    const { definition } = this.#settled;
    const { clock, store } = this.#around;
    const records = store.election(name, definition.name);
    const isMain = name === this.#settled.election;
    const found = records.load((main) => this.#protocol.inherit?.(this.#self, main) ?? null);
    const resumes = !isMain && found !== null && this.#saved.main !== null;
    const saved = (resumes ? this.#protocol.resume?.(found, this.#saved.main) : undefined) ?? found;
    const recorder = recorderOf(this.#settled, this.#self.members, name);
    if (recorder !== null) this.#recorders.push(recorder);
    const history = store.history(name, this.#onLostHistory);
    this.#histories.set(name, history);
    const earlier = continued(history, `${this.#self.id} has started`, clock.wallNow());
    if (isMain && saved !== null) this.#saved.tell(saved, false);
    const addresses = this.#around.addresses?.();
    const self = {
      ...this.#selfIn(isMain),
      ...(addresses === undefined ? {} : { addresses }),
      ...(isMain ? {} : { turn: textHash(name) >>> 0 }),
    };
    const saves = new ElectionSaves(name, records, new SeatLog(this.#seats, saved), this.#saved);
    // Thousands of others may wait for a place, in random order.
    const shared = isMain ? { ...this.#shared, pace: undefined } : this.#shared;
    const rests = !isMain && recorder === null && this.#support.isThere;
    const Kind = rests ? RestingSurroundings : ElectionSurroundings;
    const around = new Kind(shared, name, recorder, earlier, saves);
    const host = new ElectionHost(name, self, definition, this.#protocol, around);
    this.#hosts.set(name, host);
    this.#list.push(host);
    const news = new ElectionNews(host, history, this.#newsPorts);
    this.#news.push(news);
    const { incarnation, life, keeps } = store.member;
    // Members that are fixed notice that a disk was lost. Where voters register, an empty one may be a lost one.
    const isKnown = keeps && (saved !== null || definition.registration === undefined);
    host.start(saved, incarnation, life, spentTerms(isKnown, clock.wallNow(), store.member.recovery));
    news.tellLack();
    host.exclude(this.#exclusion);
    void this.bars.apply(host);
    host.setAside(this.#list[0]!.aside);
    return host;
  }
}
