import { type Definition, Random } from '../src/core/index.ts';
import {
  type Failure,
  runStorm,
  type Storm,
  scenarioOf,
  shrink,
  type WorldEvent,
} from '../src/simulation/index.ts';
import { type Fault, STOP } from './faults.ts';
import { PROPERTIES, preferredOf, type Subject } from './subjects.ts';

/** A random run with one kind of fault, all of it drawn from the seed. */
export function drawTrial(subject: Subject, fault: Fault, seed: number): Storm {
  const { definition, options, timeoutMs } = subject;
  const random = new Random(seed, `verify ${fault.name}`);
  const ids = Array.from({ length: random.pick([3, 5])! }, (_, i) => i + 1);
  const place = { random, ids, preferred: preferredOf(subject, ids), timeoutMs };
  const network = fault.network?.(place) ?? {};
  const events = [...fault.draw(place), ...publications(definition, timeoutMs, random)];
  const inTime = events.map((event) => ({ ...event, atMs: Math.round(event.atMs) }));
  return {
    protocol: definition.name,
    seed,
    options,
    timing: {},
    members: ids.map((id) => ({ id })),
    network,
    syncMs: null,
    calmLatencyMs: [1, 10],
    timeoutMs,
    faults: inTime.filter(({ atMs }) => atMs < STOP * timeoutMs).sort((a, b) => a.atMs - b.atMs),
    stopMs: STOP * timeoutMs,
    endMs: null,
    exam: false,
  };
}

/** Values are published all the while, where that can be done: otherwise R1 would hold because nothing happened. */
function publications({ commands }: Definition, timeoutMs: number, random: Random): WorldEvent[] {
  if (!commands.includes('publish')) return [];
  return Array.from({ length: 6 }, (_, value) => {
    const atMs = timeoutMs * STOP * random.fraction();
    return { atMs, do: 'publish', value, ...(random.chance(0.3) ? { member: 'all' as const } : {}) };
  });
}

/** The storm made small while it breaks the property, as a scenario; null if it does not break it. */
export function smallest(
  storm: Storm,
  property: string,
  subject: Subject,
): ReturnType<typeof scenarioOf> | null {
  const { options } = subject;
  const strict = pledging(subject, property === 'L1' ? [] : PROPERTIES);
  const usual = { ...storm, options: {} };
  const { world, failure } = runStorm(usual, strict);
  const broken: Failure | undefined =
    property === 'L1' ? (failure ?? undefined) : world.violations.find((each) => each.property === property);
  if (broken?.property !== property) return null;
  const shrinking = shrink(usual, broken, strict);
  for (;;) {
    const { done, value } = shrinking.next();
    if (!done) continue;
    const { protocol, ...rest } = scenarioOf(value.storm);
    return { protocol: protocol!, ...(Object.keys(options).length === 0 ? {} : { options }), ...rest };
  }
}

/**
 * What is made small is what breaks a promise; so that a property that is not promised can be made small too, it is promised here. Settings are
 * made plainer on the way, so the options that make the subject what it is are the defaults.
 */
function pledging({ definition, options }: Subject, properties: typeof PROPERTIES): Definition {
  const pledges = properties.map((property) => ({ property, assuming: [] }));
  const defaults = Object.entries(definition.options).map(([name, setting]) => [
    name,
    Object.hasOwn(options, name) ? { ...setting, default: options[name] } : setting,
  ]);
  return {
    ...definition,
    options: Object.fromEntries(defaults),
    create: (config) => ({ ...definition.create(config), pledges }),
  };
}
