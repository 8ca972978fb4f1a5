import type { Json } from '../../../../src/core/index.ts';

/** Something by its name, as a person would write it. */
export interface Field {
  readonly name: string;
  readonly value: string;
}

const LONGEST = 300;

/** The fields of a record, in its order. */
export function fieldsOf(record: object): Field[] {
  return Object.entries(record as Record<string, Json>).map(([name, value]) => ({
    name: spaced(name),
    value: readable(value),
  }));
}

/** "votedFor" as "voted for" */
function spaced(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

export function readable(value: Json, depth = 0): string {
  if (value === null) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'object') return String(value);
  const isList = Array.isArray(value);
  if (isList && isRow(value)) return `${value[0]}–${value.at(-1)}`;
  const parts = isList
    ? value.map((each: Json) => readable(each, depth + 1))
    : Object.entries(value).map(([name, each]) => `${spaced(name)} ${readable(each, depth + 1)}`);
  if (parts.length === 0) return 'none';
  const text = parts.join(isList && depth > 0 ? ' ' : ', ');
  const whole = depth > 0 && (parts.length > 1 || !isList) ? `(${text})` : text;
  return whole.length > LONGEST ? `${whole.slice(0, LONGEST - 1)}…` : whole;
}

/** Numbers that follow one another, as the ids of many members do. */
function isRow(list: readonly Json[]): boolean {
  return (
    list.length > 3 && list.every((each, i) => typeof each === 'number' && each === (list[0] as number) + i)
  );
}

/** Remembers what was shown of one subject, and returns the fields that changed last. */
export class Changes {
  #subject: unknown = null;
  #values: ReadonlyMap<string, string> = new Map();
  #changed: ReadonlySet<string> = new Set();

  of(subject: unknown, fields: readonly Field[]): ReadonlySet<string> {
    const values = new Map(fields.map(({ name, value }) => [name, value]));
    if (subject !== this.#subject) this.#changed = new Set();
    else {
      const news = fields.filter(({ name, value }) => this.#values.get(name) !== value);
      if (news.length > 0) this.#changed = new Set(news.map(({ name }) => name));
    }
    this.#subject = subject;
    this.#values = values;
    return this.#changed;
  }
}
