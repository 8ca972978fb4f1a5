import { assert } from '../core/index.ts';

/** JSON with the fields of every object in order: equal data, equal text. The whole of it makes a key, nothing is left out. */
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

/** What JSON would drop or bend (undefined, NaN) would make different states look alike, so it is refused. */
function scalarText(value: unknown): string {
  const plain =
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value));
  assert(plain, `${String(value)} is not plain data`);
  return JSON.stringify(value);
}
