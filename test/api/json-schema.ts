/** A validator for the part of JSON Schema that the description of the API uses. It refuses what it does not know. */
type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, Schema>>;

const KNOWN = [
  '$ref',
  'type',
  'enum',
  'oneOf',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'minimum',
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
  if (schema.oneOf !== undefined) {
    const fitting = (schema.oneOf as Schema[]).filter(
      (each) => violations(value, each, schemas, path).length === 0,
    );
    if (fitting.length !== 1) wrong(`fits ${fitting.length} of the alternatives`);
  }
  if (schema.type !== undefined) {
    const types = [schema.type].flat() as string[];
    if (!types.some((type) => isOfType(value, type))) wrong(`is not ${types.join(' or ')}`);
  }
  if (schema.enum !== undefined && !(schema.enum as unknown[]).includes(value))
    wrong('is none of the choices');
  if (typeof value === 'number' && typeof schema.minimum === 'number' && value < schema.minimum) {
    wrong(`is below ${schema.minimum}`);
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
      else if (schema.additionalProperties === false) wrong(`has an unknown field ${name}`);
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
