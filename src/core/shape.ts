import { BadInput, show } from './bad-input.ts';
import { type MemberId, parseId } from './ids.ts';
import type { Json } from './json.ts';
import { ID_TITLE, type Schema } from './schema.ts';

/** Describes and reads one kind of value. `read` returns it checked, or throws BadInput with its path. */
export interface Shape<T> {
  readonly expected: string;
  /** The same for programs. It may accept more than `read`, where JSON Schema cannot express all, and never less. */
  readonly schema?: Schema;
  /** May a field of this shape be absent? */
  readonly isOptional?: boolean;
  /** The shapes of its fields, where it is a record. */
  readonly fields?: Readonly<Record<string, Shape<unknown>>>;
  read(value: unknown, path: string): T;
}

function shape<T>(expected: string, test: (value: unknown) => boolean, schema: Schema): Shape<T> {
  return {
    expected,
    schema,
    read(value, path) {
      if (!test(value)) throw new BadInput(path, expected, show(value));
      return value as T;
    },
  };
}

const finite = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

export const flag: Shape<boolean> = shape('true or false', (v) => typeof v === 'boolean', {
  type: 'boolean',
});

/** Values are walked recursively, so a sender must not choose the depth of the stack. */
const DEEPEST = 100;

export const anyJson: Shape<Json> = shape(
  `a JSON value of at most ${DEEPEST} levels`,
  (v) => isJson(v, DEEPEST),
  {},
);

/** A number too large for JavaScript is parsed as Infinity, which JSON cannot write. */
function isJson(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return value !== undefined;
  return levels > 0 && Object.values(value).every((each) => isJson(each, levels - 1));
}

/** A whole number of 0 or more that a JavaScript number holds exactly. */
export const natural: Shape<number> = shape(
  'a whole number from 0 to 9007199254740991',
  (v) => Number.isSafeInteger(v) && (v as number) >= 0,
  { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
);

export function integer(min: number, max: number): Shape<number> {
  return shape(
    `a whole number from ${min} to ${max}`,
    (v) => Number.isSafeInteger(v) && (v as number) >= min && (v as number) <= max,
    { type: 'integer', minimum: min, maximum: max },
  );
}

export function number(min: number, max: number): Shape<number> {
  return shape(`a number from ${min} to ${max}`, (v) => finite(v) && v >= min && v <= max, {
    type: 'number',
    minimum: min,
    maximum: max,
  });
}

/** No run and no delay is longer than this; it keeps virtual time in exact integers of microseconds. */
export const LONGEST_MS = 1e9;

export const timeMs: Shape<number> = shape(
  'milliseconds from 0 to 1000000000',
  (v) => finite(v) && v >= 0 && v <= LONGEST_MS,
  { type: 'number', minimum: 0, maximum: LONGEST_MS },
);

export const durationMs: Shape<number> = shape(
  'milliseconds above 0, up to 1000000000',
  (v) => finite(v) && v > 0 && v <= LONGEST_MS,
  { type: 'number', exclusiveMinimum: 0, maximum: LONGEST_MS },
);

const isRange = (v: unknown): boolean =>
  Array.isArray(v) &&
  v.length === 2 &&
  v.every((x) => finite(x) && x >= 0 && x <= LONGEST_MS) &&
  v[0] <= v[1];

/** A range of durations, or one duration for both ends. */
export const rangeMs: Shape<readonly [number, number]> = {
  expected: 'milliseconds, or [least, most]',
  schema: {
    anyOf: [durationMs.schema!, { type: 'array', items: timeMs.schema!, minItems: 2, maxItems: 2 }],
  },
  read(value, path) {
    if (finite(value) && value > 0 && value <= LONGEST_MS) return [value, value];
    if (isRange(value) && (value as number[])[1]! > 0) return value as [number, number];
    throw new BadInput(path, this.expected, show(value));
  },
};

export function text(maxLength: number): Shape<string> {
  return shape(
    `a string of at most ${maxLength} characters`,
    (v) => typeof v === 'string' && v.length <= maxLength,
    { type: 'string', maxLength },
  );
}

/** Text of any length, if its size is bounded elsewhere. */
export const anyText: Shape<string> = shape('a string', (v) => typeof v === 'string', { type: 'string' });

/** Text that matches a regular expression; `expected` describes it to people. */
export function matching(pattern: RegExp, expected: string): Shape<string> {
  return shape(expected, (v) => typeof v === 'string' && pattern.test(v), {
    type: 'string',
    pattern: pattern.source,
  });
}

export function choice<const T extends string>(...values: readonly T[]): Shape<T> {
  return shape(values.map((v) => `"${v}"`).join(' or '), (v) => values.includes(v as T), {
    type: 'string',
    enum: values,
  });
}

const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

/**
 * Ids become keys of records and parts of paths, so they are plain words. Names that every object already has
 * (`constructor`, …) are refused, because a record would seem to contain them.
 */
export const memberId: Shape<MemberId> = shape(
  'an id: a whole number from 0, or 1 to 64 letters, digits and . _ : -',
  (v) =>
    (Number.isSafeInteger(v) && (v as number) >= 0) ||
    (typeof v === 'string' && ID.test(v) && !(v in Object.prototype)),
  {
    title: ID_TITLE,
    description: 'The name of a member: a whole number or a word. Text of digits only means the number.',
    anyOf: [
      { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'string', pattern: ID.source },
    ],
  },
);

/** An id as people and programs in other languages write it: text of digits only means the number. */
export const writtenId: Shape<MemberId> = {
  ...memberId,
  read: (value, path) => memberId.read(typeof value === 'string' ? parseId(value) : value, path),
};

/** The name of an election is also part of a path and of a file name. */
export const electionName: Shape<string> = shape(
  'a name of 1 to 100 letters, digits, ".", "_" and "-"',
  (v) => typeof v === 'string' && isElectionName(v),
  { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,100}$' },
);

export function isElectionName(text: string): boolean {
  return /^[\w.-]{1,100}$/.test(text);
}

export function listOf<T>(item: Shape<T>, maxLength = 10_000): Shape<readonly T[]> {
  return {
    expected: `a list of ${item.expected}`,
    schema: { type: 'array', items: item.schema ?? {}, maxItems: maxLength },
    read(value, path) {
      if (!Array.isArray(value)) throw new BadInput(path, this.expected, show(value));
      if (value.length > maxLength) throw new BadInput(path, `at most ${maxLength} items`, `${value.length}`);
      return value.map((each, i) => item.read(each, `${path}[${i}]`));
    },
  };
}

export function nullable<T>(inner: Shape<T>): Shape<T | null> {
  return {
    expected: `${inner.expected}, or null`,
    schema: orNull(inner.schema ?? {}),
    ...(inner.fields === undefined ? {} : { fields: inner.fields }),
    read: (value, path) => (value === null ? null : inner.read(value, path)),
  };
}

/** Plain types stay one schema; records and ids keep theirs, so that a document can refer to it. */
function orNull(schema: Schema): Schema {
  const isPlain = typeof schema.type === 'string' && schema.type !== 'object' && schema.enum === undefined;
  return isPlain
    ? { ...schema, type: [schema.type as string, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

/** Marks a field that may be absent. */
export function optional<T>(inner: Shape<T>): Shape<T | undefined> {
  return {
    ...inner,
    isOptional: true,
    read: (value, path) => (value === undefined ? undefined : inner.read(value, path)),
  };
}

/** A record keyed by member id. */
export function byMember<T>(item: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    expected: `an object from ids to ${item.expected}`,
    schema: { type: 'object', additionalProperties: item.schema ?? {} },
    read(value, path) {
      const found = asObject(value, path);
      for (const key of Object.keys(found)) {
        memberId.read(key, `${path}.${key}`);
        item.read(found[key], `${path}.${key}`);
      }
      return found as Record<string, T>;
    },
  };
}

/** An object with exactly these fields. A field of another name is an error that lists the known ones. */
export function record<T extends object>(
  fields: {
    readonly [K in keyof T]-?: Shape<T[K]>;
  },
): Shape<T> {
  return recordOf(fields, true);
}

/** An object with at least these fields. Others are kept: a later version, or another program, may add some. */
export function openRecord<T extends object>(
  fields: {
    readonly [K in keyof T]-?: Shape<T[K]>;
  },
): Shape<T> {
  return recordOf(fields, false);
}

function recordOf<T extends object>(
  fields: { readonly [K in keyof T]-?: Shape<T[K]> },
  isClosed: boolean,
): Shape<T> {
  let schema: Schema | null = null;
  const keys = Object.keys(fields);
  return {
    expected: 'an object',
    get schema() {
      schema ??= recordSchema(fields, isClosed); // Most records are only read.
      return schema;
    },
    fields,
    read(value, path) {
      const found = asObject(value, path);
      if (isClosed) refuseUnknown(found, fields, path);
      const result: Record<string, unknown> = isClosed ? {} : { ...found };
      for (const key of keys) {
        const field = fields[key as keyof T].read(found[key], join(path, key));
        if (field !== undefined) result[key] = field;
      }
      return result as T;
    },
  };
}

function recordSchema(fields: Readonly<Record<string, Shape<unknown>>>, isClosed: boolean): Schema {
  const entries = Object.entries(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { schema = {} }]) => [name, schema])),
    required: entries.filter(([, { isOptional }]) => isOptional !== true).map(([name]) => name),
    ...(isClosed ? { additionalProperties: false } : {}),
  };
}

/** The same shape, with a description of its values. */
export function described<T>(inner: Shape<T>, description: string): Shape<T> {
  return { ...inner, schema: { ...inner.schema, description } };
}

/** The same shape, which documents define once, under this name. */
export function named<T>(title: string, inner: Shape<T>): Shape<T> {
  return { ...inner, schema: { ...inner.schema, title } };
}

export function asObject(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadInput(path, 'an object', show(value));
  }
  return value as Record<string, unknown>;
}

export function refuseUnknown(found: object, known: object, path: string): void {
  for (const key of Object.keys(found)) {
    if (Object.hasOwn(known, key)) continue;
    const names = Object.keys(known);
    const expected = names.length === 0 ? 'no fields here' : `one of the fields ${names.join(', ')}`;
    throw new BadInput(join(path, key), expected, 'an unknown field');
  }
}

export function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
