import {
  BadInput,
  integer,
  type Json,
  listOf,
  matching,
  natural,
  nullable,
  record,
  text,
} from '../core/index.ts';

/**
 * A session: the leadership of one replica in the election of its slot. Its token tells it from earlier sessions of the
 * slot. Without a name it has ended, for certain and for good.
 */
export interface Session {
  readonly token: bigint;
  readonly name: string | null;
}

export interface Shard {
  /** The slot of its owner, whose session is the one in the table; null if it has none. */
  readonly slot: number | null;
  /** Greater for each owner than for all before; 0 before the first. */
  readonly token: number;
  /** Its owner is asked to stop its work and to release it. */
  readonly isLeaving: boolean;
}

/** Who owns which shard: the value that the coordinator publishes. */
export interface Table {
  readonly shards: readonly Shard[];
  /** By slot: the last session that is known of it; null if there was none. */
  readonly sessions: readonly (Session | null)[];
}

/** What a replica says of its session: the value that it publishes in the election of its slot. */
export interface Register extends Session {
  /** How many shards it believes that there are. */
  readonly size: number;
  /** Shards that it has released, with the tokens under which it owned them. Each of them stays true for ever. */
  readonly released: readonly Release[];
}

export type Release = readonly [shard: number, token: number];

export const MOST_SHARDS = 1000;

const TABLE = 'shards';
const REGISTER = 'shards-session';
const VERSION = 1;
const NONE = -1;

const tokenText = matching(/^\d{1,38}$/, 'a token: decimal digits');
const name = nullable(text(200));
const mark = { caucus: text(20), version: integer(VERSION, VERSION) };

interface Marked {
  readonly caucus: string;
  readonly version: number;
}

/** Stores limit values, so a thousand shards are lists of small numbers, not of objects. */
interface TableDocument extends Marked {
  readonly sessions: readonly { readonly token: string; readonly name: string | null }[];
  readonly slots: readonly number[];
  readonly tokens: readonly number[];
  readonly leaving: readonly number[];
}

interface RegisterDocument extends Marked {
  readonly token: string;
  readonly name: string | null;
  readonly size: number;
  /** Shard, token, shard, token, … */
  readonly released: readonly number[];
}

const tableDocument = record<TableDocument>({
  ...mark,
  sessions: listOf(record({ token: tokenText, name })),
  slots: listOf(integer(NONE, MOST_SHARDS), MOST_SHARDS),
  tokens: listOf(natural, MOST_SHARDS),
  leaving: listOf(natural, MOST_SHARDS),
});

const registerDocument = record<RegisterDocument>({
  ...mark,
  token: tokenText,
  name,
  size: natural,
  released: listOf(natural, 2 * MOST_SHARDS),
});

/** Is this published value one that partitions keep, of whatever version? */
export function isOfPartition(value: Json): boolean {
  return isMarked(value, TABLE) || isMarked(value, REGISTER);
}

function isMarked(value: Json, as: string): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'caucus' in value
    ? value.caucus === as
    : false;
}

/** Nothing was ever owned. */
export function emptyTable(size: number): Table {
  return {
    shards: Array.from({ length: size }, () => ({ slot: null, token: 0, isLeaving: false })),
    sessions: [],
  };
}

/** Null if there is none yet. Throws BadInput for any other value, or a table of another version. */
export function readTable(value: Json, path: string): Table | null {
  if (value === null) return null;
  if (!isMarked(value, TABLE)) throw new BadInput(path, 'a table of shards', 'another value');
  const { sessions, slots, tokens, leaving } = tableDocument.read(value, path);
  const isWhole =
    slots.length === tokens.length &&
    slots.every((slot) => slot < sessions.length) &&
    leaving.every((shard) => (slots[shard] ?? NONE) !== NONE);
  if (!isWhole) throw new BadInput(path, 'a table of shards', 'one with gaps');
  const left = new Set(leaving);
  return {
    shards: slots.map((slot, i) => ({
      slot: slot === NONE ? null : slot,
      token: tokens[i]!,
      isLeaving: left.has(i),
    })),
    // Token 0 is that of no session.
    sessions: sessions.map((each) =>
      each.token === '0' ? null : { token: BigInt(each.token), name: each.name },
    ),
  };
}

export function writeTable({ shards, sessions }: Table): Json {
  return {
    caucus: TABLE,
    version: VERSION,
    sessions: sessions.map((each) => ({ token: String(each?.token ?? 0), name: each?.name ?? null })),
    slots: shards.map(({ slot }) => slot ?? NONE),
    tokens: shards.map(({ token }) => token),
    leaving: shards.flatMap(({ isLeaving }, i) => (isLeaving ? [i] : [])),
  };
}

/** Null if there is none yet. Throws BadInput for any other value. */
export function readRegister(value: Json, path: string): Register | null {
  if (value === null) return null;
  if (!isMarked(value, REGISTER)) throw new BadInput(path, 'the session of a replica', 'another value');
  const { token, name: who, size, released } = registerDocument.read(value, path);
  const pairs: Release[] = [];
  for (let i = 0; i + 1 < released.length; i += 2) pairs.push([released[i]!, released[i + 1]!]);
  return { token: BigInt(token), name: who, size, released: pairs };
}

export function writeRegister({ token, name: who, size, released }: Register): Json {
  return {
    caucus: REGISTER,
    version: VERSION,
    token: String(token),
    name: who,
    size,
    released: released.flat(),
  };
}
