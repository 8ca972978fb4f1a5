/**
 * A validator for the part of JSON Schema that the description of the API uses. It refuses keywords that it does not know. Fields that a schema
 * allows without naming them are refused too: what a member answers has to be described.
 */
type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, Schema>>;

const KNOWN = [
  '$ref',
  'type',
  'enum',
  'anyOf',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'description',
];

/** What is wrong with the value, each with its place; empty if nothing is. */
export function violations(value: unknown, schema: Schema, schemas: Schemas, path = '$'): string[] {
  for (const key of Object.keys(schema)) if (!KNOWN.includes(key)) throw new Error(`unknown keyword ${key}`);
  const found: string[] = [];
  const wrong = (what: string): void => void found.push(`${path}: ${what}, found ${JSON.stringify(value)}`);
  const also = (inner: Schema, at: string, part: unknown): void =>
    void found.push(...violations(part, inner, schemas, at));

  if (schema.$ref !== undefined) {
    const name = String(schema.$ref).replace('#/components/schemas/', '');
    const target = schemas[name];
    if (target === undefined) throw new Error(`no schema ${name}`);
    also(target, path, value);
  }
  if (schema.anyOf !== undefined) {
    const fits = (schema.anyOf as Schema[]).some(
      (each) => violations(value, each, schemas, path).length === 0,
    );
    if (!fits) wrong('fits none of the alternatives');
  }
  if (schema.type !== undefined) {
    const types = [schema.type].flat() as string[];
    if (!types.some((type) => isOfType(value, type))) wrong(`is not ${types.join(' or ')}`);
  }
  if (schema.enum !== undefined && !(schema.enum as unknown[]).includes(value))
    wrong('is none of the choices');
  if (typeof value === 'number') {
    if (value < Number(schema.minimum ?? value)) wrong(`is below ${schema.minimum}`);
    if (value <= Number(schema.exclusiveMinimum ?? value - 1))
      wrong(`is not above ${schema.exclusiveMinimum}`);
    if (value > Number(schema.maximum ?? value)) wrong(`is above ${schema.maximum}`);
  }
  if (typeof value === 'string' && value.length > Number(schema.maxLength ?? value.length))
    wrong(`is longer than ${schema.maxLength}`);
  if (Array.isArray(value)) {
    if (value.length < Number(schema.minItems ?? 0)) wrong(`has fewer than ${schema.minItems} items`);
    if (value.length > Number(schema.maxItems ?? value.length))
      wrong(`has more than ${schema.maxItems} items`);
  }
  if (typeof value === 'string' && schema.pattern !== undefined) {
    if (!new RegExp(String(schema.pattern)).test(value)) wrong(`does not match ${schema.pattern}`);
  }
  if (Array.isArray(value) && schema.items !== undefined) {
    for (const [i, each] of value.entries()) also(schema.items as Schema, `${path}[${i}]`, each);
  }
  if (isOfType(value, 'object')) {
    const fields = value as Record<string, unknown>;
    const properties = (schema.properties ?? {}) as Record<string, Schema>;
    for (const name of (schema.required ?? []) as string[]) if (!(name in fields)) wrong(`lacks ${name}`);
    for (const [name, each] of Object.entries(fields)) {
      const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (inner !== undefined) also(inner, `${path}.${name}`, each);
      else if (typeof schema.additionalProperties === 'object')
        also(schema.additionalProperties as Schema, `${path}.${name}`, each);
      else if (schema.properties !== undefined && schema.additionalProperties !== true)
        wrong(`has an unknown field ${name}`);
    }
  }
  return found;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isSafeInteger(value);
    default:
      return typeof value === type;
  }
}
