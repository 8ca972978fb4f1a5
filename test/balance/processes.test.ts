/** Thirty elections of three member processes, of which one is killed and restarted. */
import { afterEach, describe, expect, it } from 'vitest';
import { type Printed, UpCluster } from '../cli/up-cluster.ts';
import { until } from '../support/linked.ts';

const ELECTIONS = 30;
let cluster: UpCluster | null = null;

afterEach(async () => {
  await cluster?.stop();
  cluster = null;
});

const isTransfer = ({ event, text }: Printed): boolean =>
  event === 'note' && / transferred to \d for balance/.test(text);

/** How many elections each member leads, as it has told last. */
function countsIn(events: readonly Printed[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { event, id, leads } of events) {
    if (event === 'elections') counts.set(id, leads);
    if (event === 'exit') counts.delete(id);
  }
  return counts;
}

/** Waits until these members lead all elections, as evenly as can be. */
async function balanced(up: UpCluster, ids: readonly number[]): Promise<void> {
  const isEven = (): boolean => {
    const counts = ids.map((id) => countsIn(up.events).get(id) ?? 0);
    const sum = counts.reduce((x, y) => x + y, 0);
    return sum === ELECTIONS && Math.max(...counts) - Math.min(...counts) <= 1;
  };
  await up.seen(isEven);
}

/** The changes of leader in all elections but the main one that this member saw, from a moment on. */
async function changesOf(url: string, fromMs: number): Promise<Printed[]> {
  const { changes } = (await (await fetch(`${url}/changes`)).json()) as Printed;
  return changes.filter(
    ({ electionName, atMs }: Printed) => electionName.startsWith('job-') && atMs >= fromMs,
  );
}

describe('thirty elections of three processes', () => {
  it('are balanced after the start, after a kill and after a restart, by transfers and nothing else', async () => {
    cluster = new UpCluster([
      '--elections',
      String(ELECTIONS),
      '--balance',
      '--port',
      '0',
      '--ui-port',
      '0',
      // A longer lease than usual, which a busy machine does not lose.
      '--timing',
      'timeoutMs=[3000,5000]',
    ]);
    const up = cluster;
    await balanced(up, [1, 2, 3]);
    let from = up.events.length;
    process.kill(up.pidOf(3), 'SIGKILL');
    await up.seen(({ event, id }) => event === 'exit' && id === 3, from);
    await balanced(up, [1, 2]);
    // Those that took over more than their part gave the rest away, and nothing else moved.
    expect(up.events.slice(from).filter(isTransfer).length).toBeLessThanOrEqual(5);
    from = up.events.length;
    const restartedMs = Date.now();
    up.process.stdin!.write('3');
    await balanced(up, [1, 2, 3]);
    // All by transfers: no lease had to expire, and no election changed its leader without one.
    const { url } = up.events.find(({ event, id }) => event === 'member' && id === 1);
    let moves = 0;
    let changes: Printed[] = [];
    await until('each change was a transfer', async () => {
      changes = await changesOf(url, restartedMs);
      moves = up.events.slice(from).filter(isTransfer).length;
      return changes.filter(({ leader }) => leader !== null).length === moves;
    });
    const ended = changes.filter(({ leader }) => leader === null);
    expect(ended.filter(({ cause }) => cause !== 'transferred')).toEqual([]);
    // A third of them moved, and on a machine so busy that members hear of a transfer late, a few more.
    expect(moves).toBeGreaterThanOrEqual(ELECTIONS / 3);
    expect(moves).toBeLessThanOrEqual(ELECTIONS / 2);
  });
});
