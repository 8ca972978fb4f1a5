import {
  BadInput,
  type Definition,
  memberId,
  natural,
  type Pledge,
  type Settings,
  type Shape,
} from '../../../core/index.ts';
import { explained } from '../../../protocols/explained.ts';
import { catalogue } from '../../../protocols/index.ts';
import { nameProperty, pledgesOf, pledgesWith } from '../../../story/index.ts';
import { effectiveTiming } from '../../input/config/effective-timing.ts';
import { readProtocolName } from '../../input/protocol-name.ts';
import { type Page, pageOf } from '../../terminal/page.ts';
import { wrap } from '../../terminal/wrap.ts';

/** Lists the protocols, or describes one of them with all its settings. */
export function protocolsCommand(name: string | undefined, { json = false }: { json?: boolean }): void {
  const chosen = name === undefined ? Object.values(catalogue) : [readProtocolName(name, 'NAME')];
  const page = pageOf(process.stdout, process.env);
  if (json) {
    const described = chosen.map(describe);
    process.stdout.write(`${JSON.stringify(name === undefined ? described : described[0], null, 2)}\n`);
  } else {
    const lines = name === undefined ? listLines(page) : detailLines(chosen[0]!, page);
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}

/** Every protocol with its summary. */
function protocolLines(columns: number): string[] {
  const indent = Math.max(...Object.keys(catalogue).map((name) => name.length)) + 4;
  return Object.values(catalogue).flatMap(({ name, summary }) => {
    const [first, ...more] = wrap(summary, columns - indent, 0);
    return [`  ${name.padEnd(indent - 2)}${first}`, ...more.map((each) => `${' '.repeat(indent)}${each}`)];
  });
}

function listLines({ columns }: Page): string[] {
  return [
    ...protocolLines(columns),
    '',
    'Timing, options, promises and messages of one: caucus protocols NAME',
  ];
}

function describe(definition: Definition): object {
  const { name, summary, timing, options, memberSettings = {}, messages, commands } = definition;
  return {
    name,
    summary,
    promises: pledgesOf(definition),
    promisesWith: Object.fromEntries(pledgesWith(definition)),
    timing: describeSettings(timing),
    options: describeSettings(options),
    memberSettings: describeSettings(memberSettings),
    messages: Object.fromEntries(
      Object.entries(messages).map(([type, shape]) => [type, Object.fromEntries(fieldsOf(shape))]),
    ),
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

function detailLines(definition: Definition, page: Page): string[] {
  const { name, summary, timing, options, memberSettings = {}, commands } = definition;
  const { paint } = page;
  return [
    paint(name, 'bold'),
    ...hanging(summary, 2, page),
    ...promiseLines(definition, page),
    ...settingLines('timing', timing, page),
    ...presetLines(definition, page),
    ...settingLines('options', options, page),
    ...settingLines('settings of each member', memberSettings, page),
    ...messageLines(definition, page),
    '',
    paint('commands', 'bold'),
    `  ${commands.length === 0 ? 'none' : commands.join(', ')}`,
  ];
}

function promiseLines(definition: Definition, page: Page): string[] {
  const pledges = pledgesOf(definition);
  const width = Math.max(...pledges.map(({ property }) => property.length), 0);
  const usual = pledges.flatMap((pledge) => {
    const { property } = pledge;
    return hanging(`${property.padEnd(width)}  ${nameProperty(property)}  ${assumptions(pledge)}`, 2, page);
  });
  const more = [...pledgesWith(definition)].flatMap(([option, promised]) => {
    const kinds = [...new Set(promised.map(assumptions))].map((under) => {
      const same = promised.filter((pledge) => assumptions(pledge) === under);
      return `${same.map((pledge) => pledge.property).join(' ')} ${under}`.trim();
    });
    return hanging(`with ${option}: ${kinds.length === 0 ? 'none' : kinds.join('; ')}`, 2, page);
  });
  const title = page.paint('promises, with nothing set', 'bold');
  return ['', title, ...(usual.length === 0 ? ['  none: best effort'] : usual), ...more];
}

function assumptions({ assuming }: Pledge): string {
  return assuming.length === 0 ? '' : `(assuming ${assuming.join(', ')})`;
}

function settingLines(title: string, settings: Settings, page: Page): string[] {
  const entries = Object.entries(settings);
  if (entries.length === 0) return [];
  const isTime = title === 'timing';
  const lines = entries.flatMap(([name, { shape, default: value, about }]) => [
    ...hanging(
      `${name} (${shape.expected}; ${isTime && value === null ? 'default: see below' : `default ${JSON.stringify(value)}`})`,
      2,
      page,
    ).map((line) => line.replace(name, page.paint(name, 'bold'))),
    ...hanging(about, 4, page),
  ]);
  return ['', page.paint(title, 'bold'), ...lines];
}

/** Times that are derived from a preset and from each other are computed, so that they are right. */
function presetLines(definition: Definition, page: Page): string[] {
  const derived = explained[definition.name]?.derivedTimes;
  if (derived === undefined) return [];
  const presets = derived.presets.map((preset) => {
    const times = Object.entries(effectiveTiming(definition, {}, { preset }));
    return `${preset}: ${times.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ')}`;
  });
  return ['', ...[...presets, derived.says].flatMap((line) => hanging(line, 2, page))];
}

/** Messages with the same fields are listed together. */
function messageLines({ messages }: Definition, page: Page): string[] {
  const types = new Map<string, string[]>();
  const fields = new Map<string, string[]>();
  for (const [type, shape] of Object.entries(messages)) {
    const lines = fieldsOf(shape).flatMap(([name, expected]) =>
      hanging(`${name}: ${inShort(expected)}`, 4, page),
    );
    const key = lines.join('\n');
    types.set(key, [...(types.get(key) ?? []), type]);
    fields.set(key, lines);
  }
  const lines = [...fields].flatMap(([key, of]) => [
    ...hanging(types.get(key)!.join(', '), 2, page).map((line) => page.paint(line, 'bold')),
    ...(of.length === 0 ? ['    no fields'] : of),
  ]);
  return ['', page.paint('messages, and the fields that inject has to give', 'bold'), ...lines];
}

/** The bounds of numbers and the letters of ids are the same everywhere, and errors name them. */
function inShort(expected: string): string {
  const words = expected
    .replaceAll(memberId.expected, 'an id')
    .replaceAll('a list of an id', 'a list of ids');
  return words.replaceAll(natural.expected, 'a whole number');
}

function hanging(text: string, indent: number, { columns }: Page): string[] {
  return wrap(text, columns - indent, 2).map((line) => `${' '.repeat(indent)}${line}`);
}

/** The fields of a message and what is expected of each; fields of a record inside it by their path: "age.term". */
export function fieldsOf(shape: Shape<unknown>, path = ''): [name: string, expected: string][] {
  return Object.entries(shape.fields ?? {}).flatMap(([name, field]) => {
    const here = `${path}${name}`;
    const inside = fieldsOf(field, `${here}.`);
    const isPlainRecord = inside.length > 0 && !accepts(field, null) && !accepts(field, undefined);
    const left = accepts(field, undefined) ? ' (may be left out)' : '';
    return isPlainRecord ? inside : [[here, `${field.expected}${left}`], ...inside];
  });
}

function accepts(shape: Shape<unknown>, value: unknown): boolean {
  try {
    shape.read(value, '');
    return true;
  } catch (error) {
    if (error instanceof BadInput) return false;
    throw error;
  }
}
