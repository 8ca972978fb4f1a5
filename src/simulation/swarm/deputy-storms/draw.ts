/**
 * Storms about deputies alone. The storms of the swarm have so many kinds of faults that few of their runs meet the moments in which
 * a deputy matters: here all members have deputies, and every fault is drawn around the moment in which one takes over.
 *
 * Example of an act: 2 leads, and names 3. Its publication does not reach 3; the requests of 3 no longer reach 2. 2 dies, and all but
 * 3 learn of that at once. They elect 4 after a lease. Then 3 gets the proof too, and must not lead.
 */
import { type Definition, type Json, type MemberId, Random } from '../../../core/index.ts';
import type { WorldEvent } from '../../scenario.ts';
import { tidyMs } from '../../time.ts';
import { calmLatencyMs } from '../cluster.ts';
import type { Storm, StormMember } from '../storm.ts';
import { Act, type Pace, type Roles, type Times } from './act.ts';
import { disturb } from './disturbances.ts';
import { endLeadership } from './endings.ts';
import { playOne } from './plots.ts';

const MOST_ACTS = 3;
const MOST_DISTURBANCES = 5;
const DEFAULT_DRIFT = 0.01;
/** Storms from this seed on have plots, which the earlier ones have not: those are known to catch planted bugs. */
const WITH_PLOTS = 100_000;

export function drawDeputyStorm(definition: Definition, seed: number): Storm {
  const random = new Random(seed, 'deputy storm');
  const size = random.pick([3, 3, 3, 4, 5, 5, 5, 5])!;
  const ids = Array.from({ length: size }, (_, i) => i + 1);
  const drift = random.pick([null, null, 0, 0.05, 0.2])!;
  const pace = drawPace(random);
  const options: Record<string, Json> = drift === null ? {} : { maxDrift: drift };
  const timing = {
    heartbeatMs: pace.heartbeatMs,
    timeoutMs: [tidyMs(pace.leaseMs * 1.2), pace.timeoutMs],
    leaseMs: pace.leaseMs,
  };
  const members = drawMembers(ids, random);
  const calmMs = calmLatencyMs(definition, { options, timing }, 1);
  const clocks = random.chance(0.4) ? drawClocks(ids, drift ?? DEFAULT_DRIFT, random) : [];
  const { faults, stopMs } = drawActs(members, pace, seed >= WITH_PLOTS, random);
  return {
    protocol: definition.name,
    seed,
    options,
    timing,
    members,
    network: {
      latencyMs: random.chance(0.7) ? [calmMs[0], tidyMs(calmMs[0] + (calmMs[1] - calmMs[0]) / 4)] : calmMs,
      ...(random.chance(0.15) ? { loss: tidyMs(0.05 * random.fraction()) } : {}),
      ...(random.chance(0.15) ? { duplicate: tidyMs(0.2 * random.fraction()) } : {}),
      ...(random.chance(0.15) ? { reorder: tidyMs(0.2 * random.fraction()) } : {}),
    },
    syncMs: random.pick([null, null, [0, 0], [0.5, 3]] as const)!,
    isFounded: true,
    calmLatencyMs: calmMs,
    timeoutMs: pace.timeoutMs,
    faults: [...clocks, ...faults],
    stopMs,
    endMs: null,
    exam: false, // It asks how quickly others are elected, and the timeouts of some of these storms are close together.
  };
}

/** Many heartbeats within a lease leave time for what happens between the last of them and its end. */
function drawPace(random: Random): Pace {
  const heartbeatMs = random.pick([20, 30, 50])!;
  const leaseMs = heartbeatMs * random.pick([2.5, 4, 8])!;
  return { heartbeatMs, leaseMs, timeoutMs: leaseMs * random.pick([1.5, 2])! };
}

/**
 * If one has a higher priority, the leader renames its deputy when that one is back. Some members take no part, as if they were of an
 * earlier release: then fewer have promised a deputy anything.
 */
function drawMembers(ids: readonly MemberId[], random: Random): readonly StormMember[] {
  const preferred = random.chance(0.25) ? random.pick(ids)! : null;
  const most = random.pick([0, 0, 0, 1, 2, 2])!;
  const without = ids.filter(() => random.chance(0.5)).slice(0, Math.min(most, ids.length - 3));
  return ids.map((id): StormMember => {
    const rank = id === preferred ? { priority: 2 } : {};
    return without.includes(id) ? { id, ...rank } : { id, ...rank, deputies: true };
  });
}

/** Each clock at one of the ends of what is promised, or right. */
function drawClocks(ids: readonly MemberId[], drift: number, random: Random): readonly WorldEvent[] {
  return ids.map((member) => ({
    atMs: 0,
    do: 'clock',
    member,
    rate: 1 + drift * random.pick([-1, 0, 1])!,
  }));
}

function drawActs(
  members: readonly StormMember[],
  pace: Pace,
  hasPlots: boolean,
  random: Random,
): { readonly faults: readonly WorldEvent[]; readonly stopMs: number } {
  const { leaseMs, timeoutMs } = pace;
  const ids = members.map(({ id }) => id);
  const faults: WorldEvent[] = [];
  let nowMs = leaseMs * 1.3; // After a start no member votes for a lease.
  for (let acts = random.between(1, MOST_ACTS); acts > 0; acts--) {
    const isFirst = faults.length === 0;
    const act = new Act(
      random,
      pace,
      drawRoles(members, random),
      ids,
      drawTimes(nowMs, isFirst, pace, random),
    );
    const { leader } = act.roles;
    act.add(nowMs, isFirst ? { do: 'campaign', member: leader } : { do: 'transfer', to: leader });
    if (hasPlots && random.chance(0.7)) playOne(act);
    else {
      for (let times = random.between(0, MOST_DISTURBANCES); times > 0; times--) disturb(act);
      endLeadership(act);
    }
    const overMs = act.lastMs + act.aLease();
    act.add(overMs, { do: 'heal' });
    act.add(overMs, { do: 'resume', member: 'all' });
    act.add(overMs, { do: 'restart', member: 'all' });
    faults.push(...act.events);
    nowMs = overMs + timeoutMs * (1 + 2 * random.fraction());
  }
  return { faults: faults.sort((a, b) => a.atMs - b.atMs), stopMs: tidyMs(nowMs) };
}

/** Two heartbeats after a member has become the leader it has a deputy. To hand over to it may take a lease. */
function drawTimes(beginMs: number, isFirst: boolean, { heartbeatMs, leaseMs }: Pace, random: Random): Times {
  const handoverMs = isFirst ? 0 : leaseMs;
  const readyMs = beginMs + handoverMs + heartbeatMs * (2 + 3 * random.fraction());
  const soonMs = heartbeatMs * random.pick([0, 1, 3])! * random.fraction();
  const laterMs = random.chance(0.3) ? leaseMs * (0.3 + random.fraction()) : 0;
  return { beginMs, readyMs, endMs: readyMs + soonMs + laterMs };
}

/** The leader names the member with the highest priority, and of equals the first one after itself. */
function drawRoles(members: readonly StormMember[], random: Random): Roles {
  const able = members.filter(({ deputies }) => deputies === true);
  const leader = random.pick(able)!;
  const at = members.indexOf(leader);
  const inTurn = [...members.slice(at + 1), ...members.slice(0, at)];
  const fit = inTurn.filter((each) => able.includes(each));
  const deputy = fit.find(({ priority }) => priority === 2) ?? fit[0]!;
  const others = inTurn.filter((each) => each !== deputy).map(({ id }) => id);
  return { leader: leader.id, deputy: deputy.id, others };
}
