import type { History } from '../../game/history/history.ts';

const FAULTS: readonly string[] = [
  'crash',
  'restart',
  'twin',
  'pause',
  'partition',
  'cut',
  'network',
  'dropped',
  'held',
  'duplicated',
  'fire',
  'inject',
  'clock',
  'disk',
  'evidence',
];

const counted = new WeakMap<History, { upTo: number; faults: number }>();

/** How many faults this history has seen. It only looks at entries since the last call. */
export function countFaults(history: History): number {
  const known = counted.get(history) ?? { upTo: 0, faults: 0 };
  for (; known.upTo < history.entries.length; known.upTo += 1) {
    const entry = history.entries[known.upTo]!;
    if (entry.kind !== 'event' || entry.event.skipped !== undefined) continue;
    if (FAULTS.includes(entry.event.do)) known.faults += 1;
  }
  counted.set(history, known);
  return known.faults;
}
