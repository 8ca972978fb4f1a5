import type { MemberId } from '../../../src/core/index.ts';
import type { History } from '../game/history/history.ts';

/** Messages of one kind that are held between two members. */
export interface Held {
  readonly from: MemberId;
  readonly to: MemberId;
  readonly type: string;
  readonly count: number;
}

interface Change extends Held {
  readonly atMs: number;
}

/** A history only grows, so each entry is looked at once. */
const known = new WeakMap<History, { seen: number; changes: Change[] }>();

/** Messages that are held at that moment and can be released. */
export function heldAt(history: History, ms: number): Held[] {
  const held = new Map<string, Held>();
  for (const { from, to, type, count, atMs } of changesOf(history)) {
    if (atMs > ms) break;
    const key = `${from}>${to} ${type}`;
    const left = (held.get(key)?.count ?? 0) + count;
    if (left > 0) held.set(key, { from, to, type, count: left });
    else held.delete(key);
  }
  return [...held.values()];
}

function changesOf(history: History): readonly Change[] {
  const log = known.get(history) ?? { seen: 0, changes: [] };
  known.set(history, log);
  for (; log.seen < history.entries.length; log.seen++) {
    const entry = history.entries[log.seen]!;
    if (entry.kind !== 'event') continue;
    const { do: what, type, from, to, skipped } = entry.event;
    if (skipped !== undefined || type === undefined || (what !== 'held' && what !== 'release')) continue;
    log.changes.push({
      from: from as MemberId,
      to: to as MemberId,
      type: String(type),
      count: what === 'held' ? 1 : -1,
      atMs: entry.atMs,
    });
  }
  return log.changes;
}
