import type { MemberId } from '../../../../src/core/index.ts';

/** A stretch of leading, as it is drawn. */
export interface Bar {
  readonly member: MemberId;
  readonly term: number | null;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The parts of bars during which another one could act as well. */
export function overlaps(bars: readonly Bar[]): Bar[] {
  const found: Bar[] = [];
  let open: Bar[] = [];
  for (const bar of [...bars].sort((a, b) => a.fromMs - b.fromMs)) {
    open = open.filter((each) => each.toMs > bar.fromMs);
    for (const other of open) {
      const part = { fromMs: bar.fromMs, toMs: Math.min(bar.toMs, other.toMs) };
      if (part.toMs > part.fromMs) found.push({ ...bar, ...part }, { ...other, ...part });
    }
    open.push(bar);
  }
  return found;
}
