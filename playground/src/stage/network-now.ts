import type { Action, Latency, LinkQuality, WorldEvent } from '../../../src/simulation/index.ts';

/** The default quality of links at that moment. */
export function networkAt(first: LinkQuality, events: readonly WorldEvent[], ms: number): LinkQuality {
  let now = first;
  for (const event of events) {
    if (event.atMs > ms) break;
    if (event.do !== 'network' || event.member !== undefined || event.from !== undefined) continue;
    const { latencyMs, loss, duplicate, reorder } = event;
    now = {
      latencyMs: latencyMs ?? now.latencyMs,
      loss: loss ?? now.loss,
      duplicate: duplicate ?? now.duplicate,
      reorder: reorder ?? now.reorder,
    };
  }
  return now;
}

/** The least and the most latency; with a tail, about the most. */
export function spanOf(latency: Latency): readonly [number, number] {
  return 'meanMs' in latency ? [latency.minMs, 2 * latency.meanMs - latency.minMs] : latency;
}

const LONGEST_MS = 60_000;

/** A new latency range from two input fields. Null if they are invalid. */
export function latencyAction(least: number, most: number): Action | null {
  if (!Number.isFinite(least) || !Number.isFinite(most)) return null;
  const from = Math.min(Math.max(least, 0.1), LONGEST_MS);
  return { do: 'network', latencyMs: [from, Math.min(Math.max(most, from), LONGEST_MS)] };
}
