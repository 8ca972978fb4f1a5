import { asObject, BadInput, refuseUnknown } from '../../../core/index.ts';
import { parseJson } from '../parse-json.ts';
import { type Located, parseYaml } from '../parse-yaml.ts';
import { inputName, readWith } from '../read-input.ts';
import { Refusal } from '../refusal.ts';
import { asJson } from '../values.ts';
import { fieldLines } from './field-lines.ts';
import { FIELDS } from './fields.ts';
import { expand } from './placeholders.ts';
import type { Given, Source } from './sources.ts';

const GROUPS = ['timing', 'options'];
/** The properties of seed 002, as it writes them, and the fields that they set. */
const PROPERTIES: Readonly<Record<string, string>> = {
  'voter-id': 'id',
  'voter-url': 'url',
  'voter-list': 'peers',
  'heartbeat-interval': 'heartbeatInterval',
  'missed-heartbeat-tolerance': 'missedHeartbeatTolerance',
};
/** The group of a file that other programs read too. */
const OWN_GROUP = 'caucus';
const KNOWN: Readonly<Record<string, unknown>> = { ...FIELDS, timing: null, options: null, ...PROPERTIES };
const FIELD_OF: ReadonlyMap<string, string> = new Map(
  Object.keys(KNOWN).map((name) => [relaxed(name), PROPERTIES[name] ?? name]),
);
/** Fields that are no texts: what a variable gives for them is read as a number or a truth value. */
const NO_TEXTS = ['priority', 'balance', 'deputies', 'insecure', 'trustConnections', 'closed'];

/**
 * Reads a config file, in YAML or JSON: the fields of FIELDS, the properties of seed 002, and the groups `timing` and
 * `options` of the protocol. Names may be spelled `voter-url`, `voterUrl` or `VOTER_URL`. If there is a group
 * `caucus`, all of this is in it, and what stands beside it is for other programs.
 */
export async function fromFile(file: string, env: NodeJS.ProcessEnv): Promise<Source> {
  const { value, lines } = await readWith(file, (text) => parse(file, text));
  const places = new Map([...lines].map(([path, line]) => [comparable(path), line]));
  const at = (path: string): string => `${inputName(file)} line ${lineOf(places, path)}`;
  try {
    const whole = asObject(value, '');
    const prefix = isGroup(whole[OWN_GROUP]) ? `${OWN_GROUP}.` : '';
    const found = prefix === '' ? whole : asObject(whole[OWN_GROUP], OWN_GROUP);
    if (prefix !== '') refuseBeside(whole);
    return readFields(found, prefix, at, env);
  } catch (error) {
    if (error instanceof BadInput) throw new Refusal(`${at(error.path)}: ${error.message}`);
    throw error;
  }
}

function parse(file: string, text: string): Located {
  const isJson = /\.json$/i.test(file) || (!/\.ya?ml$/i.test(file) && /^\s*[{[]/.test(text));
  if (!isJson) return parseYaml(text, (key) => ['id', 'voterid'].includes(relaxed(key)));
  return { value: parseJson(text), lines: fieldLines(text) };
}

function readFields(
  found: Readonly<Record<string, unknown>>,
  prefix: string,
  at: (path: string) => string,
  env: NodeJS.ProcessEnv,
): Source {
  const source = new Map<string, Given>();
  const put = (field: string, name: string, value: unknown): void => {
    const before = source.get(field);
    if (before !== undefined) throw new BadInput(prefix + name, `it or ${before.name}`, 'both');
    const place = (path: string): string => at(prefix + name + path.slice(field.length));
    source.set(field, { value, from: at(prefix + name), name, at: place });
  };
  for (const [name, written] of Object.entries(found)) {
    const field = FIELD_OF.get(relaxed(name));
    if (field === undefined) refuseField(found, name, prefix);
    const value = expand(written, env, prefix + name);
    if (GROUPS.includes(field)) {
      for (const [key, each] of Object.entries(asObject(value, name)))
        put(`${field}.${camel(key)}`, `${name}.${key}`, typeof each === 'string' ? asJson(each) : each);
      // Nothing after the name, as in `voter-list:`, counts as unset, like an empty variable.
    } else if (value !== null && value !== '')
      put(field, name, NO_TEXTS.includes(field) && typeof value === 'string' ? asJson(value) : value);
  }
  return source;
}

function refuseField(found: object, name: string, prefix: string): never {
  if (name === 'engine')
    throw new BadInput(prefix + name, 'it as --engine, without a file', 'a file, which is about members');
  refuseUnknown({ [name]: null }, KNOWN, prefix.slice(0, -1));
  throw new BadInput(prefix + name, 'a known field', Object.keys(found).join(', '));
}

/** A setting of a member beside the group `caucus` would be ignored. */
function refuseBeside(whole: object): void {
  const outside = Object.keys(whole).find((name) => name !== OWN_GROUP && FIELD_OF.has(relaxed(name)));
  if (outside === undefined) return;
  throw new BadInput(outside, `it in the group ${OWN_GROUP}, with all others`, 'it beside that group');
}

function isGroup(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One name for `voter-url`, `voterUrl`, `voter_url` and `VOTER_URL`. */
function relaxed(name: string): string {
  return name.replace(/[-_]/g, '').toLowerCase();
}

function camel(name: string): string {
  return name.replace(/[-_]([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

/** Errors name the parts of a voter `id` and `url`, however the file spells them. */
function comparable(path: string): string {
  return relaxed(path).replace(/\.voter(id|url)$/, '.$1');
}

/** The line of this part, or of the nearest part around it. */
function lineOf(places: ReadonlyMap<string, number>, path: string): number {
  for (let part = comparable(path); part !== ''; part = part.replace(/(?:^|\.|\[)[^.[]*$/, '')) {
    const line = places.get(part);
    if (line !== undefined) return line;
  }
  return 1;
}
