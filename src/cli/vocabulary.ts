import type { Definition, Json, MemberId, Message } from '../core/index.ts';

const LONGEST_FIELD = 28;
const MOST_FIELDS = 2;

/** What is needed to speak of one run: who takes part, and what the messages of its protocol mean to a reader. */
export class Vocabulary {
  readonly members: readonly MemberId[];
  readonly #shapes: Definition['messages'];
  readonly #telling: ReadonlySet<string>;
  readonly #isName = new Map<string, boolean>();

  /** `telling` are the types of messages that often make a difference to whoever hears them. */
  constructor(members: readonly MemberId[], definition: Definition, telling: ReadonlySet<string>) {
    this.members = members;
    this.#shapes = definition.messages;
    this.#telling = telling;
  }

  isTelling({ type }: Message): boolean {
    return this.#telling.has(type);
  }

  /** A message's type and the first things it is about: ids, lists, texts; not its counters. */
  describe(message: Message): string {
    const { type, ...fields } = message as Message & Record<string, Json>;
    const told = Object.entries(fields).filter(([name, value]) => {
      if (value === null) return false;
      return typeof value !== 'number' || this.#namesMember(message, name);
    });
    return [type, ...told.slice(0, MOST_FIELDS).map(([, value]) => shorten(value))].join(' ');
  }

  /** A number that stands where a word could stand too is an id; any other is a counter. */
  #namesMember(message: Message, field: string): boolean {
    const key = `${message.type} ${field}`;
    let known = this.#isName.get(key);
    if (known === undefined) {
      const { type, ...fields } = message;
      known = accepts(() => this.#shapes[type]?.read({ ...fields, [field]: 'a' }, ''));
      this.#isName.set(key, known);
    }
    return known;
  }
}

function accepts(read: () => unknown): boolean {
  try {
    return read() !== undefined;
  } catch {
    return false;
  }
}

export function shorten(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_FIELD ? `${text.slice(0, LONGEST_FIELD - 1)}…` : text;
}
