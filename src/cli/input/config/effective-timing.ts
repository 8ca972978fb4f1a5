import { type Config, type Definition, readSettings } from '../../../core/index.ts';

type Values = Readonly<Record<string, unknown>>;

/** Every time of a protocol as it is used, also derived ones. Null stays only where it means none. */
export function effectiveTiming(definition: Definition, timing: Values, options: Values): Values {
  const config: Config = {
    timing: readSettings(definition.timing, timing, 'timing'),
    options: readSettings(definition.options, options, 'options'),
  };
  return definition.effectiveTiming?.(config) ?? config.timing;
}
