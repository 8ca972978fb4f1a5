/**
 * Replicas that follow the rules of shards, in a world of lease elections that is played by chance from a seed: replicas crash, pause,
 * lose their sessions, read tables late, and are coordinators that read registers late. One step is one atomic act. It is checked
 * at each step that no two replicas act on one shard, and in the end, without further faults, that all is balanced.
 */
import { Random } from '../../src/core/index.ts';
import {
  emptyTable,
  type Holding,
  liveSlots,
  mostMoving,
  nextTable,
  type Orders,
  ordersIn,
  type Register,
  type Release,
  type Table,
} from '../../src/shards/index.ts';

/** The rules that are tried. */
export interface Rules {
  nextTable(
    table: Table,
    registers: readonly (Register | null)[],
    moving: number,
    /** Who leads each slot, as far as the coordinator knows. */
    leaders?: readonly (string | null)[],
  ): Table;
  ordersIn(table: Table, holding: Holding): Orders;
  /** Is the work stopped before its shard is released? */
  readonly stopsFirst: boolean;
}

export const rules: Rules = {
  nextTable: (table, registers, moving) => nextTable(table, registers, moving),
  ordersIn,
  stopsFirst: true,
};

export const PROBLEMS = {
  two: 'two replicas act on one shard',
  token: 'a token does not grow',
  still: 'the shards are not balanced in the end',
} as const;

const SHARDS = 4;
const REPLICAS = 3;
const STEPS = 120;

/** A lease election: at most one holder may act. Its value is changed by the holder alone. */
interface Lease<T> {
  token: bigint;
  holder: Replica | null;
  value: T;
}

interface Replica {
  name: string;
  slot: number;
  session: bigint;
  /** By shard: the token, and whether its work still runs. */
  readonly runs: Map<number, { readonly token: number; isActing: boolean }>;
  released: Map<number, number>;
  /** What it reads, which may be old. */
  table: Table;
  /** As a coordinator: the term in which it leads, the table that it has published last, and what it has read. */
  term: bigint;
  own: Table;
  registers: (Register | null)[];
  leaders: (string | null)[];
}

export function playPartition(seed: number, tried: Rules): string[] {
  const random = new Random(seed, 'shards');
  const problems = new Set<string>();
  const main: Lease<Table> = { token: 0n, holder: null, value: emptyTable(SHARDS) };
  const slots = Array.from(
    { length: REPLICAS + 1 },
    (): Lease<Register | null> => ({ token: 0n, holder: null, value: null }),
  );
  const history: Table[] = [main.value];
  const greatest = new Map<number, number>();
  let names = 0;
  const fresh = (): Replica => ({
    name: `r${++names}`,
    slot: -1,
    session: 0n,
    runs: new Map(),
    released: new Map(),
    table: emptyTable(SHARDS),
    term: 0n,
    own: emptyTable(SHARDS),
    registers: [],
    leaders: [],
  });
  const replicas = Array.from({ length: REPLICAS }, fresh);

  const holds = (replica: Replica): boolean =>
    replica.slot >= 0 &&
    slots[replica.slot]!.holder === replica &&
    slots[replica.slot]!.token === replica.session;

  const check = (): void => {
    const acting = new Map<number, number>();
    for (const replica of replicas)
      for (const [shard, run] of replica.runs)
        if (run.isActing) acting.set(shard, (acting.get(shard) ?? 0) + 1);
    for (const count of acting.values()) if (count > 1) problems.add(PROBLEMS.two);
  };

  /** By its own clock it has noticed: nothing acts any more. */
  const endSession = (replica: Replica): void => {
    replica.runs.clear();
    replica.released = new Map();
    replica.slot = -1;
  };

  const claim = (replica: Replica): void => {
    if (replica.slot >= 0) return;
    const slot = slots.findIndex(({ holder }) => holder === null);
    if (slot < 0) return;
    const lease = slots[slot]!;
    lease.token += 1n;
    lease.holder = replica;
    replica.slot = slot;
    replica.session = lease.token;
    say(replica, []);
  };

  const say = (replica: Replica, released: readonly Release[], name: string | null = replica.name): void => {
    if (!holds(replica)) return;
    slots[replica.slot]!.value = { token: replica.session, name, size: SHARDS, released };
  };

  const look = (replica: Replica, isLate: boolean): void => {
    // A late reader sees any earlier table, perhaps again.
    replica.table = isLate ? random.pick(history)! : main.value;
    if (!holds(replica)) return;
    const owned = new Map([...replica.runs].map(([shard, { token }]) => [shard, token]));
    const { slot, session, released } = replica;
    const orders = tried.ordersIn(replica.table, { slot, session, owned, released });
    for (const [shard, token] of orders.start) {
      if (token <= (greatest.get(shard) ?? 0)) problems.add(PROBLEMS.token);
      greatest.set(shard, Math.max(token, greatest.get(shard) ?? 0));
      replica.runs.set(shard, { token, isActing: true });
    }
    for (const [shard, token] of orders.release) released.set(shard, token);
    const early: Release[] = [];
    for (const [shard, token] of orders.stop) {
      const run = replica.runs.get(shard);
      if (run === undefined) continue;
      if (!tried.stopsFirst) early.push([shard, token]);
      // Its work takes a while to stop.
      else if (random.chance(0.5)) {
        replica.runs.delete(shard);
        released.set(shard, token);
      }
    }
    say(replica, [...orders.unheard, ...orders.release, ...early]);
  };

  const coordinate = (replica: Replica, isLate: boolean): void => {
    if (main.holder === null) {
      main.token += 1n;
      main.holder = replica;
      replica.term = main.token;
      replica.own = main.value;
      replica.registers = [];
      replica.leaders = [];
    }
    if (main.holder !== replica || main.token !== replica.term) return;
    for (const [slot, lease] of slots.entries()) {
      if (isLate && random.chance(0.5)) continue; // What it knows of this slot is old.
      replica.registers[slot] = lease.value;
      replica.leaders[slot] = lease.holder?.name ?? null;
      // A live session may not be heard of for a moment.
      if (isLate && random.chance(0.1)) replica.leaders[slot] = null;
    }
    const registers = slots.map((_, slot) => replica.registers[slot] ?? null);
    const leaders = slots.map((_, slot) => replica.leaders[slot] ?? null);
    for (const slot of liveSlots(replica.own, registers)) {
      const lease = slots[slot]!;
      // It is elected in a slot only if that is free.
      if (leaders[slot] !== null || lease.holder !== null) continue;
      lease.token += 1n;
      lease.value = { token: lease.token, name: null, size: SHARDS, released: [] };
    }
    replica.own = tried.nextTable(replica.own, registers, mostMoving(SHARDS), leaders);
    main.value = replica.own;
    history.push(replica.own);
  };

  const leave = (replica: Replica): void => {
    if (!holds(replica)) return;
    replica.runs.clear();
    say(replica, [], null);
    slots[replica.slot]!.holder = null;
    endSession(replica);
  };

  /** The lease expires in the store only after its holder has stopped by its own clock. */
  const lose = (replica: Replica): void => {
    if (!holds(replica)) return;
    slots[replica.slot]!.holder = null;
    endSession(replica);
  };

  const crash = (index: number): void => {
    const replica = replicas[index]!;
    lose(replica);
    if (main.holder === replica) main.holder = null;
    replicas[index] = fresh();
  };

  const step = (isCalm: boolean): void => {
    const index = random.between(0, REPLICAS - 1);
    const replica = replicas[index]!;
    const roll = random.between(0, 99);
    if (!isCalm && roll < 3) crash(index);
    else if (!isCalm && roll < 6) lose(replica);
    else if (!isCalm && roll < 9) leave(replica);
    else if (!isCalm && roll < 12 && main.holder === replica) main.holder = null;
    else if (roll < 30) claim(replica);
    else if (roll < 65) look(replica, !isCalm && random.chance(0.3));
    else coordinate(replica, !isCalm && random.chance(0.3));
    check();
  };

  for (let i = 0; i < STEPS; i++) step(false);
  for (let i = 0; i < 4 * STEPS; i++) step(true);
  const loads = replicas.map(({ runs }) => runs.size);
  const isWhole = new Set(replicas.flatMap(({ runs }) => [...runs.keys()])).size === SHARDS;
  if (!isWhole || Math.max(...loads) - Math.min(...loads) > 1) problems.add(PROBLEMS.still);
  return [...problems];
}
