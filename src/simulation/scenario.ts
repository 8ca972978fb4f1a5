import {
  anyJson,
  asObject,
  BadInput,
  choice,
  compareIds,
  type Definition,
  durationMs,
  flag,
  type Json,
  join,
  listOf,
  type MemberId,
  type Message,
  memberId,
  natural,
  number,
  optional,
  readSettings,
  record,
  refuseUnknown,
  type Shape,
  show,
  text,
  timeMs,
} from '../core/index.ts';
import type { DiskFault } from './disk.ts';
import { latencyMs } from './latency.ts';
import { DEFAULT_QUALITY, type LinkQuality } from './network.ts';

/** Who an event is about: a member, or whoever fits at that moment. */
export type Selector = MemberId;
export const SELECTORS = ['leader', 'followers', 'random', 'all'] as const;

type Match = {
  readonly from?: Selector;
  readonly to?: Selector;
  readonly type?: string;
  readonly count?: number;
};

/** What can be done to the world, as it stands in a scenario. */
export type WorldEvent = { readonly atMs: number } & Action;

export type Action =
  | { readonly do: 'crash' | 'pause' | 'resume'; readonly member: Selector }
  | { readonly do: 'campaign' | 'resign'; readonly member: Selector }
  | { readonly do: 'restart'; readonly member: Selector; readonly amnesia?: boolean }
  | { readonly do: 'partition'; readonly groups: readonly (readonly Selector[])[] }
  | { readonly do: 'cut'; readonly from: Selector; readonly to: Selector; readonly oneWay?: boolean }
  | { readonly do: 'heal'; readonly from?: Selector; readonly to?: Selector; readonly oneWay?: boolean }
  | ({
      readonly do: 'network';
      readonly member?: Selector;
      readonly from?: Selector;
      readonly to?: Selector;
    } & Partial<LinkQuality>)
  | ({ readonly do: 'hold' | 'drop' | 'duplicate' } & Match)
  | ({ readonly do: 'release'; readonly nth?: number; readonly copy?: boolean } & Match)
  | { readonly do: 'fire'; readonly member: Selector; readonly timer: string }
  | { readonly do: 'inject'; readonly from: MemberId; readonly to: Selector; readonly message: Message }
  | { readonly do: 'clock'; readonly member: Selector; readonly rate?: number; readonly jumpMs?: number }
  | { readonly do: 'disk'; readonly member: Selector; readonly fault: DiskFault }
  | {
      readonly do: 'evidence';
      readonly member: Selector;
      readonly peer: Selector;
      readonly gone: boolean;
      readonly proof?: boolean;
    }
  | { readonly do: 'transfer'; readonly to: Selector; readonly member?: Selector }
  | { readonly do: 'publish'; readonly value: Json; readonly member?: Selector }
  | { readonly do: 'add'; readonly member: MemberId }
  | { readonly do: 'remove'; readonly member: Selector };

export interface MemberSetup {
  readonly id: MemberId;
  /** When its process starts. */
  readonly startMs: number;
  /** Its own settings, as the protocol defines them. */
  readonly settings: Readonly<Record<string, Json>>;
}

/** A scenario, checked and complete: together with a seed it fixes a whole run. */
export interface Scenario {
  readonly definition: Definition;
  readonly timing: Readonly<Record<string, Json>>;
  readonly options: Readonly<Record<string, Json>>;
  readonly members: readonly MemberSetup[];
  readonly network: LinkQuality;
  /** How long a disk takes to make a record durable. */
  readonly syncMs: readonly [number, number];
  readonly untilMs: number;
  readonly seed: number | null;
  readonly events: readonly WorldEvent[];
}

const MOST_MEMBERS = 1000;
const MOST_EVENTS = 10_000;
const chance = number(0, 1);

const quality: { readonly [K in keyof LinkQuality]: Shape<LinkQuality[K]> } = {
  latencyMs,
  loss: chance,
  duplicate: chance,
  reorder: chance,
};

const FIELDS = ['protocol', 'options', 'members', 'timing', 'network', 'disk', 'untilMs', 'seed', 'events'];

/** Reads a scenario. Throws BadInput that names the field and what was expected. */
export function readScenario(given: unknown, catalogue: Readonly<Record<string, Definition>>): Scenario {
  const found = asObject(given, '');
  refuseUnknown(found, Object.fromEntries(FIELDS.map((field) => [field, null])), '');
  const definition = readProtocol(found.protocol, catalogue);
  const members = readMembers(found.members, definition);
  const added = findAdded(found.events);
  const network = record(allOptional<LinkQuality>(quality)).read(found.network ?? {}, 'network');
  const disk = record<{ syncMs: LinkQuality['latencyMs'] }>({ syncMs: latencyMs }).read(
    found.disk ?? { syncMs: [0.1, 1] },
    'disk',
  );
  if ('meanMs' in disk.syncMs)
    throw new BadInput('disk.syncMs', 'milliseconds, or [least, most]', show(disk.syncMs));
  const config = {
    timing: readSettings(definition.timing, found.timing, 'timing') as Record<string, Json>,
    options: readSettings(definition.options, found.options, 'options') as Record<string, Json>,
  };
  const objection = definition.check?.(
    config,
    members.map((member) => member.id),
  );
  if (objection) throw new BadInput(objection.path, 'settings that go together', objection.reason);
  return {
    definition,
    ...config,
    members,
    network: { ...DEFAULT_QUALITY, ...(network as Partial<LinkQuality>) },
    syncMs: disk.syncMs,
    untilMs: found.untilMs === undefined ? 20_000 : durationMs.read(found.untilMs, 'untilMs'),
    seed: found.seed === undefined ? null : natural.read(found.seed, 'seed'),
    events: readEvents(found.events, definition, [...members.map((member) => member.id), ...added]),
  };
}

function readProtocol(given: unknown, catalogue: Readonly<Record<string, Definition>>): Definition {
  const name = given ?? 'epoch';
  if (typeof name === 'string' && Object.hasOwn(catalogue, name)) return catalogue[name]!;
  throw new BadInput('protocol', `one of ${Object.keys(catalogue).join(', ')}`, show(given));
}

function readMembers(given: unknown, definition: Definition): readonly MemberSetup[] {
  const path = 'members';
  const table = definition.memberSettings ?? {};
  const defaults = readSettings(table, {}, path) as Record<string, Json>;
  if (given === undefined || typeof given === 'number') {
    const count = given ?? 5;
    if (!Number.isInteger(count) || count < 1 || count > MOST_MEMBERS) {
      throw new BadInput(path, `a number from 1 to ${MOST_MEMBERS}, or a list of ids`, show(given));
    }
    return Array.from({ length: count }, (_, i) => ({ id: i + 1, startMs: 0, settings: defaults }));
  }
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST_MEMBERS) {
    throw new BadInput(
      path,
      `a number from 1 to ${MOST_MEMBERS}, or a list of 1 to ${MOST_MEMBERS} ids`,
      show(given),
    );
  }
  const own = { id: memberId, startMs: optional(timeMs) };
  const seen = new Set<string>();
  const members = given.map((each: unknown, i): MemberSetup => {
    const at = `${path}[${i}]`;
    const isObject = typeof each === 'object' && each !== null;
    const found = isObject ? asObject(each, at) : { id: each };
    refuseUnknown(found, { ...own, ...table }, at);
    const id = readNewId(found.id, isObject ? `${at}.id` : at);
    const startMs = own.startMs.read(found.startMs, `${at}.startMs`) ?? 0;
    const { id: _, startMs: __, ...rest } = found;
    // 1 and "1" would be one key in every record, so a cluster cannot have both.
    if (seen.has(String(id))) throw new BadInput(at, 'an id that no other member has', show(id));
    seen.add(String(id));
    return { id, startMs, settings: readSettings(table, rest, at) as Record<string, Json> };
  });
  return members.sort((a, b) => compareIds(a.id, b.id));
}

function isSelector(value: unknown): boolean {
  return SELECTORS.includes(value as 'leader');
}

function readNewId(value: unknown, path: string): MemberId {
  const id = memberId.read(value, path);
  if (isSelector(id)) {
    throw new BadInput(path, `an id other than ${SELECTORS.join(', ')}`, show(id));
  }
  return id;
}

/** Members that join later are known to the events too. */
function findAdded(events: unknown): MemberId[] {
  if (!Array.isArray(events)) return [];
  const added = events.filter((event) => event?.do === 'add').map((event) => event.member as MemberId);
  return added.filter((id) => typeof id === 'number' || typeof id === 'string');
}

function readEvents(given: unknown, definition: Definition, ids: readonly MemberId[]): readonly WorldEvent[] {
  if (given === undefined) return [];
  if (!Array.isArray(given) || given.length > MOST_EVENTS) {
    throw new BadInput(
      'events',
      `a list of at most ${MOST_EVENTS} events`,
      Array.isArray(given) ? `${given.length}` : show(given),
    );
  }
  const shapes = eventShapes(definition, ids);
  const events = given.map((each: unknown, i): WorldEvent => {
    const path = `events[${i}]`;
    const event = asObject(each, path);
    const name = event.do;
    if (typeof name !== 'string' || !Object.hasOwn(shapes, name)) {
      throw new BadInput(join(path, 'do'), `one of ${Object.keys(shapes).join(', ')}`, show(name));
    }
    const read = record<object>({ atMs: timeMs, do: anyJson, ...shapes[name] }).read(event, path);
    checkTogether(read as Record<string, unknown>, path);
    return read as WorldEvent;
  });
  return events.sort((a, b) => a.atMs - b.atMs); // A stable sort: events of one moment keep their order.
}

type Fields = Readonly<Record<string, Shape<unknown>>>;

function eventShapes(definition: Definition, ids: readonly MemberId[]): Readonly<Record<string, Fields>> {
  const who: Shape<Selector> = {
    expected: `one of the members ${ids.slice(0, 8).join(', ')}${ids.length > 8 ? ', …' : ''}, or ${SELECTORS.join(', ')}`,
    read(value, path) {
      if (ids.includes(value as MemberId) || isSelector(value)) return value as Selector;
      throw new BadInput(path, this.expected, show(value));
    },
  };
  const maybe = optional(who);
  const match: Fields = {
    from: maybe,
    to: maybe,
    type: optional(messageType(definition)),
    count: optional(positive),
  };
  return {
    crash: { member: who },
    restart: { member: who, amnesia: optional(flag) },
    pause: { member: who },
    resume: { member: who },
    partition: { groups: listOf(listOf(who)) },
    cut: { from: who, to: who, oneWay: optional(flag) },
    heal: { from: maybe, to: maybe, oneWay: optional(flag) },
    network: { member: maybe, from: maybe, to: maybe, ...allOptional(quality) },
    hold: match,
    release: { ...match, nth: optional(positive), copy: optional(flag) },
    drop: match,
    duplicate: match,
    inject: { from: memberId, to: who, message: messageOf(definition) },
    fire: { member: who, timer: text(100) },
    clock: { member: who, rate: optional(number(0.001, 1000)), jumpMs: optional(number(-1e12, 1e12)) },
    disk: { member: who, fault: choice('stall', 'full', 'torn', 'lose-unsynced', 'none') },
    evidence: { member: who, peer: who, gone: flag, proof: optional(flag) },
    campaign: { member: who },
    resign: { member: who },
    transfer: { to: who, member: maybe },
    publish: { value: anyJson, member: maybe },
    add: { member: newId },
    remove: { member: who },
  };
}

const newId: Shape<MemberId> = { expected: memberId.expected, read: readNewId };

const positive: Shape<number> = {
  expected: 'a whole number from 1',
  read(value, path) {
    if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number;
    throw new BadInput(path, this.expected, show(value));
  },
};

function messageType(definition: Definition): Shape<string> {
  const types = Object.keys(definition.messages);
  return {
    expected: `one of ${types.join(', ')}`,
    read(value, path) {
      if (types.includes(value as string)) return value as string;
      throw new BadInput(path, this.expected, show(value));
    },
  };
}

/** A message as the protocol knows it: with this a forged one is still a well-formed one. */
function messageOf(definition: Definition): Shape<Message> {
  return {
    expected: `a message of ${definition.name}`,
    read(value, path) {
      const { type, ...fields } = asObject(value, path);
      const known = messageType(definition).read(type, join(path, 'type'));
      return { type: known, ...definition.messages[known]!.read(fields, path) };
    },
  };
}

/** What one field alone cannot show. */
function checkTogether(event: Record<string, unknown>, path: string): void {
  const has = (field: string): boolean => event[field] !== undefined;
  switch (event.do) {
    case 'heal':
    case 'network':
      if (has('from') !== has('to')) {
        throw new BadInput(join(path, has('from') ? 'to' : 'from'), 'both ends of the link', 'nothing');
      }
      if (has('member') && has('from'))
        throw new BadInput(join(path, 'member'), 'either a member or a link', 'both');
      return;
    case 'clock':
      if (!has('rate') && !has('jumpMs')) throw new BadInput(path, 'a rate or jumpMs', 'neither');
      return;
    case 'cut':
      if (event.from === event.to && !isSelector(event.from)) {
        throw new BadInput(join(path, 'to'), 'another member than from', show(event.to));
      }
      return;
    case 'partition': {
      const named = (event.groups as MemberId[][]).flat().filter((id) => !isSelector(id));
      const twice = named.find((id, i) => named.indexOf(id) < i);
      if (twice !== undefined)
        throw new BadInput(join(path, 'groups'), 'each member in one group', `${show(twice)} twice`);
    }
  }
}

function allOptional<T>(shapes: { readonly [K in keyof T]: Shape<T[K]> }): {
  readonly [K in keyof T]: Shape<T[K] | undefined>;
} {
  const entries = Object.entries<Shape<unknown>>(shapes).map(([name, shape]) => [name, optional(shape)]);
  return Object.fromEntries(entries);
}
