import { asObject, BadInput, refuseUnknown } from '../../../core/index.ts';
import { inputName, readDocument } from '../read-input.ts';
import { Refusal } from '../refusal.ts';
import { FIELDS } from './fields.ts';
import { fieldLines } from './lines.ts';
import type { Given, Source } from './sources.ts';

const GROUPS = ['timing', 'options'];

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
