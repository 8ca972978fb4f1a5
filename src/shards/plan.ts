/**
 * The rules of the coordinator. Safety rests on one of them alone: a shard gets an owner only when its last owner has
 * said that it released it, or when the session of that owner has ended. Both are read from registers that only the
 * holder of the slot can write, and both stay true for ever, so registers may be old. Everything else is about balance.
 */
import type { Register, Session, Shard, Table } from './table.ts';

/** At most this share of the shards moves for the sake of balance at any time: the work of those rests. */
const MOVING_SHARE = 1 / 8;

/** How many shards may be moved at the same time. */
export function mostMoving(size: number): number {
  return Math.max(1, Math.ceil(size * MOVING_SHARE));
}

/**
 * The next table, given what the registers of the slots say; null where a slot has none. The same table if nothing is
 * to be changed.
 */
export function nextTable(
  table: Table,
  registers: readonly (Register | null)[],
  moving: number = mostMoving(table.shards.length),
): Table {
  const size = table.shards.length;
  const slots = Math.max(table.sessions.length, registers.findLastIndex((each) => each !== null) + 1);
  const sessions = Array.from({ length: slots }, (_, slot) =>
    newer(table.sessions[slot] ?? null, registers[slot] ?? null),
  );
  const isLive = (slot: number): boolean => {
    const session = sessions[slot] ?? null;
    if (session?.name == null) return false;
    const register = registers[slot] ?? null;
    // A replica that counts other shards gets none.
    return register === null || register.token !== session.token || register.size === size;
  };
  const live = sessions.flatMap((_, slot) => (isLive(slot) ? [slot] : []));
  const shards = table.shards.map((shard, i) =>
    isFree(shard, i, table, sessions, registers)
      ? { slot: null, token: shard.token, isLeaving: false }
      : shard,
  );
  assign(shards, live);
  startMoves(shards, live, moving);
  const next: Table = { shards, sessions };
  return isSame(table, next) ? table : next;
}

/** An ended session is newer than the same one before its end. */
function newer(known: Session | null, told: Session | null): Session | null {
  if (told === null) return known;
  const isNews =
    known === null || told.token > known.token || (told.token === known.token && told.name === null);
  return isNews ? { token: told.token, name: told.name } : known;
}

/** Has its owner released it, or has the session of its owner ended? */
function isFree(
  { slot, token }: Shard,
  index: number,
  { sessions: before }: Table,
  sessions: readonly (Session | null)[],
  registers: readonly (Register | null)[],
): boolean {
  if (slot === null) return true;
  const session = sessions[slot]!;
  if (session.token !== before[slot]!.token || session.name === null) return true;
  const register = registers[slot] ?? null;
  return (
    register?.token === session.token &&
    register.released.some(([shard, under]) => shard === index && under === token)
  );
}

/** Each shard without an owner goes to a replica with the fewest. */
function assign(shards: Shard[], live: readonly number[]): void {
  if (live.length === 0) return;
  const loads = loadsOf(shards, live);
  for (const [i, shard] of shards.entries()) {
    if (shard.slot !== null) continue;
    const slot = least(loads);
    loads.set(slot, loads.get(slot)! + 1);
    shards[i] = { slot, token: shard.token + 1, isLeaving: false };
  }
}

/** Replicas with too many are asked for some, until those that are asked for would make all equal within one. */
function startMoves(shards: Shard[], live: readonly number[], moving: number): void {
  if (live.length === 0) return;
  const loads = loadsOf(shards, live);
  const give = (): void => {
    const slot = least(loads);
    loads.set(slot, loads.get(slot)! + 1);
  };
  let leaving = 0;
  for (const { isLeaving } of shards) {
    if (!isLeaving) continue;
    leaving += 1;
    give();
  }
  while (leaving < moving) {
    const from = most(loads);
    if (loads.get(from)! - loads.get(least(loads))! <= 1) return;
    const i = shards.findLastIndex(({ slot, isLeaving }) => slot === from && !isLeaving);
    // Shards that are leaving were counted where they may go: then there is none to ask for.
    if (i < 0) return;
    shards[i] = { ...shards[i]!, isLeaving: true };
    loads.set(from, loads.get(from)! - 1);
    give();
    leaving += 1;
  }
}

/** How many shards each replica keeps. */
function loadsOf(shards: readonly Shard[], live: readonly number[]): Map<number, number> {
  const loads = new Map(live.map((slot) => [slot, 0]));
  for (const { slot, isLeaving } of shards) {
    if (slot !== null && !isLeaving && loads.has(slot)) loads.set(slot, loads.get(slot)! + 1);
  }
  return loads;
}

function least(loads: ReadonlyMap<number, number>): number {
  return extreme(loads, (load, best) => load < best);
}

function most(loads: ReadonlyMap<number, number>): number {
  return extreme(loads, (load, best) => load > best);
}

function extreme(
  loads: ReadonlyMap<number, number>,
  isBetter: (load: number, best: number) => boolean,
): number {
  let found: readonly [slot: number, load: number] | null = null;
  for (const each of loads) if (found === null || isBetter(each[1], found[1])) found = each;
  return found![0];
}

function isSame(a: Table, b: Table): boolean {
  return (
    a.sessions.length === b.sessions.length &&
    a.sessions.every(
      (each, i) => each?.token === b.sessions[i]?.token && each?.name === b.sessions[i]?.name,
    ) &&
    a.shards.every(({ slot, token, isLeaving }, i) => {
      const other = b.shards[i]!;
      return slot === other.slot && token === other.token && isLeaving === other.isLeaving;
    })
  );
}

/**
 * The same partition with another number of shards. No shard may have an owner. Tokens go on above all that were ever
 * given, also for shards that are new, since they may have been there before.
 */
export function resized({ shards, sessions }: Table, size: number): Table {
  const token = Math.max(0, ...shards.map((each) => each.token));
  return { shards: Array.from({ length: size }, () => ({ slot: null, token, isLeaving: false })), sessions };
}

/** The slots whose sessions have not ended, as far as is known. */
export function liveSlots({ sessions }: Table, registers: readonly (Register | null)[]): readonly number[] {
  const count = Math.max(sessions.length, registers.length);
  const slots = Array.from({ length: count }, (_, slot) => slot);
  return slots.filter((slot) => newer(sessions[slot] ?? null, registers[slot] ?? null)?.name != null);
}
