import { BadInput, type Definition, readSettings } from '../../../core/index.ts';
import { DEFAULT_PROTOCOL } from '../../../protocols/index.ts';
import { readProtocolName } from '../protocol-name.ts';
import { Refusal } from '../refusal.ts';
import { fromEnvironment, timesFromEnvironment } from './environment.ts';
import { FIELDS, type MemberSettings } from './fields.ts';
import { fromFile } from './file.ts';
import { fromFlags, type MemberFlags } from './member-flags.ts';
import { firstOf, type Given, type Source } from './sources.ts';

/** The settings of a member, and where each comes from. */
export interface MemberConfig {
  readonly settings: MemberSettings;
  readonly definition: Definition;
  readonly timing: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  /** In the order in which they are printed. */
  readonly origins: readonly Origin[];
}

export interface Origin {
  readonly field: string;
  readonly value: unknown;
  readonly from: string;
}

const DEFAULTS: Readonly<Record<string, unknown>> = {
  cluster: 'caucus',
  election: 'main',
  priority: 1,
  insecure: false,
  trustConnections: false,
};

/** Flags take precedence over the environment, and that over the file. */
export async function readMemberConfig(flags: MemberFlags, env: NodeJS.ProcessEnv): Promise<MemberConfig> {
  const byFlags = fromFlags(flags);
  const byEnvironment = fromEnvironment(env);
  const byFile: Source = flags.config === undefined ? new Map() : await fromFile(flags.config);
  const plain = firstOf([byFlags, byEnvironment, byFile]);
  const definition = readProtocol(plain.get('protocol'));
  const given = firstOf([byFlags, byEnvironment, timesFromEnvironment(env, definition), byFile]);
  const origins: Origin[] = [];
  const settings: Record<string, unknown> = {};
  for (const [field, { shape }] of Object.entries(FIELDS)) {
    const found = given.get(field);
    if (found !== undefined) {
      settings[field] = told(found, () => shape.read(found.value, field));
      origins.push({ field, value: found.value, from: found.from });
    } else if (field === 'protocol' || field in DEFAULTS) {
      settings[field] = DEFAULTS[field] ?? DEFAULT_PROTOCOL;
      origins.push({ field, value: settings[field], from: 'default' });
    }
  }
  return {
    settings: settings as MemberSettings,
    definition,
    timing: group('timing', definition, given, origins),
    options: group('options', definition, given, origins),
    origins,
  };
}

function readProtocol(given: Given | undefined): Definition {
  if (given === undefined) return readProtocolName(DEFAULT_PROTOCOL, 'protocol');
  return readProtocolName(String(given.value), given.from);
}

/** The protocol settings that were given; the others keep their defaults. */
function group(
  name: 'timing' | 'options',
  definition: Definition,
  given: ReadonlyMap<string, Given>,
  origins: Origin[],
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [field, each] of given) {
    if (!field.startsWith(`${name}.`)) continue;
    const key = field.slice(name.length + 1);
    told(each, () => readSettings(definition[name], { [key]: each.value }, name));
    found[key] = each.value;
    origins.push({ field, value: each.value, from: each.from });
  }
  return found;
}

/** An error names its source: a line and a field of a file, or a flag or variable. */
function told<T>({ from, at }: Given, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    if (at !== undefined) throw new Refusal(`${at(error.path)}: ${error.message}`);
    throw new Refusal(`${from}: ${error.message.slice(error.path.length + 2)}`);
  }
}
