import { parseId } from './ids.ts';

/** The part of JSON Schema (2020-12) that shapes use to describe themselves to programs in other languages. */
export interface Schema {
  /** The name under which a document defines it once. */
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** False: no other fields. A schema: every other field has it. */
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
}

/** The title of a member id, in all schemas. */
export const ID_TITLE = 'Id';

/**
 * Parses ids that the sender may have written as text, such as `"12"` for 12. Values that are no ids are unchanged,
 * and the shape refuses them.
 */
export function withParsedIds(value: unknown, schema: Schema): unknown {
  if (schema.title === ID_TITLE) return typeof value === 'string' ? parseId(value) : value;
  if (schema.anyOf !== undefined)
    return schema.anyOf.reduce((result, each) => withParsedIds(result, each), value);
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((each) => withParsedIds(each, items));
  }
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return value;
  const result: Record<string, unknown> = { ...value };
  for (const [name, field] of Object.entries(schema.properties)) {
    if (Object.hasOwn(result, name)) result[name] = withParsedIds(result[name], field);
  }
  return result;
}
