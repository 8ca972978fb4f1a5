import { LADDER } from './ladder.ts';

const PLACE = 'caucus-challenges';

/** The fewest actions with which each challenge was solved. */
export type Progress = Readonly<Record<string, number>>;

/** What this browser has stored. Invalid entries are ignored: any script of this origin may have written there. */
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
    // As if nothing was stored.
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
    // Without storage, progress is simply not kept.
  }
}
