import { type Definition, readSettings, type Settings } from '../core/index.ts';
import { catalogue } from '../protocols/index.ts';
import type { Paint } from './colours.ts';
import { readProtocolName } from './flags.ts';
import { pageOf } from './page.ts';
import { nameProperty } from './property-names.ts';
import { wrap } from './wrap.ts';

/** Lists the elections, or describes one of them with everything that can be set. */
export function protocolsCommand(name: string | undefined, { json = false }: { json?: boolean }): void {
  const chosen = name === undefined ? Object.values(catalogue) : [readProtocolName(name, 'NAME')];
  if (json) {
    const described = chosen.map(describe);
    process.stdout.write(`${JSON.stringify(name === undefined ? described : described[0], null, 2)}\n`);
  } else {
    process.stdout.write(`${name === undefined ? listText() : detailText(chosen[0]!)}\n`);
  }
}

/** Every election with its summary, for help texts. */
export function protocolLines(columns: number): string[] {
  const indent = Math.max(...Object.keys(catalogue).map((name) => name.length)) + 4;
  return Object.values(catalogue).flatMap(({ name, summary }) => {
    const [first, ...more] = wrap(summary, columns - indent, 0);
    return [`  ${name.padEnd(indent - 2)}${first}`, ...more.map((each) => `${' '.repeat(indent)}${each}`)];
  });
}

function listText(): string {
  return [
    ...protocolLines(pageOf(process.stdout, process.env).columns),
    '',
    'Timing, options and promises of one: caucus protocols NAME',
  ].join('\n');
}

function describe(definition: Definition): object {
  const { name, summary, timing, options, messages, commands } = definition;
  return {
    name,
    summary,
    promises: pledgesOf(definition),
    timing: describeSettings(timing),
    options: describeSettings(options),
    messages: Object.keys(messages),
    commands,
  };
}

function describeSettings(settings: Settings): object {
  const entries = Object.entries(settings).map(([name, each]) => [
    name,
    { default: each.default, expected: each.shape.expected, about: each.about },
  ]);
  return Object.fromEntries(entries);
}

/** What it promises as long as nothing is set. */
function pledgesOf(definition: Definition): ReturnType<Definition['create']>['pledges'] {
  const timing = readSettings(definition.timing, undefined, 'timing');
  const options = readSettings(definition.options, undefined, 'options');
  return definition.create({ timing, options }).pledges;
}

function detailText(definition: Definition): string {
  const { name, summary, timing, options, messages, commands } = definition;
  const { paint } = pageOf(process.stdout, process.env);
  const pledges = pledgesOf(definition);
  const width = Math.max(...pledges.map(({ property }) => property.length), 0);
  const promises = pledges.map(({ property, assuming }) => {
    const under = assuming.length === 0 ? '' : `  (assuming ${assuming.join(', ')})`;
    return `  ${property.padEnd(width)}  ${nameProperty(property)}${under}`;
  });
  return [
    `${paint(name, 'bold')}: ${summary}`,
    '',
    paint('promises, with nothing set', 'bold'),
    ...(promises.length === 0 ? ['  none: best effort'] : promises),
    ...settingsText('timing', timing, paint),
    ...settingsText('options', options, paint),
    '',
    paint('messages', 'bold'),
    `  ${Object.keys(messages).join(', ')}`,
    '',
    paint('commands', 'bold'),
    `  ${commands.length === 0 ? 'none' : commands.join(', ')}`,
  ].join('\n');
}

function settingsText(title: string, settings: Settings, paint: Paint): string[] {
  const entries = Object.entries(settings);
  if (entries.length === 0) return [];
  const lines = entries.flatMap(([name, { shape, default: value, about }]) => [
    `  ${paint(name, 'bold')}: ${about}`,
    `    ${shape.expected}; default ${JSON.stringify(value)}`,
  ]);
  return ['', paint(title, 'bold'), ...lines];
}
