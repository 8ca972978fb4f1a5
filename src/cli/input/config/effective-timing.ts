import { type Config, type Definition, readSettings } from '../../../core/index.ts';
import { type QuorumConfig, timesOf } from '../../../protocols/quorum/index.ts';

type Values = Readonly<Record<string, unknown>>;

/** Every time of a protocol as it is used, also those that follow from others. Null stays only where it means none. */
export function effectiveTiming(definition: Definition, timing: Values, options: Values): Values {
  const config: Config = {
    timing: readSettings(definition.timing, timing, 'timing'),
    options: readSettings(definition.options, options, 'options'),
  };
  if (definition.name !== 'quorum') return config.timing;
  const { promiseMs, leaseMs: _, ...times } = timesOf(config as QuorumConfig);
  // What is set as the lease is what members promise; the leader counts on a little less.
  return { ...times, leaseMs: promiseMs };
}
