import { type Definition, readSettings } from '../../../core/index.ts';
import { DEFAULT_PROTOCOL } from '../../../protocols/index.ts';
import { readProtocolName } from '../protocol-name.ts';
import { fromEnvironment } from './environment.ts';
import { FIELDS, type MemberSettings } from './fields.ts';
import { fromFile } from './file.ts';
import { fromFlags, type MemberFlags } from './member-flags.ts';
import { told } from './origin.ts';
import { type SecretSource, secretSource } from './secret.ts';
import { seedTimes } from './seed-times.ts';
import { firstOf, type Given, type Source } from './sources.ts';
import { type TokenSource, tokenSource } from './tokens.ts';

/** The settings of a member, and where each comes from. */
export interface MemberConfig {
  readonly settings: MemberSettings;
  readonly definition: Definition;
  readonly timing: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  /** Where the tokens of operators are; null if there are none. */
  readonly tokens: TokenSource | null;
  /** The secret of the cluster; null if there is none. */
  readonly secret: SecretSource | null;
  /** In the order in which they are printed. */
  readonly origins: readonly Origin[];
}

export interface Origin {
  readonly field: string;
  readonly value: unknown;
  readonly from: string;
  /** In a file: how the field is spelled there. */
  readonly name?: string | undefined;
}

const DEFAULTS: Readonly<Record<string, unknown>> = {
  cluster: 'caucus',
  election: 'main',
  priority: 1,
  insecure: false,
  trustConnections: false,
  closed: false,
};

/** Flags take precedence over the environment, and that over the file. */
export async function readMemberConfig(flags: MemberFlags, env: NodeJS.ProcessEnv): Promise<MemberConfig> {
  const byFile: Source = flags.config === undefined ? new Map() : await fromFile(flags.config, env);
  const sources = [fromFlags(flags), fromEnvironment(env), byFile];
  const definition = readProtocol(firstOf(sources).get('protocol'));
  const given = firstOf([seedTimes(sources, definition), ...sources]);
  const origins: Origin[] = [];
  const settings: Record<string, unknown> = {};
  for (const [field, { shape }] of Object.entries(FIELDS)) {
    const found = given.get(field);
    if (found !== undefined) {
      settings[field] = told(found, field, () => shape.read(found.value, field));
      // The list of voters has many forms: what was understood is shown.
      const value = field === 'peers' ? settings[field] : found.value;
      origins.push({ field, value, from: found.from, name: found.name });
    } else if (field === 'protocol' || field in DEFAULTS) {
      settings[field] = DEFAULTS[field] ?? DEFAULT_PROTOCOL;
      origins.push({ field, value: settings[field], from: 'default' });
    }
  }
  const tokens = tokenSource((settings as MemberSettings).tokensFile, env);
  if (tokens?.file === null) origins.push({ field: 'tokens', value: '***', from: 'CAUCUS_TOKENS' });
  const secret = secretSource((settings as MemberSettings).secretFile, given.get('secretFile')?.from, env);
  if (secret !== null) origins.push({ field: 'secret', value: secret.shown, from: secret.from });
  return {
    settings: settings as MemberSettings,
    tokens,
    secret,
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
    told(each, field, () => readSettings(definition[name], { [key]: each.value }, name));
    found[key] = each.value;
    origins.push({ field, value: each.value, from: each.from });
  }
  return found;
}
