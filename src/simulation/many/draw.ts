import { Random } from '../../core/index.ts';

/** A storm over several elections of the same members. Everything follows from the seed. */
export interface ManyStorm {
  readonly seed: number;
  readonly members: number;
  readonly elections: number;
  /** How long faults go on, and then how long the members have to come to rest. */
  readonly stormMs: number;
  readonly calmMs: number;
  /** One way, least and most. */
  readonly latencyMs: readonly [number, number];
  readonly lossRate: number;
  readonly duplicateRate: number;
  /** The mean time between two faults. */
  readonly faultEveryMs: number;
  /** The longest save; 0: a save takes no time. */
  readonly saveMs: number;
  /** The clocks differ by at most what the protocol allows. */
  readonly drift: number;
  /** How often the death of a process is proven to the others. */
  readonly proofRate: number;
  /** Do the processes ask for support, or has every election heartbeats of its own? */
  readonly support: boolean;
  /** How often a message arrives a second time, up to so much later: also after its sender has been started again. */
  readonly lateRate: number;
  readonly lateMs: number;
  /** How often a process that died is started again within a few milliseconds. */
  readonly quickRate: number;
  /** The mean time between two changes of what elections stand on: members, times, disks, clocks (changes.ts). 0: none. */
  readonly changeEveryMs: number;
}

/** Storms from this seed on have faults that the earlier ones had not: those are known to catch planted bugs. */
const WITH_LATE = 5000;
/** From this one on there are changes of members and times, lost disks and sleeps of machines as well. */
export const WITH_CHANGES = 1_000_000;

export function drawManyStorm(seed: number, support = true): ManyStorm {
  const late = new Random(seed, 'many/late');
  const changes = new Random(seed, 'many/changes');
  const isLate = seed >= WITH_LATE;
  const isChanging = seed >= WITH_CHANGES;
  const random = new Random(seed, 'many');
  const isClean = random.below(4) === 0;
  const slowest = [3, 10, 30][random.below(3)]!;
  return {
    seed,
    members: random.below(4) === 0 ? 5 : 3,
    elections: random.between(2, 6),
    stormMs: random.between(2000, 8000),
    calmMs: isChanging ? 8000 : 4000,
    latencyMs: [0.2, slowest],
    lossRate: isClean ? 0 : [0, 0.02, 0.2][random.below(3)]!,
    duplicateRate: isClean ? 0 : [0, 0.05][random.below(2)]!,
    faultEveryMs: random.between(40, 600),
    saveMs: random.below(3) === 0 ? [5, 60, 200][random.below(3)]! : 0,
    drift: random.below(2) === 0 ? 0 : 0.02,
    proofRate: [0, 0.5, 1][random.below(3)]!,
    support,
    lateRate: isLate ? [0, 0.005, 0.05][late.below(3)]! : 0,
    lateMs: [300, 1000, 4000][late.below(3)]!,
    quickRate: isLate ? [0, 0.5][late.below(2)]! : 0,
    changeEveryMs: isChanging ? changes.between(60, 1000) : 0,
  };
}
