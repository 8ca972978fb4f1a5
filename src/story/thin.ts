import { countAllBut, isOrdered, type Scene } from './scene.ts';

/**
 * Counts what matters least first, until no more than `most` scenes are left; in the end, all but the two ends of what
 * happened, and of what the user ordered.
 */
export function thin(scenes: readonly Scene[], most: number): Scene[] {
  const kept = choose(scenes, most);
  const told = new Set(kept);
  // What is no longer told is let go together with what led to it, however long ago that began.
  for (const scene of scenes) {
    if (scene.kind !== 'step' || told.has(scene)) continue;
    scene.parent = null;
    scene.collected = [];
  }
  return kept;
}

function choose(scenes: readonly Scene[], most: number): Scene[] {
  for (const weight of [3, 2, 1]) {
    const kept = countAllBut(scenes, (scene) => scene.weight < weight);
    if (kept.length <= most) return kept;
  }
  const end = Math.floor(most / 8);
  const ordered = scenes.filter(isOrdered);
  const ends = new Set([...bothEnds(scenes, end), ...bothEnds(ordered, end)]);
  return countAllBut(scenes, (scene) => ends.has(scene));
}

export function bothEnds<T>(list: readonly T[], end: number): T[] {
  return list.length <= 2 * end ? [...list] : [...list.slice(0, end), ...list.slice(list.length - end)];
}
