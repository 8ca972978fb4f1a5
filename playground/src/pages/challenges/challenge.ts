import type { WorldEvent } from '../../../../src/simulation/index.ts';
import type { History } from '../../game/history/history.ts';
import type { Run } from '../../game/run/run.ts';

/** What a visitor has done so far: everything that a check may look at. */
export interface Played {
  readonly history: History;
  /** The manual actions, in order. */
  readonly events: readonly WorldEvent[];
  /** Up to when the run is computed. */
  readonly headMs: number;
}

export interface Standing {
  readonly solved: boolean;
  /** How far it has come, in a sentence. */
  readonly progress: string;
  readonly actionsUsed: number;
}

/** A goal, and what tells whether it is reached. */
export interface Challenge {
  readonly id: string;
  readonly title: string;
  readonly goal: string;
  readonly rules: readonly string[];
  readonly hints: readonly string[];
  /** A visitor who needs no more actions than this gets a star. Null if there is no star. */
  readonly par: number | null;
  /** The actions that are allowed, by their name in a scenario. Null: all. */
  readonly allowed: readonly string[] | null;
  readonly run: Run;
  check(played: Played): Omit<Standing, 'actionsUsed'>;
}

/** Actions whose name on the page differs from that in a scenario. */
const NAMES: Readonly<Record<string, string>> = {
  crash: 'kill',
  partition: 'split',
  fire: 'fire a timer',
  inject: 'forge a message',
  evidence: 'proof of death',
};

/** The state of a challenge. Pure: the same history gives the same answer. */
export function standingOf(challenge: Challenge, played: Played): Standing {
  const { events } = played;
  const actionsUsed = new Set(events.map((event) => event.atMs)).size;
  const foul = events.find((event) => challenge.allowed?.includes(event.do) === false);
  if (foul !== undefined) {
    const progress = `“${NAMES[foul.do] ?? foul.do}” does not count here. Rewind to before it, or start again.`;
    return { solved: false, progress, actionsUsed };
  }
  return { ...challenge.check(played), actionsUsed };
}
