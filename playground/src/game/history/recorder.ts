import {
  type Effect,
  idSet,
  type MemberId,
  type Message,
  type Protocol,
  Random,
  type TraceEvent,
  type TraceLine,
  type TraceStep,
} from '../../../../src/core/index.ts';
import { DEFAULT_QUALITY, type Happening, Network } from '../../../../src/simulation/index.ts';
import type { Fate, Flight } from './flights.ts';
import {
  type EventEntry,
  History,
  type MemberShot,
  type StepEntry,
  shortName,
  type TimerShot,
} from './history.ts';
import { Track } from './track.ts';

const FATES: readonly string[] = ['lost', 'cut', 'dropped', 'held', 'duplicated'];
const NEW: Omit<MemberShot, 'id'> = {
  alive: false,
  hasStarted: false,
  paused: false,
  role: 'none',
  leader: null,
  term: null,
  lease: null,
  version: 0,
  value: null,
  votes: [],
  clockRate: 1,
  disk: 'none',
};

/** Listens to a world and writes its history. It sees only what is visible from outside. */
export class Recorder {
  readonly history: History;
  readonly #vote: Protocol['vote'];
  /** The votes that reached each member, of the newest term: a candidate may still be in the earlier term. */
  readonly #polls = new Map<MemberId, { readonly term: number; readonly votes: readonly MemberId[] }>();
  /** Tracks which members hear each other, as the world's own network does. */
  readonly #network = new Network(DEFAULT_QUALITY, new Random(0, 'unused'));
  /** The blocked links, and since when. */
  #blocked = new Set<string>();
  #blockedMs = 0;
  /** The entry that sent a message, by the message itself: a save may delay it. */
  readonly #sender = new WeakMap<Message, StepEntry>();
  readonly #arriving = new WeakMap<Message, Flight[]>();

  constructor(protocol: Protocol) {
    this.history = new History(protocol.name);
    this.#vote = protocol.vote?.bind(protocol);
  }

  /** For `WorldOptions.trace`. */
  readonly trace = (line: TraceLine): void => {
    if ('trace' in line) for (const id of line.members) this.#join(id, 0);
    else if ('event' in line) this.#onEvent(line);
    else this.#onStep(line);
  };

  /** For `WorldOptions.scheduled`. */
  readonly scheduled = ({ kind, host, atUs, seq, timer, from, message }: Happening, nowMs: number): void => {
    const dueMs = atUs / 1000;
    if (kind === 'timer') {
      const name = shortName(timer);
      this.#timer(host.name, name).push(nowMs, { timer, name, setMs: nowMs, dueMs });
    }
    if (kind !== 'deliver' || message === null) return;
    const flight = this.#fly(seq, from, host.name, message, nowMs, dueMs, 'arriving');
    const waiting = this.#arriving.get(message);
    if (waiting === undefined) this.#arriving.set(message, [flight]);
    else waiting.push(flight);
  };

  #onStep(line: TraceStep): void {
    const { atMs, member, input, effects } = line;
    const { history } = this;
    const arrival = input.type === 'message' ? this.#arrival(member, input.message) : null;
    const entry: StepEntry = { ...line, kind: 'step', index: history.entries.length, arrival, sent: [] };
    if (arrival !== null) arrival.arrivedAs = entry.index;
    history.add(entry);
    if (input.type === 'start') this.#change(member, atMs, { alive: true, hasStarted: true });
    if (input.type === 'timer') this.#endTimer(member, input.timer, atMs);
    if (input.type === 'message') this.#count(member, atMs, input.from, input.message);
    for (const effect of effects) this.#onEffect(entry, effect);
  }

  #onEffect(entry: StepEntry, effect: Effect): void {
    const { member, atMs } = entry;
    switch (effect.type) {
      case 'send':
      case 'call':
        this.#sender.set(effect.message, entry);
        return;
      case 'cancel-timer':
        return this.#endTimer(member, effect.timer, atMs);
      case 'report': {
        const { role, leader, term, lease, version, value } = effect.view;
        // A candidate of a protocol with votes has its own.
        const own = this.#vote !== undefined && role !== 'follower' && role !== 'none' ? [member] : [];
        const poll = this.#polls.get(member);
        const given = poll !== undefined && poll.term >= (term ?? 0) ? poll.votes : [];
        const votes = idSet([...own, ...given]);
        this.#change(member, atMs, { role, leader, term, lease, version, value, votes });
        return;
      }
      case 'set-timer': // Told when it is scheduled, with the moment that was drawn.
      case 'save':
      case 'draw':
      case 'answer':
        return;
    }
  }

  #onEvent({ atMs, event }: TraceEvent): void {
    const { history } = this;
    const entry: EventEntry = { kind: 'event', index: history.entries.length, atMs, event };
    history.add(entry);
    if (event.skipped !== undefined) return;
    const id = event.member as MemberId;
    const [from, to] = [event.from as MemberId, event.to as MemberId];
    if (event.type !== undefined && FATES.includes(event.do)) return this.#onFate(entry);
    switch (event.do) {
      case 'boot':
      case 'twin': // A second process stands beside the members, under a name of its own.
        return this.#join(id, atMs);
      case 'crash': {
        const { clockRate, disk } = this.#shot(id);
        for (const track of history.timers.get(id)?.values() ?? []) track.push(atMs, null);
        return this.#change(id, atMs, { ...NEW, hasStarted: true, clockRate, disk });
      }
      case 'pause':
      case 'resume':
        return this.#change(id, atMs, { paused: event.do === 'pause' });
      case 'clock':
        return this.#change(id, atMs, { clockRate: event.rate as number });
      case 'disk':
        return this.#change(id, atMs, { disk: event.fault as string });
      case 'partition':
        this.#network.partition(event.groups as MemberId[][]);
        return this.#block(atMs);
      case 'cut':
        this.#network.cut(from, to, event.oneWay === true);
        return this.#blockLink(atMs, from, to);
      case 'heal':
        if (from === undefined) {
          this.#network.healAll();
          return this.#block(atMs);
        }
        this.#network.heal(from, to, event.oneWay === true);
        return this.#blockLink(atMs, from, to);
    }
  }

  /** The fate of a message, in flight or never sent. */
  #onFate({ atMs, event }: EventEntry): void {
    const fate = event.do as Fate;
    if (event.flight !== undefined) {
      const flight = this.history.flights.get(event.flight as number);
      if (flight === undefined) return;
      Object.assign(flight, { fate, endMs: atMs });
      if (fate !== 'duplicated') return;
      // Two copies have just replaced it, and continue from where it was.
      const copies = this.#arriving.get(flight.message)?.slice(-2) ?? [];
      for (const copy of copies) copy.leftMs = flight.leftMs ?? flight.sentMs;
      return;
    }
    const [from, to] = [event.from as MemberId, event.to as MemberId];
    this.#fly(-1, from, to, { type: String(event.type) }, atMs, atMs, fate);
  }

  #fly(
    id: number,
    from: MemberId,
    to: MemberId,
    message: Message,
    sentMs: number,
    dueMs: number,
    fate: Fate,
  ): Flight {
    const sender = this.#sender.get(message);
    const sentBy = sender?.index ?? -1;
    const flight: Flight = {
      id,
      from,
      to,
      message,
      sentMs,
      dueMs,
      sentBy,
      arrivedAs: -1,
      fate,
      endMs: dueMs,
    };
    sender?.sent.push(flight);
    this.history.flights.add(flight);
    return flight;
  }

  #arrival(to: MemberId, message: Message): Flight | null {
    const waiting = this.#arriving.get(message) ?? [];
    return waiting.find((each) => each.to === to && each.arrivedAs < 0 && each.fate === 'arriving') ?? null;
  }

  #count(member: MemberId, atMs: number, from: MemberId, message: Message): void {
    const vote = this.#vote?.(message);
    if (!vote) return;
    const before = this.#polls.get(member);
    if (before !== undefined && before.term > vote.term) return;
    const votes = before?.term === vote.term ? before.votes : [];
    if (votes.includes(from)) return;
    this.#polls.set(member, { term: vote.term, votes: [...votes, from] });
    if (vote.term < (this.#shot(member).term ?? 0)) return;
    this.#change(member, atMs, { votes: idSet([...this.#shot(member).votes, from]) });
  }

  #join(id: MemberId, atMs: number): void {
    if (this.history.shots.has(id)) return;
    this.history.members.push(id);
    this.history.shots.set(id, new Track());
    this.history.timers.set(id, new Map());
    this.history.shots.get(id)!.push(atMs, { id, ...NEW });
  }

  #shot(id: MemberId): MemberShot {
    return this.history.shots.get(id)!.last!;
  }

  #change(id: MemberId, atMs: number, news: Partial<MemberShot>): void {
    this.history.shots.get(id)!.push(atMs, { ...this.#shot(id), ...news });
  }

  #endTimer(id: MemberId, timer: string, atMs: number): void {
    const track = this.#timer(id, shortName(timer));
    if (track.last?.timer === timer) track.push(atMs, null);
  }

  #timer(id: MemberId, name: string): Track<TimerShot | null> {
    const timers = this.history.timers.get(id)!;
    let track = timers.get(name);
    if (track === undefined) {
      track = new Track();
      timers.set(name, track);
    }
    return track;
  }

  /** One link of very many has changed. */
  #blockLink(atMs: number, from: MemberId, to: MemberId): void {
    // Many links may be cut at one moment: no reader has seen the set of this moment yet, so it can still change.
    if (this.#blockedMs !== atMs) this.#blocked = new Set(this.#blocked);
    this.#blockedMs = atMs;
    for (const [a, b] of [
      [from, to],
      [to, from],
    ] as const) {
      if (this.#network.connected(a, b)) this.#blocked.delete(`${a}>${b}`);
      else this.#blocked.add(`${a}>${b}`);
    }
    this.history.blocked.push(atMs, this.#blocked);
  }

  #block(atMs: number): void {
    const { members } = this.history;
    this.#blocked = new Set();
    this.#blockedMs = atMs;
    for (const from of members) {
      for (const to of members) {
        if (from !== to && !this.#network.connected(from, to)) this.#blocked.add(`${from}>${to}`);
      }
    }
    this.history.blocked.push(atMs, this.#blocked);
  }
}

/** A winner keeps the votes of its candidacy; a new term begins with its own vote. */
