/** Every order of steps of two processes (world.ts), within bounds, until one breaks a promise. */
import type { Support } from '../../src/support/index.ts';
import { type Bug, plant } from '../support/plant.ts';
import { type Budget, type Step, World } from './world.ts';

export interface Bounds {
  readonly elections: number;
  readonly budget: Partial<Budget>;
}

export interface Explored {
  readonly states: number;
  /** Nothing within the bounds was left out. */
  readonly complete: boolean;
  /** In how many of these an election rested on both sides. */
  readonly resting: number;
  readonly failure: { readonly what: string; readonly steps: readonly Step[] } | null;
}

const NOTHING: Budget = {
  passes: 0,
  beats: 0,
  rests: 0,
  wakes: 0,
  voterWakes: 0,
  resigns: 0,
  wins: 0,
  votes: 0,
  restarts: 0,
  voterRestarts: 0,
  drops: 0,
  duplicates: 0,
  inFlight: 2,
};

/** Support whose state can be read, with a bug or without. */
export async function openSupport(bug: Bug = { name: 'none', patches: [] }): Promise<typeof Support> {
  const [support] = await plant(['support'], bug, { open: true });
  return (support as { readonly Support: typeof Support }).Support;
}

/** A step and the one before it: a state is reached by them, from the first. */
interface Reached {
  readonly before: Reached | null;
  readonly step: Step | null;
}

/** Breadth first, so that a failure has as few steps as can be. `isEnough` ends it before it is complete. */
export function explore(
  Machine: typeof Support,
  { elections, budget }: Bounds,
  isEnough: (states: number) => boolean = () => false,
): Explored {
  const names = Array.from({ length: elections }, (_, i) => `e${i + 1}`);
  const seen = new Set<string>();
  let resting = 0;
  const result = (failure: Explored['failure'], complete: boolean): Explored => ({
    states: seen.size,
    complete,
    resting,
    failure,
  });
  let waiting: Reached[] = [{ before: null, step: null }];
  while (waiting.length > 0) {
    const next: Reached[] = [];
    for (const reached of waiting) {
      const world = new World(Machine, names, { ...NOTHING, ...budget });
      const steps = stepsTo(reached);
      for (const step of steps) world.do(step);
      if (world.failure !== null) return result({ what: world.failure, steps }, false);
      const { key } = world;
      if (seen.has(key)) continue;
      seen.add(key);
      if (world.isResting) resting += 1;
      if (isEnough(seen.size)) return result(null, false);
      for (const step of world.steps) next.push({ before: reached, step });
    }
    waiting = next;
  }
  return result(null, true);
}

function stepsTo(reached: Reached): readonly Step[] {
  const steps: Step[] = [];
  for (let at: Reached | null = reached; at !== null; at = at.before)
    if (at.step !== null) steps.push(at.step);
  return steps.reverse();
}
