import { urlOf } from '../../../api/index.ts';
import type { AnyJoinOptions } from '../../../member/index.ts';
import { Refusal } from '../refusal.ts';
import { effectiveTiming } from './effective-timing.ts';
import { joinOptions } from './join-options.ts';
import type { MemberConfig, Origin } from './member-config.ts';

/** Every setting and where it comes from, one per line. */
export function configLines(config: MemberConfig): string[] {
  return originLines(allOf(config));
}

export function originLines(origins: readonly Origin[]): string[] {
  const rows = origins.map(({ field, value, from }) => [field, JSON.stringify(value), from] as const);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map(
    ([field, value, from]) => `${field.padEnd(widths[0]!)}  ${value.padEnd(widths[1]!)}  ${from}`,
  );
}

export function configJson(config: MemberConfig): object {
  return originsJson(allOf(config));
}

export function originsJson(origins: readonly Origin[]): object {
  return Object.fromEntries(origins.map(({ field, value, from }) => [field, { value, from }]));
}

/** The given settings, and those derived from them. */
function allOf(config: MemberConfig): Origin[] {
  const { definition, timing, options, origins } = config;
  const found = new Map(origins.map((origin) => [origin.field, origin]));
  const add = (field: string, value: unknown, from: string): void => {
    if (!found.has(field)) found.set(field, { field, value, from });
  };
  const { url, listen, tls } = understood(config);
  if (url !== undefined) add('url', url, 'its entry among the peers');
  else if (listen !== undefined && listen.port !== 0) {
    const scheme = tls === undefined ? 'http' : 'https';
    add('url', urlOf(listen.host ?? '127.0.0.1', listen.port, scheme), 'where it listens');
  }
  for (const [name, value] of Object.entries(effectiveTiming(definition, timing, options))) {
    add(
      `timing.${name}`,
      value,
      definition.timing[name]?.default === null ? 'follows from the rest' : 'default',
    );
  }
  for (const [name, each] of Object.entries(definition.options)) {
    add(`options.${name}`, each.default, 'default');
  }
  return [...found.values()];
}

/** Nothing, if a member cannot start like this: the reason is told after the settings. */
function understood(config: MemberConfig): Pick<AnyJoinOptions, 'url' | 'listen' | 'tls'> {
  try {
    return joinOptions(config);
  } catch (error) {
    if (error instanceof Refusal) return {};
    throw error;
  }
}
