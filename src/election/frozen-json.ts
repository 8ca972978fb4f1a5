import { type Json, show } from '../core/values.ts';
import { CaucusError } from './errors.ts';

/** A value that is nested deeper would be refused on its way to the other members. */
const DEEPEST = 100;

/** A frozen copy. Values that JSON would drop or change are refused. */
export function frozenCopy(value: unknown, path = 'value', levels: number = DEEPEST): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object' || !isPlain(value)) throw refusal(path, 'a JSON value', show(value));
  // A value that contains itself ends here too.
  if (levels === 0) throw refusal(path, `at most ${DEEPEST} levels`, 'more');
  if (Array.isArray(value)) {
    return Object.freeze(Array.from(value, (each, i) => frozenCopy(each, `${path}[${i}]`, levels - 1)));
  }
  const entries = Object.entries(value);
  return Object.freeze(
    Object.fromEntries(entries.map(([key, each]) => [key, frozenCopy(each, `${path}.${key}`, levels - 1)])),
  );
}

/**
 * Freezes a value that came from elsewhere, so that one reader cannot change it for the others. A value nested too
 * deeply to have been published counts as null: code that walks through it would overflow its stack.
 */
export function frozen(value: Json): Json {
  return fits(value, DEEPEST) ? freeze(value) : null;
}

function fits(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return true;
  return levels > 0 && Object.values(value).every((each) => fits(each, levels - 1));
}

function freeze(value: Json): Json {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const each of Object.values(value)) freeze(each);
  return Object.freeze(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

function refusal(path: string, expected: string, found: string): CaucusError {
  // A path of a hundred levels is cut short.
  const place = path.length > 60 ? `${path.slice(0, 57)}...` : path;
  return new CaucusError('E_REFUSED', `cannot publish: ${place}: expected ${expected}, found ${found}`);
}
