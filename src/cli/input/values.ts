/** Flags and variables are texts: these functions convert them to values that shapes check. */
import { integer, type Json, type MemberId, parseId, type Shape } from '../../core/index.ts';
import { Refusal } from './refusal.ts';

const HIGHEST_PORT = 65_535;

/** Text that is not a plain decimal number is unchanged: the shape refuses it, and shows it. */
export function asNumber(text: string): number | string {
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

export function readNumber(text: string, path: string, shape: Shape<number>): number {
  return shape.read(asNumber(text), path);
}

/** The same for a flag that may be missing. */
export function readNumberOr<T>(
  text: string | undefined,
  path: string,
  shape: Shape<number>,
  otherwise: T,
): number | T {
  return text === undefined ? otherwise : readNumber(text, path, shape);
}

/** A port for a server; 0 is any free one. */
export function readPort(text: string | undefined, flag: string): number | null {
  return readNumberOr(text, flag, integer(0, HIGHEST_PORT), null);
}

/** JSON if it parses, else a text. */
export function asJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The two sides of `name=value`. */
export function readPair(pair: string, flag: string): readonly [name: string, value: string] {
  const at = pair.indexOf('=');
  if (at < 1) throw new Refusal(`${flag}: expected name=value, found ${JSON.stringify(pair)}`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

/** For a flag that can be repeated. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
];

/** The refusal of a flag whose value was given before, by this flag or by another one. */
export function tooMany(flag: string, before: string): string {
  return flag === before
    ? `${flag}: expected it once, found it again`
    : `${flag}: expected it or ${before}, found both`;
}

/** A number of members, or their ids separated by commas. */
export function readMembers(text: string): number | readonly MemberId[] {
  const ids = text.split(',').map((id) => parseId(id.trim()));
  const [first] = ids;
  if (/^[+-]?[\d.]+(?:e[+-]?\d+)?$/i.test(text) && typeof first !== 'number') {
    throw new Refusal(
      `--members: expected a whole number, or ids separated by commas, found ${JSON.stringify(text)}`,
    );
  }
  return ids.length === 1 && typeof first === 'number' ? first : ids;
}
