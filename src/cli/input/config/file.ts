import { asObject, BadInput, refuseUnknown } from '../../../core/index.ts';
import { inputName, readDocument } from '../read-input.ts';
import { Refusal } from '../refusal.ts';
import { FIELDS } from './fields.ts';
import type { Given, Source } from './sources.ts';

const GROUPS = ['timing', 'options'];
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+|\n/g;

/** Reads a config file: the fields of FIELDS, and the groups `timing` and `options` of the protocol. */
export async function fromFile(file: string): Promise<Source> {
  const { value, text } = await readDocument(file);
  const lines = fieldLines(text);
  const at = (field: string): string => `${inputName(file)} line ${lines.get(field) ?? 1}`;
  try {
    const found = asObject(value, '');
    if ('engine' in found)
      throw new Refusal(
        `${at('engine')}: engine: expected it as --engine, without a file; a file is about members`,
      );
    refuseUnknown(found, { ...FIELDS, timing: null, options: null }, '');
    const source = new Map<string, Given>();
    for (const [field, given] of Object.entries(found)) {
      if (!GROUPS.includes(field)) {
        source.set(field, { value: given, from: at(field), at });
        continue;
      }
      for (const [name, each] of Object.entries(asObject(given, field))) {
        source.set(`${field}.${name}`, { value: each, from: at(`${field}.${name}`), at });
      }
    }
    return source;
  } catch (error) {
    if (error instanceof BadInput) throw new Refusal(`${at(error.path)}: ${error.message}`);
    throw error;
  }
}

/**
 * The line on which each field of a JSON text begins, by its path (`peers[1].url`). The text is known to be valid
 * JSON.
 */
export function fieldLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  /** For each open object or list: its path, and in a list the index of the next item. */
  const open: { path: string; index: number | null; name: string | null }[] = [];
  let line = 1;
  const here = (): string => {
    const top = open.at(-1);
    if (top === undefined) return '';
    if (top.index !== null) return `${top.path}[${top.index}]`;
    return top.path === '' ? (top.name ?? '') : `${top.path}.${top.name}`;
  };
  for (const [token] of text.matchAll(TOKEN)) {
    const top = open.at(-1);
    if (token === '\n') line++;
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') {
      if (top?.index !== null && top !== undefined) top.index++;
      else if (top !== undefined) top.name = null;
    } else if (token === ':') continue;
    else if (top !== undefined && top.index === null && top.name === null) {
      top.name = JSON.parse(token);
      lines.set(here(), line);
    } else {
      if (top !== undefined && top.index !== null) lines.set(here(), line);
      if (token === '{') open.push({ path: here(), index: null, name: null });
      if (token === '[') open.push({ path: here(), index: 0, name: null });
    }
  }
  return lines;
}
