import type { Message, TraceEvent, TraceStep } from '../../../../src/core/index.ts';

type Line = TraceStep | TraceEvent;

/**
 * Merges the lines of several members. Their clocks differ a little, so an arrival may seem to come before it was
 * sent: it is then moved behind, with everything that its member did afterwards. Times never go back.
 */
export function inOrder(lines: readonly Line[], arrivals: ReadonlyMap<Message, number>): Line[] {
  const queues = new Map<string, Line[]>();
  for (const line of lines) {
    const key = 'event' in line ? '' : `member ${line.member}`;
    const queue = queues.get(key);
    if (queue === undefined) queues.set(key, [line]);
    else queue.push(line);
  }
  const heads = [...queues.values()].map((queue) => ({ queue, at: 0 }));
  const sent = new Set<Message>();
  const ordered: Line[] = [];
  const isWaiting = (line: Line): boolean => {
    if ('event' in line || line.input.type !== 'message') return false;
    const { message } = line.input;
    return arrivals.has(message) && !sent.has(message);
  };
  let nowMs = 0;
  while (ordered.length < lines.length) {
    const open = heads.filter(({ queue, at }) => at < queue.length);
    // If two lines wait for each other, the matching is wrong, and time decides.
    const free = open.filter(({ queue, at }) => !isWaiting(queue[at]!));
    const next = (free.length > 0 ? free : open).reduce((a, b) =>
      b.queue[b.at]!.atMs < a.queue[a.at]!.atMs ? b : a,
    );
    const line = next.queue[next.at]!;
    next.at += 1;
    nowMs = Math.max(nowMs, line.atMs);
    ordered.push(line.atMs === nowMs ? line : { ...line, atMs: nowMs });
    if ('event' in line) continue;
    for (const effect of line.effects) if (effect.type === 'send') sent.add(effect.message);
  }
  return ordered;
}
