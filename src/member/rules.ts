import type { Config, Definition, Json, Retimed } from '../core/index.ts';

type Settings = Readonly<Record<string, Json>>;

/**
 * What a member says of its settings in its greeting, in JSON. `timing` and `options` are what is used, and must be
 * the same at all members. Example: one member sets `preset=lan`, another one the times of that preset; they promise
 * the same and must not refuse each other. `given` is what was set, which is what an operator can change. With
 * `mayDiffer`, every request for a vote and every heartbeat says for how long, so members with other times are safe
 * together. `set`: the options that an operator has set for the cluster, as far as this member knows. A peer may be
 * configured otherwise, and may not have heard of it yet.
 */
export function rulesOf(
  definition: Definition,
  { timing, options }: Config,
  retimed: Retimed | null = null,
): string {
  const set = (definition.retiming?.options ?? []).filter((name) => retimed?.times[name] !== undefined);
  return JSON.stringify({
    protocol: definition.name,
    ...(definition.retiming === undefined ? {} : { mayDiffer: ['timing'] }),
    ...(set.length === 0 ? {} : { set }),
    ...settingsOf(definition, { timing, options }),
    given: { timing, options },
  });
}

/** The settings as they are used. */
export function settingsOf(
  { effectiveTiming, timingOptions = [] }: Definition,
  { timing, options }: Config,
): { readonly timing: Settings; readonly options: Settings } {
  return {
    timing: rounded(effectiveTiming?.({ timing, options }) ?? timing),
    options: Object.fromEntries(
      Object.entries(options).filter(([option]) => !timingOptions.includes(option)),
    ) as Settings,
  };
}

const PER_MS = 1e6;

/** A time that is derived from others may differ in its last bit from the same time that was set. */
function rounded(times: Readonly<Record<string, unknown>>): Settings {
  const round = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(round);
    return typeof value === 'number' ? Math.round(value * PER_MS) / PER_MS : value;
  };
  return Object.fromEntries(Object.entries(times).map(([name, value]) => [name, round(value)])) as Settings;
}
