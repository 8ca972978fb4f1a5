import { countAllBut, isOrdered, type Scene } from './scene.ts';

/**
 * Counts the least important scenes first, until at most `most` are left; in the end, all but both ends of the
 * history, and of the ordered events.
 */
export function thin(scenes: readonly Scene[], most: number): Scene[] {
  const kept = choose(scenes, most);
  const told = new Set(kept);
  // A scene that is no longer shown also drops its references to earlier scenes, so that memory is freed.
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
