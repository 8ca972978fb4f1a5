import { asObject, join, refuseUnknown, type Shape } from './shape.ts';

/**
 * One setting: its shape, its default and its meaning. A protocol's settings are a table of these, from which checks,
 * help texts and controls are derived.
 */
export interface Setting<T> {
  readonly shape: Shape<T>;
  readonly default: T;
  readonly about: string;
}

export type Settings = { readonly [name: string]: Setting<unknown> };

export type SettingsOf<S extends Settings> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

export function setting<T>(shape: Shape<T>, defaultValue: NoInfer<T>, about: string): Setting<T> {
  return { shape, default: defaultValue, about };
}

/** Fills in the defaults and checks the given values. */
export function readSettings<S extends Settings>(table: S, given: unknown, path: string): SettingsOf<S> {
  const found = given === undefined ? {} : asObject(given, path);
  refuseUnknown(found, table, path);
  const result: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(table)) {
    result[name] = found[name] === undefined ? each.default : each.shape.read(found[name], join(path, name));
  }
  return result as SettingsOf<S>;
}
