import { assert } from './assert.ts';

/** What survives `JSON.parse(JSON.stringify(x))` unchanged: the only kind of data a protocol keeps or sends. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A deep copy of plain data. Protocol states are plain by rule, so one copy function serves them all. */
export function clonePlain<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const copy: unknown[] = new Array(value.length);
    for (let i = 0; i < value.length; i++) copy[i] = clonePlain(value[i]);
    return copy as T;
  }
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    if (key === '__proto__') {
      // Assigning `__proto__` would change the copy's prototype; in parsed JSON it is an ordinary field.
      Object.defineProperty(copy, key, {
        value: clonePlain(value[key]),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    } else {
      copy[key] = clonePlain(value[key]);
    }
  }
  return copy as T;
}

/** Are these the same plain data, whatever the order of the fields? */
export function isSame(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && isSameList(a, b);
  if (Array.isArray(b)) return false;
  const [one, other] = [a as Record<string, Json>, b as Record<string, Json>];
  let fields = 0;
  for (const key in one) {
    const value = other[key];
    // A field of the prototype (`constructor`) is no field of the data.
    if (value === undefined || !isSame(one[key]!, value) || !Object.hasOwn(other, key)) return false;
    fields += 1;
  }
  for (const _ in other) fields -= 1;
  return fields === 0;
}

function isSameList(a: readonly Json[], b: readonly Json[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!isSame(a[i]!, b[i]!)) return false;
  return true;
}

/** JSON with sorted fields: equal data, equal text. It serves as a key, so nothing is left out. */
export function canonicalText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return scalarText(value);
  if (Array.isArray(value)) {
    let text = '[';
    for (let i = 0; i < value.length; i++) text += (i === 0 ? '' : ',') + canonicalText(value[i]);
    return `${text}]`;
  }
  const record = value as Record<string, unknown>;
  const keys = sortedKeys(record);
  let text = '{';
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    text += `${i === 0 ? '' : ','}${quoted(key)}:${canonicalText(record[key])}`;
  }
  return `${text}}`;
}

/**
 * Values that JSON would drop or change (undefined, NaN) would make different states look alike, so they are refused.
 */
function scalarText(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value === 'string') return quoted(value);
  if (value !== null && typeof value !== 'boolean') assert(false, `${String(value)} is not plain data`);
  return String(value);
}

/** Texts and orders of fields repeat, so they are worked out once; the limits only bound memory. */
const MOST_TEXTS = 10_000;
const texts = new Map<string, string>();

function quoted(text: string): string {
  const known = texts.get(text);
  if (known !== undefined) return known;
  const made = JSON.stringify(text);
  if (texts.size < MOST_TEXTS) texts.set(text, made);
  return made;
}

/** With fewer fields than this, sorting takes no longer than finding the order. */
const MANY_FIELDS = 4;
const MOST_ORDERS = 8;
/** By the number of fields. */
const orders: { readonly found: readonly string[]; readonly sorted: readonly string[] }[][] = [];

function sortedKeys(record: object): readonly string[] {
  const found = Object.keys(record);
  if (found.length < MANY_FIELDS) return found.length < 2 ? found : found.sort();
  orders[found.length] ??= [];
  const alike = orders[found.length]!;
  for (const order of alike) if (isEqualList(order.found, found)) return order.sorted;
  const sorted = [...found].sort();
  if (alike.length < MOST_ORDERS) alike.push({ found, sorted });
  return sorted;
}

function isEqualList(a: readonly string[], b: readonly string[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
