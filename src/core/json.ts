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
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  const [one, other] = [a as Record<string, Json>, b as Record<string, Json>];
  return keys.every((key) => Object.hasOwn(other, key) && isSame(one[key]!, other[key]!));
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
  const keys = Object.keys(record).sort();
  let text = '{';
  for (const key of keys) {
    text += `${text === '{' ? '' : ','}${JSON.stringify(key)}:${canonicalText(record[key])}`;
  }
  return `${text}}`;
}

/**
 * Values that JSON would drop or change (undefined, NaN) would make different states look alike, so they are refused.
 */
function scalarText(value: unknown): string {
  const plain =
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value));
  assert(plain, `${String(value)} is not plain data`);
  return JSON.stringify(value);
}
