import { BadInput, show } from './bad-input.ts';
import type { MemberId } from './ids.ts';
import type { Json } from './json.ts';

/** Describes and reads one kind of value. `read` returns it checked, or throws BadInput with its path. */
export interface Shape<T> {
  readonly expected: string;
  /** The shapes of its fields, where it is a record. */
  readonly fields?: Readonly<Record<string, Shape<unknown>>>;
  /** It is the id of a member, or a list of such ids. Senders that are no JavaScript may write `"3"` where 3 is meant. */
  readonly ids?: boolean;
  read(value: unknown, path: string): T;
}

function shape<T>(expected: string, test: (value: unknown) => boolean): Shape<T> {
  return {
    expected,
    read(value, path) {
      if (!test(value)) throw new BadInput(path, expected, show(value));
      return value as T;
    },
  };
}

const finite = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

export const flag: Shape<boolean> = shape('true or false', (v) => typeof v === 'boolean');

/** Values are walked by functions that call themselves, and the stack is no place for a stranger to choose the depth. */
const DEEPEST = 100;

export const anyJson: Shape<Json> = shape(`a JSON value of at most ${DEEPEST} levels`, (v) =>
  isJson(v, DEEPEST),
);

/** A number too large for JavaScript is read as Infinity, which JSON cannot say again. */
function isJson(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return value !== undefined;
  return levels > 0 && Object.values(value).every((each) => isJson(each, levels - 1));
}

/** A whole number of 0 or more that a JavaScript number holds exactly. */
export const natural: Shape<number> = shape(
  'a whole number from 0 to 9007199254740991',
  (v) => Number.isSafeInteger(v) && (v as number) >= 0,
);

export function integer(min: number, max: number): Shape<number> {
  return shape(
    `a whole number from ${min} to ${max}`,
    (v) => Number.isSafeInteger(v) && (v as number) >= min && (v as number) <= max,
  );
}

export function number(min: number, max: number): Shape<number> {
  return shape(`a number from ${min} to ${max}`, (v) => finite(v) && v >= min && v <= max);
}

/** No run and no delay is longer than this; it keeps virtual time in exact integers of microseconds. */
export const LONGEST_MS = 1e9;

export const timeMs: Shape<number> = shape(
  'milliseconds from 0 to 1000000000',
  (v) => finite(v) && v >= 0 && v <= LONGEST_MS,
);

export const durationMs: Shape<number> = shape(
  'milliseconds above 0, up to 1000000000',
  (v) => finite(v) && v > 0 && v <= LONGEST_MS,
);

const isRange = (v: unknown): boolean =>
  Array.isArray(v) &&
  v.length === 2 &&
  v.every((x) => finite(x) && x >= 0 && x <= LONGEST_MS) &&
  v[0] <= v[1];

/** A range of durations, or one duration for both ends. */
export const rangeMs: Shape<readonly [number, number]> = {
  expected: 'milliseconds, or [least, most]',
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
  );
}

export function choice<const T extends string>(...values: readonly T[]): Shape<T> {
  return shape(values.map((v) => `"${v}"`).join(' or '), (v) => values.includes(v as T));
}

/**
 * Ids become keys of records and parts of paths, so they are plain words. Names that every object already has
 * (`constructor`, …) are refused, because a record would seem to hold them.
 */
export const memberId: Shape<MemberId> = {
  ...shape(
    'an id: a whole number from 0, or 1 to 64 letters, digits and . _ : -',
    (v) =>
      (Number.isSafeInteger(v) && (v as number) >= 0) ||
      (typeof v === 'string' && /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/.test(v) && !(v in Object.prototype)),
  ),
  ids: true,
};

export function listOf<T>(item: Shape<T>, maxLength = 10_000): Shape<readonly T[]> {
  return {
    expected: `a list of ${item.expected}`,
    ...namingMembers(item),
    read(value, path) {
      if (!Array.isArray(value)) throw new BadInput(path, this.expected, show(value));
      if (value.length > maxLength) throw new BadInput(path, `at most ${maxLength} items`, `${value.length}`);
      return value.map((each, i) => item.read(each, `${path}[${i}]`));
    },
  };
}

function namingMembers({ ids = false }: Shape<unknown>): { ids?: true } {
  return ids ? { ids } : {};
}

export function nullable<T>(inner: Shape<T>): Shape<T | null> {
  return {
    expected: `${inner.expected}, or null`,
    ...namingMembers(inner),
    ...(inner.fields === undefined ? {} : { fields: inner.fields }),
    read: (value, path) => (value === null ? null : inner.read(value, path)),
  };
}

/** Marks a field that may be absent. */
export function optional<T>(inner: Shape<T>): Shape<T | undefined> {
  return {
    expected: inner.expected,
    ...namingMembers(inner),
    ...(inner.fields === undefined ? {} : { fields: inner.fields }),
    read: (value, path) => (value === undefined ? undefined : inner.read(value, path)),
  };
}

/** A record keyed by member id. */
export function byMember<T>(item: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    expected: `an object from ids to ${item.expected}`,
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
  return {
    expected: 'an object',
    fields,
    read(value, path) {
      const found = asObject(value, path);
      refuseUnknown(found, fields, path);
      const result: Record<string, unknown> = {};
      for (const key of Object.keys(fields)) {
        const field = fields[key as keyof T].read(found[key], join(path, key));
        if (field !== undefined) result[key] = field;
      }
      return result as T;
    },
  };
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
