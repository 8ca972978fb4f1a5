import { show } from '../../core/index.ts';
import { Refusal } from './refusal.ts';

const DEEPEST = 100;
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Reads JSON. The errors of JSON.parse differ between versions of Node.js and often lack the place, so the text is
 * checked first: an error has a line and a column, a duplicate field is an error too, and the nesting is bounded, so
 * that later recursion cannot overflow the stack.
 */
export function parseJson(text: string): unknown {
  new Walk(text).document();
  return JSON.parse(text);
}

class Walk {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value(0);
    if (this.#next() !== '') this.#fail('the end of the text');
  }

  #value(depth: number): void {
    if (depth > DEEPEST) this.#fail(`at most ${DEEPEST} levels`, 'a deeper one');
    switch (this.#next()) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
        this.#string();
        return;
      default:
        if (!this.#skip(WORD)) this.#fail('a value');
    }
  }

  #object(depth: number): void {
    const names = new Set<string>();
    this.#at++;
    if (this.#take('}')) return;
    do {
      if (this.#next() !== '"') this.#fail('a name in double quotes');
      const start = this.#at;
      const name = this.#string();
      if (names.has(name)) this.#fail('each name once', `${show(name)} again`, start);
      names.add(name);
      if (!this.#take(':')) this.#fail('a colon');
      this.#value(depth + 1);
    } while (this.#take(','));
    if (!this.#take('}')) this.#fail('a comma or }');
  }

  #array(depth: number): void {
    this.#at++;
    if (this.#take(']')) return;
    do this.#value(depth + 1);
    while (this.#take(','));
    if (!this.#take(']')) this.#fail('a comma or ]');
  }

  #string(): string {
    const start = this.#at++;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (Number.isNaN(code))
        this.#fail('the end of the string that began here', 'the end of the text', start);
      if (code < 0x20) this.#fail('the end of the string before the end of the line', 'a control character');
      if (code === 0x5c) {
        if (!this.#skip(ESCAPE)) this.#fail('an escape that JSON knows');
        continue;
      }
      this.#at++;
      if (code === 0x22) return JSON.parse(this.#text.slice(start, this.#at));
    }
  }

  /** The next character that is not white space, without consuming it; empty at the end. */
  #next(): string {
    for (;;) {
      const char = this.#text.charAt(this.#at);
      if (char !== ' ' && char !== '\n' && char !== '\r' && char !== '\t') return char;
      this.#at++;
    }
  }

  #take(char: string): boolean {
    if (this.#next() !== char) return false;
    this.#at++;
    return true;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #fail(expected: string, found?: string, at = this.#at): never {
    const before = this.#text.slice(0, at).split('\n');
    const rest = /^[\w.+-]+|^./u.exec(this.#text.slice(at, at + 40))?.[0];
    const what = found ?? (rest === undefined ? 'the end of the text' : show(rest));
    const place = `line ${before.length}, column ${before.at(-1)!.length + 1}`;
    throw new Refusal(`not JSON: ${place}: expected ${expected}, found ${what}`);
  }
}
