import { type Due, Queue } from '../src/simulation/queue.ts';

/** What no simulator can beat: one queue of the same size, every event taken out and another put in. */
export function queueFloor(pending: number, events: number): number {
  const queue = new Queue<Due>();
  for (let i = 0; i < pending; i++) queue.push({ atUs: (i * 7919) % 1000, seq: 0 });
  for (let i = 0; i < events; i++) {
    const due = queue.pop()!;
    queue.push({ atUs: due.atUs + ((i * 104_729) % 1000), seq: 0 });
  }
  return events;
}
