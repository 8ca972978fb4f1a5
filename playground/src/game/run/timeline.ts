import type { MemberId } from '../../../../src/core/index.ts';
import {
  type Action,
  nameOfTwin,
  tidyMs,
  toUs,
  World,
  type WorldEvent,
} from '../../../../src/simulation/index.ts';
import type { History } from '../history/history.ts';
import { Recorder } from '../history/recorder.ts';
import { LONGEST_RUN_MS, type Run, scenarioOf } from './run.ts';

/** The maximum for a page. */
export const MOST_ENTRIES = 200_000;
const MOST_FLIGHTS = 2 * MOST_ENTRIES;
const TICK_US = 1;

/**
 * One course of events: a world that only goes forward, and its history. The past is looked up in the history; an
 * action in the past creates another timeline.
 */
export class Timeline {
  readonly run: Run;
  readonly history: History;
  readonly world: World;
  readonly #events: WorldEvent[];

  constructor(run: Run) {
    this.run = run;
    this.#events = [...run.events];
    const scenario = scenarioOf(run, this.#events);
    const protocol = scenario.definition.create({ timing: scenario.timing, options: scenario.options });
    const recorder = new Recorder(protocol);
    this.history = recorder.history;
    let world: World | null = null;
    this.world = new World(scenario, run.seed, {
      trace: recorder.trace,
      scheduled: (happening) => recorder.scheduled(happening, (world?.nowUs ?? 0) / 1000),
    });
    world = this.world;
    this.history.claims = world.claims.stretches;
    this.history.acting = world.acting.stretches;
    this.history.violations = world.violations;
  }

  /** Up to when it is computed. */
  get headMs(): number {
    return this.world.nowUs / 1000;
  }

  get hash(): string {
    return this.world.hash;
  }

  get events(): readonly WorldEvent[] {
    return this.#events;
  }

  get isFull(): boolean {
    const { entries, flights } = this.history;
    const isLong = entries.length >= MOST_ENTRIES || flights.all.length >= MOST_FLIGHTS;
    return isLong || this.headMs >= LONGEST_RUN_MS;
  }

  /** Continues up to that moment, or for as long as it may. False if it has not come that far. */
  extendTo(ms: number, mayGoOn: () => boolean = () => true): boolean {
    const untilUs = toUs(ms);
    for (let steps = 1; this.world.step(untilUs); steps++) {
      if (steps % 128 === 0 && (!mayGoOn() || this.isFull)) return this.#endMoment() && false;
    }
    this.world.runUntil(ms);
    return true;
  }

  /** Runs the next event, whenever that is. */
  next(): boolean {
    return !this.isFull && this.world.step(Number.MAX_SAFE_INTEGER) && this.#endMoment();
  }

  /** Everything else at this moment happens now: a run that is shared up to here contains all of it. */
  #endMoment(): true {
    while (!this.isFull && this.world.step(this.world.nowUs)) {
      // Each call runs one event.
    }
    return true;
  }

  /**
   * Does something at the end of what is computed. It becomes an event of the scenario, a microsecond later, so that
   * a replay finds it in the same place: after all that has happened, before all that has not.
   */
  act(actions: readonly Action[]): number {
    const atMs = tidyMs((this.world.nowUs + TICK_US) / 1000);
    const later = this.#events.findIndex((event) => toUs(event.atMs) > toUs(atMs));
    const at = later < 0 ? this.#events.length : later;
    const meant = actions.map((action) => asScenario(action, this.history.members));
    this.#events.splice(at, 0, ...meant.map((action): WorldEvent => ({ ...action, atMs })));
    for (const _ of actions) this.world.step(toUs(atMs));
    this.#endMoment();
    return atMs;
  }

  /** The run with all manual actions, up to that moment. */
  runUpTo(ms: number): Run {
    const events = this.#events.filter((event) => toUs(event.atMs) <= toUs(ms));
    return { ...this.run, events, untilMs: Math.max(tidyMs(ms), 0.001) };
  }
}

/**
 * A manual action on a second process, as a scenario can express it: a scenario names the member, and means its
 * second process only if that process ends. Everything else is done to the member.
 */
export function asScenario(action: Action, members: readonly MemberId[]): Action {
  const firstOf = (id: unknown): MemberId | undefined => members.find((each) => nameOfTwin(each) === id);
  const named = ['member', 'from', 'to', 'peer'].flatMap((field) => {
    const first = firstOf((action as unknown as Record<string, unknown>)[field]);
    return first === undefined ? [] : [[field, first] as const];
  });
  const meant = { ...action, ...Object.fromEntries(named) } as Action;
  if (meant.do === 'crash' && named.length > 0) return { ...meant, twin: true };
  if (meant.do !== 'partition') return meant;
  const seen = new Set<MemberId>();
  const groups = meant.groups.map((group) =>
    group.map((id) => firstOf(id) ?? id).filter((id) => !seen.has(id) && seen.add(id)),
  );
  return { ...meant, groups };
}
