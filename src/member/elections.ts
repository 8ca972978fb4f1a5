import { type Change, RefusedMessage } from '../api/index.ts';
import {
  BadInput,
  electionName,
  type Input,
  idSet,
  type Json,
  type MemberId,
  type Message,
  type Protocol,
  type Self,
  type Shape,
} from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import type { Clock } from './clock.ts';
import { readMessage, type Way } from './door.ts';
import { ElectionHost } from './host.ts';
import { MembershipCheck } from './membership-check.ts';
import type { Settled } from './options.ts';
import { Recorder } from './recorder.ts';
import { SeatLog } from './seat-log.ts';
import { SenderBudgets } from './sender-budgets.ts';
import type { Store } from './store.ts';

/** What the elections of a member have around them. */
export interface ElectionsAround {
  readonly clock: Clock;
  readonly store: Store;
  send(to: MemberId, election: string, message: Message): void;
  /** Is it one of the voters, this one included? */
  isVoter(id: MemberId): boolean;
  /** Something about one of them has changed. */
  changed(host: ElectionHost): void;
}

/**
 * The elections that a member takes part in. One that it hears of for the first time is opened, as a voter, since the others
 * need its vote.
 */
const LASTING: readonly string[] = ['E_STORE_CORRUPT', 'E_STORE_FOREIGN', 'E_STORE_VERSION'];

export class Elections {
  readonly #settled: Settled;
  readonly #around: ElectionsAround;
  readonly #protocol: Protocol;
  readonly #self: Self;
  readonly #hosts = new Map<string, ElectionHost>();
  readonly #recorders: Recorder[] = [];
  readonly #budgets: SenderBudgets;
  /** Those that are open only because another member spoke of them. */
  readonly #foreign = new Set<string>();
  /** Those of them that a request opened. */
  readonly #requested = new Set<string>();
  /** Those whose records cannot be used, and why. */
  readonly #broken = new Map<string, CaucusError>();
  /** The newest durable record of the main election, which is opened before all others. */
  #main: Json = null;
  #complaint = '';
  #isClosed = false;

  constructor(settled: Settled, around: ElectionsAround) {
    const { id, peers, definition, config } = settled;
    this.#settled = settled;
    this.#around = around;
    this.#budgets = new SenderBudgets(around.clock, () => this.#hosts.size);
    this.#protocol = definition.create(config);
    const settings = definition.memberSettings === undefined ? {} : { priority: 0 };
    this.#self = { id, members: idSet([id, ...peers.map((peer) => peer.id)]), settings };
  }

  get list(): readonly ElectionHost[] {
    return [...this.#hosts.values()];
  }

  /** Why this member cannot do its part, or null. */
  get illness(): string | null {
    for (const error of this.#broken.values()) return error.message;
    for (const host of this.#hosts.values()) if (host.illness !== null) return host.illness;
    return null;
  }

  /** The election of this name, opened if it is not yet. Throws BadInput for a bad name, CaucusError if it cannot be opened. */
  open(name: string): ElectionHost {
    const host = this.#open(name);
    this.#foreign.delete(name);
    this.#requested.delete(name);
    return host;
  }

  /** The same for another member. An election costs memory and a file, so others may open fewer than the program itself. */
  openForOthers(name: string): ElectionHost {
    const found = this.#hosts.get(name);
    if (found !== undefined) return found;
    const { electionsOfOthers } = this.#settled.limits;
    if (this.#foreign.size >= electionsOfOthers) {
      const reason = `${electionsOfOthers} elections were opened by others; limits.electionsOfOthers allows no more`;
      this.#complain(reason);
      throw new CaucusError('E_REFUSED', reason);
    }
    const host = this.#open(name);
    this.#foreign.add(name);
    return host;
  }

  /** The same for a request. Anybody can make one, so it leaves room for the elections of other members. */
  openForRequest(name: string): ElectionHost {
    const found = this.#hosts.get(name);
    if (found !== undefined) return found;
    const most = Math.ceil(this.#settled.limits.electionsOfOthers / 10);
    if (this.#requested.size >= most) {
      const reason = `${most} elections were opened by requests; a tenth of limits.electionsOfOthers is for those`;
      this.#complain(reason);
      throw new CaucusError('E_REFUSED', reason);
    }
    const host = this.openForOthers(name);
    this.#requested.add(name);
    return host;
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
      // Such a record stays as it is; a disk that could not be read may be well again the next time.
      if (LASTING.includes(error.code)) this.#broken.set(name, error);
      this.#complain(`${name}: ${error.message}`);
      throw error;
    }
  }

  /** The same complaint is told once, not with every message that comes. */
  #complain(message: string): void {
    if (message === this.#complaint) return;
    this.#complaint = message;
    this.#settled.log({ level: 'error', message });
  }

  /** A message of another member, not by POST. Throws RefusedMessage for what it is refused for. */
  receive(from: MemberId, election: string, message: Message, way: Way = 'link'): void {
    // One that is none of the protocol opens no election.
    if (!this.#hosts.has(election)) readMessage(this.#settled.definition, message, way);
    let host: ElectionHost;
    try {
      host = this.openForOthers(election);
    } catch (error) {
      if (error instanceof BadInput) throw new RefusedMessage('bad-shape', error.message);
      if (error instanceof CaucusError) return; // It has been told.
      throw error;
    }
    host.receive(from, message, way);
  }

  /** What another member answered over HTTP: the fields of the message stand among others. */
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

  /** Something that concerns all of them. */
  give(input: Input): void {
    for (const host of this.list) host.give(input);
  }

  /** Where voters come and go, one that goes says so. */
  async leave(): Promise<void> {
    const { id } = this.#settled;
    await Promise.all(this.list.map((host) => host.order({ type: 'remove', member: id })));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const host of this.list) host.stop();
    await Promise.all(this.#recorders.map((recorder) => recorder.close()));
  }

  #create(name: string): ElectionHost {
    const { definition, log } = this.#settled;
    const { clock, store } = this.#around;
    const records = store.election(name, definition.name);
    const isMain = name === this.#settled.election;
    const found = records.load((main) => this.#protocol.inherit?.(this.#self, main) ?? null);
    const resumes = !isMain && found !== null && this.#main !== null;
    const saved = (resumes ? this.#protocol.resume?.(found, this.#main) : undefined) ?? found;
    const recorder = this.#record(name);
    const seatLog = new SeatLog(this.#self.id, this.#protocol, saved);
    const host = new ElectionHost(name, this.#self, definition, this.#protocol, {
      clock,
      send: (to, message) => this.#around.send(to, name, message),
      save: (record) => {
        records.save(record);
        if (isMain) this.#main = record;
        for (const news of seatLog.news(record)) log({ level: 'info', message: `${name}: ${news}` });
      },
      isVoter: (id) => this.#around.isVoter(id),
      budgets: this.#budgets,
      stepped: (input, effects) => recorder?.step(clock.wallNow(), input, effects),
    });
    this.#hosts.set(name, host);
    const membership = new MembershipCheck(name);
    let told: Change | undefined;
    host.subscribe(() => {
      // The oldest changes are forgotten, so places in the list mean nothing.
      const changes =
        told === undefined ? host.history : host.history.slice(host.history.lastIndexOf(told) + 1);
      for (const { detail, cause } of changes)
        log({ level: 'info', message: `${name}: ${detail} (${cause})` });
      told = host.history.at(-1);
      // Where voters make themselves known, those that are configured are only the first.
      const isFixed = definition.registration === undefined;
      const news = isFixed ? membership.news(host.view.members, this.#self.members) : null;
      if (news !== null) log({ level: 'warning', message: news });
      this.#around.changed(host);
    });
    const { incarnation, life, keeps } = store.member;
    host.start(saved, incarnation, life, keeps ? 0 : tenthsSince2025(clock.wallNow()));
    return host;
  }

  #record(name: string): Recorder | null {
    const { record, id, definition, config, limits, log } = this.#settled;
    if (record === null) return null;
    const header = {
      trace: 'caucus/1',
      protocol: definition.name,
      members: this.#self.members,
      timing: config.timing as Json,
      options: config.options as Json,
      seed: null,
    } as const;
    // No id and no name of an election has a tilde, so no two recordings have the same file.
    const recorder = new Recorder(record, `${id}~${name}`, id, header, limits.recordBytes, (message) =>
      log({ level: 'warning', message }),
    );
    this.#recorders.push(recorder);
    return recorder;
  }
}

const YEAR_2025_MS = Date.UTC(2025, 0, 1);

/**
 * In tenths of a second. A cluster without data folders that starts again begins its terms, and so its tokens, here: above all
 * that it used before, if it had fewer than ten elections a second and no clock was set back to before the last start.
 */
function tenthsSince2025(wallMs: number): number {
  return Math.max(0, Math.floor((wallMs - YEAR_2025_MS) / 100));
}
