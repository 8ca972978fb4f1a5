/** Makes up messages that have the shape of a protocol: valid in every field, by its JSON Schema, and random in all of them. */
import type { Definition, Message } from '../../src/core/index.ts';
import { ID_TITLE, type Schema } from '../../src/core/schema.ts';

const IDS = ['a', 'b', 'c', 'd', 'stranger', 0, 1, Number.MAX_SAFE_INTEGER];
const NUMBERS = [0, 1, 2, 3, 10, 1000, 2 ** 20, 2 ** 32, 2 ** 40, 2 ** 52, Number.MAX_SAFE_INTEGER];
const TEXTS = ['', 'x', 'x'.repeat(200), '\u0000\u001b[2J', '__proto__', 'constructor', '🜂'];
const DECIMALS = ['0', '7', '18446744073709551615'];
/** Some of them look like URLs and are none. */
const URLS = [
  'http://127.0.0.1:9',
  'http://127.0.0.1:9//x//',
  'HTTP://127.0.0.1:9/',
  'http://[::1]:9',
  'http://[::zz]:9',
  'http://127.0.0.1:99999',
  'http://192.0.2.1:9',
  'http://%zz',
];
const ANYTHING = [null, 1, 'x', [], {}, { deep: [1, { a: 2 }] }];

export class Forger {
  readonly #definition: Definition;
  #state: number;

  constructor(definition: Definition, seed: number) {
    this.#definition = definition;
    this.#state = seed;
  }

  message(): Message {
    const [type, shape] = this.pick(
      Object.entries(this.#definition.messages as Record<string, { schema?: Schema }>),
    );
    return { ...(this.#make(shape.schema ?? {}) as object), type };
  }

  pick<T>(list: readonly T[]): T {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return list[Math.floor((this.#state / 2 ** 32) * list.length)]!;
  }

  // biome-ignore lint/suspicious/noExplicitAny: a JSON Schema.
  #make(schema: any): unknown {
    if (schema.title === ID_TITLE) return this.pick(IDS);
    if (schema.anyOf !== undefined) return this.#make(this.pick(schema.anyOf));
    if (schema.enum !== undefined) return this.pick(schema.enum);
    const type = Array.isArray(schema.type) ? this.pick(schema.type) : schema.type;
    switch (type) {
      case 'null':
        return null;
      case 'boolean':
        return this.pick([true, false]);
      case 'integer':
      case 'number': {
        const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
        return this.pick([minimum, ...NUMBERS.filter((each) => each >= minimum && each <= maximum)]);
      }
      case 'string':
        return this.#text(schema);
      case 'array': {
        const { minItems = 0, items = {} } = schema;
        const length = Math.max(minItems, this.pick([0, 1, 2, 3, 50]));
        return Array.from({ length }, () => this.#make(items));
      }
      case 'object':
        return this.#object(schema);
      default:
        return this.pick(ANYTHING);
    }
  }

  #text({ pattern, maxLength = 200 }: { pattern?: string; maxLength?: number }): string {
    const fits = (text: string): boolean =>
      text.length <= maxLength && (pattern === undefined || new RegExp(pattern).test(text));
    return this.pick([...TEXTS, ...URLS, ...DECIMALS, ...IDS.map(String)].filter(fits));
  }

  #object({ properties = {}, required = [] }: { properties?: object; required?: string[] }): object {
    const fields = Object.entries(properties).filter(
      ([name]) => required.includes(name) || this.pick([true, false]),
    );
    return Object.fromEntries(fields.map(([name, each]) => [name, this.#make(each)]));
  }
}
