import { type Definition, Random, readSettings } from '../../core/index.ts';
import { usualAddress } from '../places.ts';
import { type Cluster, drawCluster, drawGentleCluster } from './cluster.ts';
import { hasConnections, withConnections } from './connections.ts';
import { withDamage } from './damage.ts';
import { withDeputies } from './deputies.ts';
import { drawFaults, drawSchedule } from './draw-faults.ts';
import { placeOf, survivesLosses } from './fault-kinds.ts';
import { SCHEDULES } from './schedules.ts';
import type { Storm } from './storm.ts';
import { withTimings } from './timings.ts';

/**
 * The theme of a run: any faults; or those of `identities.ts`, with a few others; or one of the `SCHEDULES`, by its
 * name. Only protocols that promise to survive lost disks have a choice.
 */
export type Theme = 'anything' | 'identities' | keyof typeof SCHEDULES;

/** Typical sizes, and those where one member more or less makes a difference. */
const SIZES = [3, 3, 3, 4, 4, 5, 5, 5, 6, 7];

/**
 * A random run, all of it drawn from the seed: its theme, its members, the settings, the quality of the network, the
 * kinds of faults and their times. The run itself uses the same seed.
 */
export function drawStorm(definition: Definition, seed: number, wanted?: Theme): Storm {
  const random = new Random(seed, 'swarm');
  const hasThemes = survivesLosses(definition);
  const drawn = hasThemes ? drawTheme(random) : 'anything';
  const theme = wanted ?? drawn;
  const schedule = SCHEDULES[theme];
  const cluster =
    schedule !== undefined
      ? drawGentleCluster(definition, schedule.sizes, schedule.isSlow, random)
      : drawCluster(definition, random, theme === 'identities' ? SIZES : undefined);
  const place = placeOf(definition, cluster, random);
  const faults =
    schedule === undefined ? drawFaults(place, theme === 'identities') : drawSchedule(place, schedule);
  const storm: Storm = {
    protocol: definition.name,
    seed,
    ...cluster,
    ...faults,
    isFounded: hasThemes && schedule?.isBlank !== true && random.chance(0.5),
    endMs: null,
    exam: isPledged(definition, cluster),
  };
  const damaged = withSeeds(
    withDamage(withDeputies(withTimings(storm, definition), definition), definition),
    definition,
  );
  return hasThemes && hasConnections(seed) && wanted === undefined ? withConnections(damaged, seed) : damaged;
}

/** Faults that need the members to know each other's ids, or that take a voter away for good. */
const UNLIKE_SEEDS: readonly string[] = ['add', 'remove', 'twin', 'stranger', 'reset'];

/**
 * Half of the storms of voters that can register start from addresses alone, some of which are dead. With `quorum` they
 * are told how many they are. Drawn from its own stream, so that the rest of a storm does not depend on it.
 */
function withSeeds(storm: Storm, definition: Definition): Storm {
  const random = new Random(storm.seed, 'seeds');
  const isUnlike = storm.faults.some((fault) => UNLIKE_SEEDS.includes(fault.do));
  if (
    storm.members.length === 1 ||
    definition.registration === undefined ||
    isUnlike ||
    storm.connections ||
    random.chance(0.5)
  )
    return storm;
  const alive = storm.members
    .filter((_, i) => i === 0 || random.chance(0.7))
    .map(({ id }) => usualAddress(id));
  const seeds = random.chance(0.3) ? [...alive, 'host-nowhere'] : alive;
  const options =
    storm.options.quorum === true ? { ...storm.options, voters: storm.members.length } : storm.options;
  return { ...storm, options, seeds };
}

function drawTheme(random: Random): Theme {
  const about = random.fraction();
  if (about < 0.4) return 'anything';
  return about < 0.7 ? 'identities' : random.pick(Object.keys(SCHEDULES))!;
}

/** The exam is only for protocols that promise something of a cluster at rest. */
function isPledged(definition: Definition, { timing, options }: Cluster): boolean {
  const { liveness = [] } = definition.create({
    timing: readSettings(definition.timing, timing, 'timing'),
    options: readSettings(definition.options, options, 'options'),
  });
  return liveness.length > 0;
}
