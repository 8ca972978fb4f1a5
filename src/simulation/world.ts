import {
  type Assumption,
  assert,
  type Command,
  type Effect,
  type Input,
  idSet,
  type Json,
  type MemberId,
  type Message,
  type Outcome,
  type Protocol,
  Random,
  type TraceLine,
  type View,
  type Why,
} from '../core/index.ts';
import { type Finding, isPromised, Watch } from '../properties/index.ts';
import { perform } from './actions.ts';
import { Agenda } from './agenda.ts';
import { Connections } from './connections.ts';
import { Digest } from './digest.ts';
import { deepFreeze } from './freeze.ts';
import { Host } from './host.ts';
import { Coverage, Ledger } from './ledger.ts';
import { Losses } from './losses.ts';
import { type Envelope, MessageCounts, Network } from './network.ts';
import { Places, usualAddress } from './places.ts';
import { Queue } from './queue.ts';
import type { Action, MemberSetup, Scenario } from './scenario.ts';
import { type Happening, newHappening, type Surroundings } from './surroundings.ts';
import { toMs, toUs } from './time.ts';
import { Twins } from './twins.ts';
import type { Violation } from './violation.ts';
import type { WorldOptions } from './world-options.ts';

export type { WorldOptions };

/** A whole cluster in virtual time. The same scenario and seed always give the same history. */
export class World implements Surroundings {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly protocol: Protocol;
  readonly network: Network;
  readonly agenda: Agenda;
  /** The first process of each member. */
  readonly hosts: Map<MemberId, Host> = new Map();
  readonly twins: Twins = new Twins();
  /** Null if processes need no connections to talk. */
  readonly connections: Connections | null;
  /** Null if an id is all that is needed to reach a member. */
  readonly places: Places | null;
  readonly claims: Ledger = new Ledger();
  readonly acting: Ledger = new Ledger();
  readonly coverage: Coverage = new Coverage();
  readonly violations: Violation[] = [];
  /** Assumptions that the run has broken. */
  readonly broken: Set<Assumption> = new Set();
  readonly losses: Losses;
  /** Members that were removed on request. */
  readonly removed: Set<MemberId> = new Set();
  /** Members that were removed once, and added again. */
  readonly returned: Set<MemberId> = new Set();
  readonly eventRandom: Random;
  readonly firesTimers: boolean;
  /** How many inputs the members have processed. */
  steps = 0;
  nowUs = 0;
  /** When an event of the scenario last happened. */
  actedUs = 0;

  readonly #queue = new Queue<Happening>();
  readonly #digest = new Digest();
  readonly #hashesAll: boolean;
  readonly #properties: Watch;
  readonly #trace: ((line: TraceLine) => void) | undefined;
  readonly #scheduled: ((happening: Happening) => void) | undefined;
  readonly #freeze: boolean;
  readonly #mostSteps: number;
  readonly #commands: Command[] = [];
  readonly #sent = new MessageCounts();
  #order = 0;

  constructor(scenario: Scenario, seed: number, options: WorldOptions = {}) {
    this.scenario = scenario;
    this.seed = seed;
    this.#trace = options.trace;
    this.#scheduled = options.scheduled;
    this.#freeze = options.freeze ?? false;
    this.#hashesAll = options.hash !== 'moments';
    this.#mostSteps = options.mostSteps ?? Number.POSITIVE_INFINITY;
    this.firesTimers = options.isClosed !== true || scenario.events.some(({ do: what }) => what === 'fire');
    this.agenda = new Agenda(scenario.events);
    this.protocol = scenario.definition.create({ timing: scenario.timing, options: scenario.options });
    this.network = new Network(scenario.network, new Random(seed, 'network'));
    this.eventRandom = new Random(seed, 'events');
    this.connections = scenario.connections ? new Connections(this, scenario.connections) : null;
    this.places = scenario.seeds === null ? null : new Places(scenario.seeds);
    const ids = scenario.members.map((member) => member.id);
    this.losses = new Losses(ids, this.broken);
    this.#properties = new Watch((finding) => this.#find(finding));
    this.#trace?.({
      trace: 'caucus/1',
      protocol: this.protocol.name,
      members: ids,
      timing: scenario.timing,
      options: scenario.options,
      seed,
    });
    for (const member of scenario.members) {
      const { id, settings } = member;
      const { disk } = this.boot(member, ids);
      const first = scenario.isNew
        ? this.protocol.genesis?.({ id, members: idSet(ids), settings })
        : undefined;
      if (first !== undefined) disk.format(first);
    }
  }

  get syncMs(): readonly [number, number] {
    return this.scenario.syncMs;
  }

  get commands(): readonly Command['type'][] {
    return this.scenario.definition.commands;
  }

  nextOrder(): number {
    this.#order += 1;
    return this.#order;
  }

  timed(host: Host, timer: string, atMs: number): void {
    if (this.#scheduled === undefined) return;
    this.#scheduled(newHappening(host.clock.toWorldUs(atMs), 'timer', host, host.id, null, null, timer));
  }

  get messagesByType(): ReadonlyMap<string, number> {
    return this.#sent.byType;
  }

  get hash(): string {
    return this.#digest.toString();
  }

  /** All processes: the first one of every member, then the second ones. */
  get processes(): Host[] {
    return [...this.hosts.values(), ...this.twins.hosts];
  }

  /** The process of that name. */
  process(name: MemberId): Host | undefined {
    return this.hosts.get(name) ?? this.twins.named(name);
  }

  /** The processes that believe they lead, by name, the one with the newest term first, then the latest to claim. */
  get leaders(): MemberId[] {
    return this.claims.newestFirst;
  }

  /** Runs everything that is due up to that moment. */
  runUntil(atMs: number): void {
    const untilUs = toUs(atMs);
    while (this.step(untilUs)); // Each call runs one event.
    this.nowUs = Math.max(this.nowUs, untilUs);
  }

  /** Runs the next event, if it is due by then. At one moment, events of the scenario come first. */
  step(untilUs: number): boolean {
    const happening = this.#queue.peek();
    const eventUs = this.agenda.nextUs;
    if (this.connections?.happenBefore(Math.min(happening?.atUs ?? eventUs, eventUs), untilUs)) return true;
    if (happening !== undefined && happening.atUs < eventUs) {
      if (happening.atUs > untilUs) return false;
      this.#queue.pop();
      this.nowUs = happening.atUs;
      happening.host.happen(happening);
      if (happening.kind === 'start') this.connections?.notice();
      return true;
    }
    if (eventUs === Number.POSITIVE_INFINITY || eventUs > untilUs) return false;
    this.nowUs = eventUs;
    this.act(this.agenda.take());
    return true;
  }

  /** Does something to the world now, as an event of a scenario would. */
  act(action: Action): void {
    this.actedUs = this.nowUs;
    perform(this, action);
    this.connections?.notice();
  }

  /** Adds a host to the world. It starts by itself at its time. */
  boot({ id, startMs, settings, address }: MemberSetup, members: readonly MemberId[]): Host {
    this.places?.put(id, address ?? usualAddress(id));
    const self = this.places?.selfOf(id, settings) ?? { id, members: idSet(members), settings };
    const host = new Host(self, this.protocol, new Random(this.seed, `member ${id}`), this);
    this.hosts.set(id, host);
    const atUs = Math.max(this.nowUs, toUs(startMs));
    this.schedule(newHappening(atUs, 'start', host, id, null, null));
    return host;
  }

  command(host: Host, command: Command, why?: Why): void {
    this.#commands.push(command);
    host.command(this.#commands.length, command, why);
  }

  /** A message arrives after a while, whatever its sender. */
  deliver({ from, to, message, toTwin }: Envelope, delayMs: number): void {
    const host = toTwin === true ? this.twins.of(to) : this.hosts.get(to);
    if (host === undefined) return;
    const atUs = this.nowUs + toUs(delayMs);
    this.schedule(newHappening(atUs, 'deliver', host, from, message, null));
  }

  /** Records an event outside the members. */
  note(event: { readonly do: string; readonly [field: string]: Json }): void {
    this.#digest.number(this.nowUs);
    if (this.#hashesAll) this.#digest.value(event);
    this.#trace?.({ atMs: toMs(this.nowUs), event });
  }

  /** A host's claim to lead or right to act may have changed: by a report, the clock, a crash or a pause. */
  reviewed(host: Host): void {
    const { name, view } = host;
    const claims = host.alive && view.role === 'leader';
    const acts = host.alive && host.acting;
    const news = this.claims.note(name, claims, view.term, this.nowUs);
    if (news && claims && view.term !== null) this.#properties.won(host, view.term, this.#votersOf(view));
    const hasChanged = this.acting.note(name, acts, view.term, this.nowUs);
    if (hasChanged && acts) {
      host.began();
      const all = this.acting.open.map(({ member }) => this.process(member)!);
      this.#properties.acts(host, view.term, all);
    }
    if (hasChanged || acts) this.#cover(); // The report of a follower changes no coverage.
  }

  #votersOf(view: View): readonly MemberId[] | null {
    if (this.protocol.vote === undefined) return null;
    const electors = view.electors === undefined ? view.members : view.electors;
    return electors ?? this.scenario.members.map((member) => member.id);
  }

  finish(): void {
    this.claims.finish(this.nowUs);
    this.acting.finish(this.nowUs);
    this.coverage.finish(this.nowUs);
  }

  schedule(happening: Happening): void {
    this.#queue.push(happening);
    if (happening.kind === 'deliver') this.#scheduled?.(happening);
  }

  /** Takes a message out of flight, or adds a second copy right after it. Null if it is not in flight. */
  intercept(flight: number, isCopied: boolean): Envelope | null {
    const found = this.#queue.remove((each) => each.kind === 'deliver' && each.seq === flight);
    if (found === undefined) return null;
    if (isCopied) for (let copies = 0; copies < 2; copies++) this.schedule({ ...found });
    const { id, isTwin } = found.host;
    return { from: found.from, to: id, message: found.message!, ...(isTwin ? { toTwin: true } : {}) };
  }

  sent(host: Host, to: MemberId, message: Message, at?: string): void {
    const from = host.id;
    if (from === to) assert(false, `${from} sent ${message.type} to itself`); // Made only if it is needed.
    this.#sent.add(message);
    const vote = this.protocol.vote?.(message);
    if (vote) this.#properties.voted(from, to, vote.term);
    if (this.places?.reaches(from, to, at) === false) return;
    const { connections, hosts, twins } = this;
    if (connections !== null) {
      const receiver = connections.receiverOf(host.name, to);
      return receiver === undefined ? undefined : this.#route(host, to, message, receiver);
    }
    if (twins.size === 0) return this.#route(host, to, message, hosts.get(to));
    // Each process of the receiver is sent its own message: one may be lost, late or held where the other is not.
    for (const receiver of [hosts.get(to), twins.of(to)])
      if (receiver !== undefined && twins.connects(host, receiver)) this.#route(host, to, message, receiver);
  }

  called(host: Host, at: string, message: Message): void {
    this.#sent.add(message);
    const to = this.places?.answers(host.id, at) ?? null;
    if (to !== null) this.#route(host, to, message, this.hosts.get(to));
  }

  #route({ id: from, name }: Host, to: MemberId, message: Message, receiver: Host | undefined): void {
    const { network } = this;
    const copies = network.copiesOf(from, to, message);
    if (typeof copies === 'string') {
      if (copies === 'held') network.hold({ from, to, message, toTwin: receiver?.isTwin === true });
      return this.note({ do: copies, from: name, to: receiver?.name ?? to, type: message.type });
    }
    for (let i = 0; i < copies; i++) {
      const atUs = this.nowUs + toUs(network.delayMs(from, to));
      if (receiver !== undefined) this.schedule(newHappening(atUs, 'deliver', receiver, from, message, null));
    }
  }

  reported(host: Host, view: View, isNew: boolean): void {
    this.losses.reported(host, view);
    if (!isNew) return;
    if (view.term !== null) this.#properties.believed(host.name, view.leader, view.term);
    if (view.version > 0) this.#properties.showed(host.name, view.version, view.value);
  }

  stepped(host: Host, input: Input, effects: readonly Effect[]): void {
    this.steps += 1;
    if (this.steps > this.#mostSteps) throw new Error(`no end in sight after ${this.#mostSteps} steps`);
    if (this.#freeze) deepFreeze([input, effects]);
    const digest = this.#digest;
    digest.number(this.nowUs);
    if (this.#hashesAll) digest.step(host.name, input, effects);
    this.#trace?.({ atMs: toMs(this.nowUs), member: host.name, input, effects });
    if (input.type !== 'message') return;
    const vote = this.protocol.vote?.(input.message);
    if (vote) this.#properties.counted(input.from, host.name, vote.term);
  }

  answered(host: Host, command: number, outcome: Outcome): void {
    if (outcome.status === 'done') this.#changed(command);
    this.note({ do: 'answer', member: host.name, command, ...outcome });
  }

  #changed(command: number): void {
    const done = this.#commands[command - 1];
    if (done?.type === 'remove') this.removed.add(done.member);
    if (done?.type === 'add' && this.removed.delete(done.member)) this.returned.add(done.member);
  }

  /** A paused member that could act does not count as a leader here. */
  #cover(): void {
    let running = 0;
    let acting = 0;
    for (const { member } of this.acting.holders()) {
      acting += 1;
      if (!this.process(member)!.paused) running += 1;
    }
    this.coverage.update(running, acting, this.nowUs);
  }

  #find({ property, members, detail }: Finding): void {
    const claimed = isPromised(this.protocol, property, this.broken);
    this.violations.push({ property, claimed, atMs: toMs(this.nowUs), members, detail });
  }
}
