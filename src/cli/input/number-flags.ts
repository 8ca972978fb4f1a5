import { integer, type Shape } from '../../core/index.ts';

const HIGHEST_PORT = 65_535;

/** A number that a flag gives, or null without the flag. */
export function readNumber(text: string | undefined, flag: string, shape: Shape<number>): number | null {
  if (text === undefined) return null;
  return shape.read(/^\d+$/.test(text) ? Number(text) : text, flag);
}

/** A port for a server; 0 is any that is free. */
export function readPort(text: string | undefined, flag: string): number | null {
  return readNumber(text, flag, integer(0, HIGHEST_PORT));
}
