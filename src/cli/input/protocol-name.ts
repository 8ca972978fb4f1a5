import type { Definition } from '../../core/index.ts';
import { catalogue } from '../../protocols/index.ts';
import { Refusal } from './refusal.ts';

/** The protocol that a flag, a variable or a file names; `path` says which. */
export function readProtocolName(name: string, path: string): Definition {
  if (Object.hasOwn(catalogue, name)) return catalogue[name]!;
  const known = Object.keys(catalogue).join(', ');
  throw new Refusal(`${path}: expected one of ${known}, found ${JSON.stringify(name)}`);
}
