import type { Definition, MemberId, Random } from '../../core/index.ts';
import type { WorldEvent } from '../scenario.ts';
import { tidyMs } from '../time.ts';
import type { Cluster } from './cluster.ts';
import { COMMANDS, type Fault, KINDS, type Place, survivesLosses, usurper } from './fault-kinds.ts';
import { IDENTITY_KINDS } from './identities.ts';
import type { Schedule } from './schedules.ts';

/** The storm ends at most this many timeouts after its beginning. */
const LONGEST = 60;
const MOST_EVENTS = 40;

interface Drawn {
  readonly faults: readonly WorldEvent[];
  /** When all faults end. */
  readonly stopMs: number;
}

/** Faults that go well with faults of identities: they cause elections, decisions and forgetting. */
const COMPANIONS = [
  'crash',
  'restart',
  'partition',
  'cut',
  'pause',
  'proof',
  'late',
  'campaign',
  'transfer',
  'publish',
];

/**
 * Each run has some of the kinds of faults, many or few, so that one kind does not hide what another would show
 * ("swarm testing", Groce and others, 2012), and its own rhythm: single faults or bursts of them, within a part of a
 * timeout or over many, with time to recover in between or without.
 */
export function drawFaults(place: Place, isOfIdentities: boolean): Drawn {
  const { definition, cluster, random } = place;
  const { timeoutMs } = cluster;
  const known = survivesLosses(definition) ? { ...KINDS, ...IDENTITY_KINDS } : KINDS;
  const names = isOfIdentities ? [...Object.keys(IDENTITY_KINDS), ...COMPANIONS] : Object.keys(known);
  const kinds = drawKinds(definition, names, random);
  const wanted = kinds.length === 0 ? 0 : random.between(0, MOST_EVENTS);
  const burst = random.pick([1, 3, 6])!;
  const gapMs = timeoutMs * random.pick([0.02, 0.1, 0.3, 1])!;
  const restMs = timeoutMs * random.pick([0.5, 2, 5])!;
  const about = (ms: number): number => 2 * ms * random.fraction();
  const events: WorldEvent[] = [];
  let nowMs = about(restMs);
  for (let i = 1; events.length < wanted && nowMs < LONGEST * timeoutMs; i++) {
    events.push(...begin(known[random.pick(kinds)!]!(place), nowMs));
    nowMs += about(i % burst === 0 ? restMs : gapMs);
  }
  if (!isOfIdentities && random.chance(0.25)) events.push(...amnesia(place, nowMs));
  const stopMs = tidyMs(Math.min(LONGEST * timeoutMs, nowMs + about(timeoutMs)));
  const faults = events.filter((event) => event.atMs < stopMs).sort((a, b) => a.atMs - b.atMs);
  return { faults: namingKnown(faults, cluster), stopMs };
}

/** A schedule, once or twice, alone or with other faults in between. */
export function drawSchedule(place: Place, schedule: Schedule): Drawn {
  const { cluster, leaseMs, random } = place;
  const { timeoutMs } = cluster;
  // For a cluster that was never founded it begins before the first start; for a slow one, before the first election.
  let nowMs = schedule.isBlank === true ? 0 : leaseMs * (1.4 + 0.4 * random.fraction());
  const events: WorldEvent[] = [];
  for (let times = random.chance(0.2) ? 2 : 1; times > 0; times--) {
    events.push(...begin(schedule.draw(place), nowMs));
    nowMs = Math.max(...events.map((event) => event.atMs)) + 2 * timeoutMs * random.fraction();
  }
  if (random.chance(0.3)) {
    const kinds = { ...KINDS, ...IDENTITY_KINDS };
    for (let more = random.between(1, 3); more > 0; more--)
      events.push(...begin(kinds[random.pick(Object.keys(kinds))!]!(place), nowMs * random.fraction()));
  }
  const stopMs = tidyMs(Math.min(LONGEST * timeoutMs, nowMs + timeoutMs));
  const faults = events.filter((event) => event.atMs < stopMs).sort((a, b) => a.atMs - b.atMs);
  return { faults: namingKnown(faults, cluster), stopMs };
}

/** An empty disk, once: most promises allow for one. Rarely a second one; then little is promised. */
function amnesia(place: Place, untilMs: number): WorldEvent[] {
  const { random, ids } = place;
  return Array.from({ length: random.chance(0.1) ? 2 : 1 }, () => {
    const atMs = untilMs * random.fraction();
    if (random.chance(0.5)) return begin(usurper(place, true), atMs);
    const member = random.chance(0.4) ? 'leader' : random.pick(ids)!;
    return begin([{ do: 'restart', member, amnesia: true }], atMs);
  }).flat();
}

function begin(fault: Fault, nowMs: number): WorldEvent[] {
  return fault.map(
    ({ afterMs = 0, ...action }) => ({ atMs: tidyMs(nowMs + afterMs), ...action }) as WorldEvent,
  );
}

/** Drops events about members that are never added. */
function namingKnown(faults: readonly WorldEvent[], { members }: Cluster): readonly WorldEvent[] {
  const ids = new Set<MemberId>(members.map((member) => member.id));
  for (const fault of faults) if (fault.do === 'add') ids.add(fault.member);
  return faults.filter((fault) => fault.do !== 'remove' || ids.has(fault.member));
}

function drawKinds(definition: Definition, names: readonly string[], random: Random): readonly string[] {
  const share = random.pick([0.15, 0.3, 0.5])!;
  return names.filter((kind) => {
    const enabled = random.chance(share);
    if (!COMMANDS.includes(kind)) return enabled;
    return enabled && definition.commands.some((command) => command === kind);
  });
}
