/** What is known of a protocol is in its folder: nothing outside names one of its messages, and few places name a protocol. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../src/protocols/index.ts';

const root = path.resolve(import.meta.dirname, '..');

type Exceptions = readonly [where: RegExp, reason: string][];

/** Types of messages that are words of the contract too: only where a message is compared with one is it sure to be meant. */
const ORDINARY: Readonly<Record<string, string>> = {
  leader: 'a role, and who an event of a scenario is about',
  resign: 'a command',
  transfer: 'a command',
  remove: 'a command',
  vote: 'a kind of message, and what a protocol reads a message as',
  'keep-alive': 'a kind of message',
  election: 'the name of an option, and of a kind of message',
  term: 'the word for the number of an election round',
  status: 'a path of the HTTP API',
  copy: 'what a scenario does with a message',
  elected: 'an event of a log',
  ok: 'a result',
  probe: 'a question over a connection, whether the process behind it answers',
};

const MAY_NAME_MESSAGES: Exceptions = [
  [
    /^src\/(member\/http|api)\//,
    'seed 002 sets the paths of the HTTP API; draw names its messages after them',
  ],
  [
    /^src\/simulation\/swarm\/schedules\.ts$/,
    'schedules are scenarios, and hold or drop messages by their type',
  ],
  [
    /^src\/simulation\/swarm\/deputy-storms\//,
    'these storms are about deputies, and lose and delay their messages',
  ],
  [/^verify\/storms\.ts$/, 'it counts how often deputies were answered'],
  [/^verify\/hostile\//, 'an attacker that knows the protocol forges its messages'],
  [/^bench\//, 'a benchmark counts or sends the messages of one protocol'],
];

const MAY_NAME_PROTOCOLS: Exceptions = [
  [/^src\/simulation\/scenario\.ts$/, 'the default of scenario files, a part of their format'],
  [/^src\/testing\/options\.ts$/, 'the default of clusters in memory'],
  [
    /^playground\/src\/(app|game|pages|race|run|challenges|gallery)\//,
    'what a visitor sees first, and scenarios of one protocol',
  ],
  [/^verify\//, 'its list of subjects, and what is verified of each'],
  [/^bench\//, 'a benchmark is about one protocol'],
];

/** Names of protocols that are other words too: only where a protocol is compared with one is it sure to be meant. */
const ORDINARY_NAMES: Readonly<Record<string, string>> = {
  draw: 'an effect',
  epoch: 'the word of some protocols for a term',
};

interface Source {
  readonly file: string;
  /** Without comments, which may name anything. */
  readonly lines: readonly string[];
}

function readSources(): Source[] {
  return ['src', 'playground/src', 'verify', 'bench'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|mjs|svelte)$/.test(name))
      .map((name) => path.join(folder, name))
      .filter((file) => !file.startsWith(path.join('src', 'protocols')))
      .map((file) => {
        const text = readFileSync(path.join(root, file), 'utf8');
        const code = text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, (comment) =>
          comment.replace(/[^\n]/g, ''),
        );
        return { file: file.split(path.sep).join('/'), lines: code.split('\n') };
      }),
  );
}

/** The places that name one of these as a string, in front of which stands what is asked for. */
function naming(
  sources: readonly Source[],
  names: ReadonlySet<string>,
  before = '',
): { file: string; found: string }[] {
  const pattern = new RegExp(`${before}['\`]([a-z]+(?:[-/][a-z]+)*)['\`]`, 'g');
  return sources.flatMap(({ file, lines }) =>
    lines.flatMap((line, i) =>
      [...line.matchAll(pattern)]
        .filter((match) => names.has(match[1]!))
        .map((match) => ({ file, found: `${file}:${i + 1} names ${match[1]}` })),
    ),
  );
}

function unexcused(found: readonly { file: string; found: string }[], exceptions: Exceptions): string[] {
  return found
    .filter(({ file }) => !exceptions.some(([where]) => where.test(file)))
    .map((each) => each.found);
}

describe('what is known of a protocol', () => {
  const sources = readSources();
  const definitions = Object.values(catalogue);
  const types = definitions.flatMap((each) => [
    ...Object.keys(each.messages),
    ...(each.formerMessages ?? []),
  ]);

  it('is not the names of its messages, outside of its folder', () => {
    const names = new Set(types.filter((type) => !Object.hasOwn(ORDINARY, type)));
    expect(names.size).toBeGreaterThan(20);
    expect(unexcused(naming(sources, names), MAY_NAME_MESSAGES)).toEqual([]);
    const compared = naming(sources, new Set(types), String.raw`message\.type [!=]== `);
    expect(unexcused(compared, MAY_NAME_MESSAGES)).toEqual([]);
  });

  it('is not its name, but for defaults and what is about one protocol', () => {
    const names = new Set(Object.keys(catalogue).filter((name) => !Object.hasOwn(ORDINARY_NAMES, name)));
    expect(unexcused(naming(sources, names), MAY_NAME_PROTOCOLS)).toEqual([]);
    const compared = naming(sources, new Set(Object.keys(catalogue)), '(?:protocol|name) [!=]== ');
    expect(unexcused(compared, MAY_NAME_PROTOCOLS)).toEqual([]);
  });

  it('has no exception that is not needed', () => {
    expect(Object.keys(ORDINARY).filter((word) => !types.includes(word))).toEqual([]);
    expect(Object.keys(ORDINARY_NAMES).filter((word) => !Object.hasOwn(catalogue, word))).toEqual([]);
    const messages = naming(sources, new Set(types));
    const names = naming(sources, new Set(Object.keys(catalogue)));
    const unused = (exceptions: Exceptions, found: readonly { file: string }[]): string[] =>
      exceptions
        .filter(([where]) => !found.some(({ file }) => where.test(file)))
        .map(([where]) => where.source);
    expect(unused(MAY_NAME_MESSAGES, messages)).toEqual([]);
    expect(unused(MAY_NAME_PROTOCOLS, names)).toEqual([]);
  });
});

/** The names of the parameters of each function of a file; a destructured one is called by its type. */
function* signatures(text: string): Generator<{ name: string; parameters: readonly string[] }> {
  for (const match of text.matchAll(/\bfunction (\w+)(?:<[^(]*>)?\(([\s\S]*?)\)(?:: [^{]+)? \{\n/g)) {
    const plain = match[2]!.replace(/\{[^}]*\}: (\w+)(<[^>]*>)?/g, '$1: $1').replace(/<[^>]*>/g, '');
    const parameters = plain.split(',').map((each) => each.trim().split(/[:? ]/)[0]!);
    yield { name: match[1]!, parameters: parameters.filter((each) => each !== '') };
  }
}

describe('the functions of a protocol', () => {
  const folder = path.join(root, 'src/protocols');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const functions = files.flatMap((file) =>
    [...signatures(readFileSync(path.join(folder, file), 'utf8'))].map((each) => ({ file, ...each })),
  );

  it('that have effects take (s, from, m, rules, out) in this order', () => {
    const handlers = functions.filter(({ parameters }) => parameters.includes('out'));
    expect(handlers.length).toBeGreaterThan(200);
    const wrong = handlers.filter(({ name, parameters }) => {
      const at = (parameter: string): number => parameters.indexOf(parameter);
      const last = parameters.length - 1;
      const settings = Math.max(at('rules'), at('times'));
      if (at('out') !== last || at('s') > 0 || at('from') > 1) return true;
      if (settings >= 0 && settings !== last - 1) return true;
      return name.startsWith('on') && parameters.includes('message');
    });
    expect(wrong.map(({ file, name, parameters }) => `${file}: ${name}(${parameters.join(', ')})`)).toEqual(
      [],
    );
  });
});
