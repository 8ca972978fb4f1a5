import type { Definition, Json, MemberId, Message, Shape } from '../core/index.ts';
import type { Habits } from './habits.ts';

const LONGEST_FIELD = 28;
const MOST_FIELDS = 2;

type Fields = Readonly<Record<string, Json>>;

/** What is needed to describe one run: its members, and which messages of its protocol matter to a reader. */
export class Vocabulary {
  readonly members: readonly MemberId[];
  readonly habits: Habits;
  readonly #shapes: Readonly<Record<string, Shape<unknown>>>;
  readonly #telling = new Map<string, boolean>();
  readonly #takesWords = new Map<Shape<unknown>, boolean>();

  constructor(members: readonly MemberId[], definition: Definition, habits: Habits) {
    this.members = members;
    this.habits = habits;
    this.#shapes = definition.messages;
  }

  /** Does it often make a difference? Other messages are shown only if there is nothing else. */
  isTelling({ type }: Message): boolean {
    let known = this.#telling.get(type);
    if (known === undefined) {
      known = this.habits.isTelling(type);
      this.#telling.set(type, known);
    }
    return known;
  }

  /** A message's type and its first important fields: ids, lists, texts; not its counters. */
  describe(message: Message): string {
    const { type, ...fields } = message as Message & Fields;
    const parts = this.#tell(fields, this.#shapes[type]);
    // A list, most often of members, is shown only if there is nothing else.
    const words = parts.filter((part) => !Array.isArray(part));
    return withParts(type, (words.length > 0 ? words : parts).slice(0, MOST_FIELDS));
  }

  /** All of it, its counters by name: for a forged message. */
  describeFully(message: Message): string {
    const { type, ...fields } = message as Message & Fields;
    const shape = this.#shapes[type];
    const parts = Object.entries(fields).flatMap(([name, value]) => {
      const told = this.#tell({ [name]: value }, shape);
      return told.length > 0 ? told : [`${name} ${shorten(value)}`];
    });
    return withParts(type, parts);
  }

  #tell(fields: Fields, shape: Shape<unknown> | undefined): Json[] {
    return Object.entries(fields).flatMap(([name, value]) =>
      this.#tellField(name, value, shape?.fields?.[name]),
    );
  }

  #tellField(name: string, value: Json, shape: Shape<unknown> | undefined): readonly Json[] {
    if (value === null) return [];
    if (typeof value === 'boolean') return [value ? name : `not ${name}`];
    if (typeof value === 'string') return [value];
    if (Array.isArray(value)) return value.length === 0 ? [] : [value];
    if (typeof value === 'object' && shape?.fields !== undefined)
      return this.#tell(value as Fields, shape).filter((part) => !this.#isEverybody(part));
    return this.#takes(shape) ? [value] : [];
  }

  /** A number in a field that could also be a word is an id or a value of the user; any other is a counter. */
  #takes(shape: Shape<unknown> | undefined): boolean {
    if (shape === undefined) return false;
    let known = this.#takesWords.get(shape);
    if (known === undefined) {
      known = accepts(() => shape.read('a', ''));
      this.#takesWords.set(shape, known);
    }
    return known;
  }

  #isEverybody(part: Json): boolean {
    return (
      Array.isArray(part) &&
      part.length === this.members.length &&
      this.members.every((id) => part.includes(id))
    );
  }
}

function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** "election(5,2,3)", or with brackets if a list stands beside another field: "register/answer(follower, [2,3])" */
function withParts(type: string, parts: readonly Json[]): string {
  if (parts.length === 0) return type;
  const words = parts.map((part) => (parts.length > 1 ? shorten(part) : listWords(part)));
  return `${type}(${words.join(', ')})`;
}

function listWords(part: Json): string {
  const isPlain = Array.isArray(part) && part.every((each) => typeof each !== 'object');
  return isPlain ? shorten(part.join(',')) : shorten(part);
}

export function shorten(value: Json): string {
  const isPlain = Array.isArray(value) && value.every((each) => typeof each !== 'object');
  const text = isPlain ? `[${value.join(',')}]` : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_FIELD ? `${text.slice(0, LONGEST_FIELD - 1)}…` : text;
}
