import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { show } from '../../core/index.ts';
import { Refusal } from './refusal.ts';

/** A document, and the line on which each of its parts begins, by path (`peers[1].url`). */
export interface Located {
  readonly value: unknown;
  readonly lines: ReadonlyMap<string, number>;
}

const DEEPEST = 100;
/** Aliases can multiply: a short text may stand for a huge document. */
const MOST_NODES = 10_000;
/** `- - - -` opens one level with each mark. */
const NESTED_MARKS: RegExp = new RegExp(`^[ \\t]*(?:[-?:][ \\t]+){${DEEPEST}}`, 'm');

/**
 * Reads YAML 1.2 (core schema), of which JSON is a part. An error has a line and a column.
 *
 * Two things differ from the usual reading. A value that is not quoted stays a text where `isText` says so: an id
 * `1e3` is not the number 1000. And a mapping whose keys are themselves mappings without a value is read as one
 * mapping: seed 002 writes a voter as `{{"voterId":"a"},{"voterUrl":"http://…"}}`.
 */
export function parseYaml(text: string, isText: (key: string) => boolean = () => false): Located {
  refuseDepth(text);
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter, logLevel: 'silent', prettyErrors: true });
  const [document, ...others] = documents;
  if (document === undefined) return { value: null, lines: new Map() };
  const wrong = document.errors[0] ?? document.warnings[0];
  if (wrong !== undefined) {
    const { line, col } = lineCounter.linePos(wrong.pos[0]);
    fail(line, col, firstLine(wrong.message));
  }
  if (others.length > 0) {
    const { line, col } = lineCounter.linePos(others[0]!.range[0]);
    fail(line, col, `expected one document, found ${documents.length}`);
  }
  const walk = new Walk(lineCounter, isText, (alias) => alias.resolve(document));
  return { value: walk.value(document.contents, '', false, 0), lines: walk.lines };
}

class Walk {
  readonly lines = new Map<string, number>();
  readonly #counter: LineCounter;
  readonly #isText: (key: string) => boolean;
  readonly #resolve: (alias: Alias) => Node | undefined;
  #nodes = 0;

  constructor(
    counter: LineCounter,
    isText: (key: string) => boolean,
    resolve: (alias: Alias) => Node | undefined,
  ) {
    this.#counter = counter;
    this.#isText = isText;
    this.#resolve = resolve;
  }

  value(node: Node | null, path: string, asText: boolean, depth: number): unknown {
    this.#nodes += 1;
    if (depth > DEEPEST) this.#fail(node, `expected at most ${DEEPEST} levels, found more`);
    if (this.#nodes > MOST_NODES) this.#fail(node, `expected at most ${MOST_NODES} values, found more`);
    if (isAlias(node)) {
      const found = this.#resolve(node);
      if (found === undefined) this.#fail(node, `expected an anchor &${node.source} before it, found none`);
      return this.value(found, path, asText, depth + 1);
    }
    if (isMap(node)) return this.#map(node, path, depth);
    if (isSeq(node)) {
      return node.items.map((item, i) => {
        this.#note(`${path}[${i}]`, item as Node);
        return this.value(item as Node, `${path}[${i}]`, false, depth + 1);
      });
    }
    return isScalar(node) ? scalarValue(node, asText) : null;
  }

  #map(map: YAMLMap, path: string, depth: number): Record<string, unknown> {
    // No prototype: a key may be `__proto__`.
    const found: Record<string, unknown> = Object.create(null);
    for (const pair of map.items as Pair<ParsedNode, ParsedNode | null>[]) {
      for (const [key, value] of this.#entries(pair, path, depth)) {
        if (Object.hasOwn(found, key))
          this.#fail(pair.key, `expected each name once, found ${show(key)} again`);
        found[key] = value;
      }
    }
    return found;
  }

  #entries(
    { key, value }: Pair<ParsedNode, ParsedNode | null>,
    path: string,
    depth: number,
  ): [string, unknown][] {
    if (isMap(key) && (value === null || (isScalar(value) && value.value === null)))
      return Object.entries(this.#map(key, path, depth + 1));
    if (!isScalar(key)) this.#fail(key, 'expected a name, found a list or a mapping');
    const name = String(key.source ?? key.value);
    const at = path === '' ? name : `${path}.${name}`;
    this.#note(at, key);
    return [[name, this.value(value, at, this.#isText(name), depth + 1)]];
  }

  #note(path: string, node: Node): void {
    const at = node.range?.[0];
    if (at !== undefined) this.lines.set(path, this.#counter.linePos(at).line);
  }

  #fail(node: Node | null, message: string): never {
    const { line, col } = this.#counter.linePos(node?.range?.[0] ?? 0);
    fail(line, col, message);
  }
}

/** A value that is meant as a text is what was written, and not the number or truth value that it looks like. */
function scalarValue({ value, source }: Scalar, asText: boolean): unknown {
  return asText && value !== null && source !== undefined ? source : value;
}

/** The library works recursively: nesting is bounded before it reads the text. Brackets in quotes count too. */
function refuseDepth(text: string): void {
  let depth = 0;
  for (const { 0: bracket, index } of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > DEEPEST) failAt(text, index, `expected at most ${DEEPEST} levels, found more`);
    if (depth < 0) depth = 0;
  }
  const marks = NESTED_MARKS.exec(text);
  if (marks !== null) failAt(text, marks.index, `expected at most ${DEEPEST} levels, found more`);
}

function failAt(text: string, index: number, message: string): never {
  const before = text.slice(0, index).split('\n');
  fail(before.length, before.at(-1)!.length + 1, message);
}

/** The library ends its message with the place and an excerpt of several lines. */
function firstLine(message: string): string {
  const [first] = message.split('\n');
  return first!.replace(/ at line \d+, column \d+:?$/, '').replace(/^./, (letter) => letter.toLowerCase());
}

function fail(line: number, column: number, message: string): never {
  throw new Refusal(`not YAML: line ${line}, column ${column}: ${message}`);
}
