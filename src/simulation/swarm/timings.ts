/**
 * Operators change the timing while the storm goes on, drawn from a separate random stream, so that the rest of a seed's
 * storm stays as it is, and with it sometimes the drift, drawn from another. Some of these runs also crash members right
 * after a change, or cut the leader off.
 */
import { type Config, type Definition, Random, readSettings } from '../../core/index.ts';
import type { WorldEvent } from '../scenario.ts';
import { tidyMs } from '../time.ts';
import { at } from './damage.ts';
import type { Storm } from './storm.ts';

/** The share of runs of a protocol whose timing can be changed. */
const CHANCE = 0.15;
/** By what all times of the cluster are multiplied. Not by less than 1: its network may be too slow for shorter times. */
const FACTORS = [1, 1, 1.5, 3, 6];
/** By what the drift is multiplied. Not by less than 1: the clocks of the storm are within the one that is configured. */
const DRIFT_FACTORS = [1, 1.2, 1.5, 2];

export function withTimings(storm: Storm, definition: Definition): Storm {
  const { retiming } = definition;
  const random = new Random(storm.seed, 'swarm timings');
  if (retiming === undefined || !random.chance(CHANCE)) return storm;
  const config = {
    timing: readSettings(definition.timing, storm.timing, 'timing'),
    options: readSettings(definition.options, storm.options, 'options'),
  };
  const drifts = new Random(storm.seed, 'swarm drifts');
  const events: WorldEvent[] = [];
  let longest = 1;
  for (let times = random.between(1, 5); times > 0; times--) {
    const factor = random.pick(FACTORS)!;
    longest = Math.max(longest, factor);
    const { preset: _, ...timing } = retiming.scaled(config, factor);
    const atMs = storm.stopMs * random.fraction();
    const options = driftBeside(config, timing, definition, drifts);
    events.push(at(atMs, { do: 'reconfigure', timing, ...options }), ...trouble(storm, atMs, random));
  }
  const within = events.filter((event) => event.atMs < storm.stopMs);
  return {
    ...storm,
    // Until its end the cluster may have the longest of these times.
    timeoutMs: tidyMs(storm.timeoutMs * longest),
    faults: [...storm.faults, ...within].sort((a, b) => a.atMs - b.atMs),
  };
}

/** Another drift, if these times leave as much for a round of heartbeats with it as the configured ones do. */
function driftBeside(
  config: Config,
  timing: Config['timing'],
  { retiming, roundTripMs }: Definition,
  random: Random,
): { readonly options?: { readonly maxDrift: number } } {
  const { maxDrift } = config.options;
  const isWanted = random.chance(0.5);
  const drift = Number(maxDrift) * random.pick(DRIFT_FACTORS)!;
  if (!isWanted || typeof maxDrift !== 'number' || retiming?.options.includes('maxDrift') !== true) return {};
  const leftMs = roundTripMs?.({ timing, options: { ...config.options, maxDrift: drift } }) ?? 0;
  return leftMs >= (roundTripMs?.(config) ?? 0) ? { options: { maxDrift: drift } } : {};
}

/** Soon after a change, within a part of a lease or some of them. */
function trouble({ members, timeoutMs }: Storm, atMs: number, random: Random): WorldEvent[] {
  const soonMs = atMs + timeoutMs * random.pick([0.02, 0.2, 1])! * random.fraction();
  const laterMs = soonMs + 3 * timeoutMs * random.fraction();
  const member = random.pick(members)!.id;
  switch (random.below(4)) {
    case 0:
      return [at(soonMs, { do: 'restart', member })];
    case 1:
      return [
        at(soonMs, { do: 'partition', groups: [['leader'], ['followers']] }),
        at(soonMs, { do: 'campaign', member: 'followers' }),
        at(laterMs, { do: 'heal' }),
      ];
    case 2:
      return [at(soonMs, { do: 'cut', from: 'leader', to: member }), at(laterMs, { do: 'heal' })];
    default:
      return [];
  }
}
