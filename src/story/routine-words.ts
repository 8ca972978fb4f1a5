import { listed } from './names.ts';
import { counted, duration, grouped } from './numbers.ts';
import type { Routine } from './scene.ts';

const MOST_KINDS = 3;

/** "64 keep-alive and 8 ack in 3.2 s (5 lost)", and then the same with ever fewer types of messages by name. */
export function routineWords({ sent, unheard, changes, events }: Routine, lastedMs: number): string[] {
  const most = [...sent].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const missing = [...unheard].map(
    ([fate, count]) => `${grouped(count)} ${fate === 'cut' ? 'cut off' : fate}`,
  );
  const lasted = ` in ${duration(lastedMs)}`;
  if (sent.size + changes + events === 0) return [`${listed(missing)}${lasted}`];
  const after = `${lasted}${missing.length === 0 ? '' : ` (${missing.join(', ')})`}`;
  return Array.from({ length: MOST_KINDS }, (_, i) => {
    const kinds = most.slice(0, MOST_KINDS - i).map(([type, count]) => `${grouped(count)} ${type}`);
    const rest = most.slice(MOST_KINDS - i).reduce((sum, [, count]) => sum + count, 0);
    if (rest > 0) kinds.push(`${grouped(rest)} more`);
    if (changes > 0) kinds.unshift(counted(changes, 'change'));
    if (events > 0) kinds.unshift(`${counted(events, 'event')} of the scenario`);
    return `${listed(kinds)}${after}`;
  });
}
