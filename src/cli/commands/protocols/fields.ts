import { BadInput, type Shape } from '../../../core/index.ts';

/** The fields of a message and what is expected of each, those of a record inside it by their path: "age.term". */
export function fieldsOf(shape: Shape<unknown>, path = ''): [name: string, expected: string][] {
  return Object.entries(shape.fields ?? {}).flatMap(([name, field]) => {
    const here = `${path}${name}`;
    const inside = fieldsOf(field, `${here}.`);
    const isPlainRecord = inside.length > 0 && !accepts(field, null) && !accepts(field, undefined);
    const left = accepts(field, undefined) ? ' (may be left out)' : '';
    return isPlainRecord ? inside : [[here, `${field.expected}${left}`], ...inside];
  });
}

function accepts(shape: Shape<unknown>, value: unknown): boolean {
  try {
    shape.read(value, '');
    return true;
  } catch (error) {
    if (error instanceof BadInput) return false;
    throw error;
  }
}
