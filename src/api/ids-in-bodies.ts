import { asObject, BadInput, join, parseId } from '../core/index.ts';

/** The fields of a body, with an absent body taken for an empty one. */
export function fieldsOf(body: unknown): Record<string, unknown> {
  return body === undefined ? {} : asObject(body, '');
}

/** Refuses what a command does not know, so that a misspelt field never passes for an absent one. */
export function onlyFields(fields: Record<string, unknown>, known: readonly string[]): void {
  for (const key of Object.keys(fields)) {
    if (known.includes(key)) continue;
    const expected = known.length === 0 ? 'no fields' : `one of the fields ${known.join(', ')}`;
    throw new BadInput(join('', key), expected, 'an unknown field');
  }
}

/** The fields of messages that name voters. */
const NAMING = ['leader', 'winner', 'candidate', 'voters', 'knownVoters', 'offline', 'configured'];

/** A message whose sender may have written numbers as text. What is no id at all stays as it is, for its shape to refuse. */
export function withIds(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const read = (value: unknown): unknown => (typeof value === 'string' ? parseId(value) : value);
  const result: Record<string, unknown> = { ...fields };
  for (const name of NAMING) {
    const value = result[name];
    if (value !== undefined) result[name] = Array.isArray(value) ? value.map(read) : read(value);
  }
  return result;
}
