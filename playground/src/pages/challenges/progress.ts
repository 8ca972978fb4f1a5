import { LADDER } from './ladder.ts';

const PLACE = 'caucus-challenges';

/** With how few actions each challenge was solved. */
export type Progress = Readonly<Record<string, number>>;

/** What this browser has kept. Whatever does not look like it is left out: anybody may have written there. */
export function readProgress(text: string | null): Progress {
  const kept: Record<string, number> = {};
  try {
    const given: unknown = JSON.parse(text ?? '{}');
    if (typeof given !== 'object' || given === null) return kept;
    for (const { id } of LADDER) {
      const actions = (given as Record<string, unknown>)[id];
      if (typeof actions === 'number' && Number.isInteger(actions) && actions >= 0) kept[id] = actions;
    }
  } catch {
    // As if nothing had been kept.
  }
  return kept;
}

export function withSolved(progress: Progress, id: string, actions: number): Progress {
  return { ...progress, [id]: Math.min(progress[id] ?? actions, actions) };
}

export function recall(): Progress {
  try {
    return readProgress(localStorage.getItem(PLACE));
  } catch {
    return {};
  }
}

export function keep(progress: Progress): void {
  try {
    localStorage.setItem(PLACE, JSON.stringify(progress));
  } catch {
    // A browser that keeps nothing is no reason to stop.
  }
}
