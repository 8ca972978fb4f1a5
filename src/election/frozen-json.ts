import { type Json, show } from '../core/index.ts';
import { CaucusError } from './errors.ts';

/** What is nested deeper would be refused on its way to the others. */
const DEEPEST = 100;

/** A copy that nobody can change. What JSON would lose or turn into something else on its way is refused. */
export function frozenCopy(value: unknown, path = 'value', levels: number = DEEPEST): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object' || !isPlain(value)) throw refusal(path, 'a JSON value', show(value));
  // One that contains itself ends here too.
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
 * What came from elsewhere is JSON already; whoever reads it shall not be able to change it for all the others. What nobody could
 * have published, for it is nested too deeply, counts as nothing: it would break those who walk through it.
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
  // The path of something nested a hundred times over helps nobody.
  const place = path.length > 60 ? `${path.slice(0, 57)}...` : path;
  return new CaucusError('E_REFUSED', `cannot publish: ${place}: expected ${expected}, found ${found}`);
}
