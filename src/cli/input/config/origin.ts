import { BadInput } from '../../../core/index.ts';
import { Refusal } from '../refusal.ts';
import type { Given } from './sources.ts';

/** An error names its source: a line of a file with the field as it is spelled there, or a flag or variable. */
export function told<T>({ from, name, at }: Given, field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    const { path, expected, found } = error;
    const rest = path.startsWith(field) ? path.slice(field.length) : '';
    if (at === undefined) throw new Refusal(`${from}: expected ${expected}, found ${found}`);
    throw new Refusal(`${at(path)}: ${name ?? field}${rest}: expected ${expected}, found ${found}`);
  }
}
