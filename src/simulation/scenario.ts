import {
  anyJson,
  asObject,
  BadInput,
  type Command,
  type Config,
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
  optional,
  readSettings,
  record,
  refuseUnknown,
  type Shape,
  show,
  text,
  timeMs,
} from '../core/index.ts';
import { type ConnectionSetup, connectionSetup } from './connection-setup.ts';
import type { DiskFault, DiskFound } from './disk.ts';
import { checkTogether, eventShapes } from './event-shapes.ts';
import { type Latency, latencyMs } from './latency.ts';
import { DEFAULT_QUALITY, type LinkQuality } from './network.ts';
import { usualAddress } from './places.ts';
import { allOptional, quality } from './quality-shapes.ts';
import { readNewId, type Selector } from './selectors.ts';

export type { Selector } from './selectors.ts';

type Match = {
  readonly from?: Selector;
  readonly to?: Selector;
  readonly type?: string;
  readonly count?: number;
};

/** What can be done to the world, as a scenario writes it. */
export type WorldEvent = { readonly atMs: number } & Action;

/**
 * A new kind has its shape in event-shapes.ts, its effect in actions.ts, its words in src/story/event-words.ts (and in rows.ts, if it
 * undoes another), and, to be drawn by the swarm, an entry in swarm/fault-kinds.ts and its end in `calmEvents` (swarm/storm.ts). Where it
 * fits: `COMPANIONS` (swarm/draw-faults.ts), the fields that shrinking may leave out (swarm/simpler.ts), and on the page its button
 * (playground/src/stage/deeds.ts) and whether it lasts (in-force.ts).
 */
export type Action =
  /** With `twin`, the second process of the member ends. */
  | { readonly do: 'crash'; readonly member: Selector; readonly twin?: boolean }
  | { readonly do: 'pause' | 'resume' | 'backup'; readonly member: Selector }
  | { readonly do: 'campaign' | 'resign'; readonly member: Selector }
  /** `amnesia` is an older word for the disk `lost`. */
  | {
      readonly do: 'restart';
      readonly member: Selector;
      readonly amnesia?: boolean;
      readonly disk?: DiskFound;
      /** Its process runs at this address from now on. */
      readonly address?: string;
    }
  /**
   * A second process of the member. Only the members in `with` talk with it, and no longer with the first; omitted:
   * all talk with both.
   */
  | {
      readonly do: 'twin';
      readonly member: Selector;
      readonly disk: 'empty' | 'copied';
      readonly with?: readonly Selector[];
    }
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
  /** A message in flight, by the number that it got when it left. */
  | { readonly do: 'hold' | 'drop' | 'duplicate'; readonly flight: number }
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
      /** It is about the second process of the peer, the one that runs or ran last. */
      readonly twin?: boolean;
      /** It is late: about the process of the peer before the one that runs or ran last. */
      readonly earlier?: boolean;
    }
  /** Something between two members resets their connections. With `half`, only the first of them learns of it. */
  | { readonly do: 'reset'; readonly from: Selector; readonly to: Selector; readonly half?: boolean }
  /** Another process connects under the id of a member, and ends after a while. A `silent` one answers no pings. */
  | {
      readonly do: 'stranger';
      readonly as: Selector;
      readonly to: Selector;
      readonly says: 'same' | 'other-life' | 'other-pid';
      readonly forMs: number;
      readonly silent?: boolean;
    }
  | { readonly do: 'transfer'; readonly to: Selector; readonly member?: Selector }
  | { readonly do: 'publish'; readonly value: Json; readonly member?: Selector }
  /** A preset, or some times beside those of the scenario, and options. */
  | ({ readonly do: 'reconfigure'; readonly member?: Selector } & Partial<Record<'timing' | 'options', Json>>)
  | { readonly do: 'add'; readonly member: MemberId }
  | { readonly do: 'remove'; readonly member: Selector };

export interface MemberSetup {
  readonly id: MemberId;
  /** When its process starts. */
  readonly startMs: number;
  /** Its own settings, as the protocol defines them. */
  readonly settings: Readonly<Record<string, Json>>;
  /** Where it is, if members have addresses. */
  readonly address?: string;
}

/** A scenario, checked and complete: together with a seed it determines a whole run. */
export interface Scenario {
  readonly definition: Definition;
  readonly timing: Readonly<Record<string, Json>>;
  readonly options: Readonly<Record<string, Json>>;
  readonly members: readonly MemberSetup[];
  readonly network: LinkQuality;
  /** How long a disk takes to make a record durable. */
  readonly syncMs: readonly [number, number];
  /** The cluster has certainly never run before: an empty disk cannot be a lost one. */
  readonly isNew: boolean;
  /** Omitted: processes need no connections to talk, and the scenario says what they are told of each other. */
  readonly connections?: ConnectionSetup;
  /** Members start knowing only their own address and these. Null: an id is an address, and all members are configured. */
  readonly seeds: readonly string[] | null;
  readonly untilMs: number;
  readonly seed: number | null;
  readonly events: readonly WorldEvent[];
}

const MOST_MEMBERS = 1000;
const MOST_EVENTS = 10_000;
const FIELDS: { readonly [field: string]: null } = {
  protocol: null,
  options: null,
  members: null,
  timing: null,
  network: null,
  disk: null,
  connections: null,
  seeds: null,
  untilMs: null,
  seed: null,
  events: null,
};

/** Reads a scenario. Throws BadInput that names the field and what was expected. */
export function readScenario(given: unknown, catalogue: Readonly<Record<string, Definition>>): Scenario {
  const found = asObject(given, '');
  refuseUnknown(found, FIELDS, '');
  const definition = readProtocol(found.protocol, catalogue);
  const members = readMembers(found.members, definition);
  const added = findAdded(found.events);
  const network = networkShape.read(orEmpty(found.network), 'network');
  const disk = diskShape.read(orEmpty(found.disk), 'disk');
  const syncMs = disk.syncMs ?? DEFAULT_SYNC_MS;
  if ('meanMs' in syncMs) throw new BadInput('disk.syncMs', 'milliseconds, or [least, most]', show(syncMs));
  const config = {
    timing: readSettings(definition.timing, found.timing, 'timing') as Record<string, Json>,
    options: readSettings(definition.options, found.options, 'options') as Record<string, Json>,
  };
  const seeds = readSeeds(found, members, definition);
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
    syncMs,
    isNew: disk.isNew ?? false,
    ...(found.connections === undefined
      ? {}
      : { connections: connectionSetup.read(found.connections, 'connections') }),
    seeds,
    untilMs: found.untilMs === undefined ? 20_000 : durationMs.read(found.untilMs, 'untilMs'),
    seed: found.seed === undefined ? null : natural.read(found.seed, 'seed'),
    events: readEvents(found.events, definition, config, [...members.map((member) => member.id), ...added]),
  };
}

const networkShape = record(allOptional<LinkQuality>(quality));
const diskShape = record(
  allOptional<{ syncMs: Latency; isNew: boolean }>({ syncMs: latencyMs, isNew: flag }),
);
const DEFAULT_SYNC_MS: Latency = [0.1, 1];

/** An omitted value is empty; null is not omitted. */
function orEmpty(given: unknown): unknown {
  return given === undefined ? {} : given;
}

function readProtocol(given: unknown, catalogue: Readonly<Record<string, Definition>>): Definition {
  const name = given === undefined ? 'epoch' : given;
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
  const own = { id: memberId, startMs: optional(timeMs), address: optional(address) };
  const known = { ...own, ...table };
  const seen = new Set<string>();
  const members = given.map((each: unknown, i): MemberSetup => {
    const at = `${path}[${i}]`;
    const isObject = typeof each === 'object' && each !== null;
    const found = isObject ? asObject(each, at) : { id: each };
    refuseUnknown(found, known, at);
    const id = readNewId(found.id, isObject ? `${at}.id` : at);
    const startMs = own.startMs.read(found.startMs, `${at}.startMs`) ?? 0;
    const place = own.address.read(found.address, `${at}.address`);
    const { id: _, startMs: __, address: ___, ...rest } = found;
    // 1 and "1" would be one key in every record, so a cluster cannot have both.
    if (seen.has(String(id))) throw new BadInput(at, 'an id that no other member has', show(id));
    seen.add(String(id));
    const settings = readSettings(table, rest, at) as Record<string, Json>;
    return { id, startMs, settings, ...(place === undefined ? {} : { address: place }) };
  });
  return members.sort((a, b) => compareIds(a.id, b.id));
}

/** Only voters that can register find each other from addresses alone. */
function readSeeds(
  found: Readonly<Record<string, unknown>>,
  members: readonly MemberSetup[],
  definition: Definition,
): readonly string[] | null {
  const { seeds, connections } = found;
  if (seeds === undefined) {
    const at = members.findIndex((member) => member.address !== undefined);
    if (at >= 0) throw new BadInput(`members[${at}].address`, 'seeds beside it', 'none');
    return null;
  }
  if (definition.registration === undefined)
    throw new BadInput(
      'seeds',
      `a protocol whose voters register, which ${definition.name} is not`,
      show(seeds),
    );
  if (connections !== undefined) throw new BadInput('seeds', 'either seeds or connections', 'both');
  const taken = members.map(({ id, address: at }) => at ?? usualAddress(id));
  const twice = taken.find((each, i) => taken.indexOf(each) < i);
  if (twice !== undefined) throw new BadInput('members', 'members at different addresses', show(twice));
  return listOf(address, MOST_MEMBERS).read(seeds, 'seeds');
}

const address = text(100);

/** Members that join later, so that events may name them. */
function findAdded(events: unknown): MemberId[] {
  if (!Array.isArray(events)) return [];
  const added = events.filter((event) => event?.do === 'add').map((event) => event.member as MemberId);
  return added.filter((id) => typeof id === 'number' || typeof id === 'string');
}

function readEvents(
  given: unknown,
  definition: Definition,
  config: Config,
  ids: readonly MemberId[],
): readonly WorldEvent[] {
  if (given === undefined) return [];
  if (!Array.isArray(given) || given.length > MOST_EVENTS) {
    throw new BadInput(
      'events',
      `a list of at most ${MOST_EVENTS} events`,
      Array.isArray(given) ? `${given.length}` : show(given),
    );
  }
  refuseAliases(given, ids);
  const shapes = eventShapes(definition, config, ids);
  const readers = new Map<string, Shape<object>>();
  const events = given.map((each: unknown, i): WorldEvent => {
    const path = `events[${i}]`;
    const event = asObject(each, path);
    const name = event.do;
    if (typeof name !== 'string' || !Object.hasOwn(shapes, name)) {
      throw new BadInput(join(path, 'do'), `one of ${Object.keys(shapes).join(', ')}`, show(name));
    }
    const reader = readers.get(name) ?? record<object>({ atMs: timeMs, do: anyJson, ...shapes[name] });
    readers.set(name, reader);
    const read = reader.read(event, path);
    checkTogether(read as Record<string, unknown>, path);
    return read as WorldEvent;
  });
  return events.sort((a, b) => a.atMs - b.atMs); // A stable sort: events of one moment keep their order.
}

/** A command to a leader that an event stands for. */
export function commandIn(
  action: Extract<Action, { do: 'publish' | 'reconfigure' }>,
  { definition, timing, options }: Pick<Scenario, 'definition' | 'timing' | 'options'>,
): Command {
  if (action.do === 'publish') return { type: 'publish', value: action.value };
  const times = definition.retiming?.change({ timing, options }, null, action);
  return { type: 'reconfigure', timing: times ?? {} };
}

/** 1 and "1" would be one key in every record, so no member may join under an id that differs only in type. */
function refuseAliases(events: readonly unknown[], ids: readonly MemberId[]): void {
  events.forEach((event, i) => {
    const { do: what, member } = (event ?? {}) as { do?: unknown; member?: unknown };
    if (what !== 'add') return;
    const alias = ids.find((id) => id !== member && String(id) === String(member));
    if (alias !== undefined)
      throw new BadInput(`events[${i}].member`, `another id than ${show(alias)}`, show(member));
  });
}
