/** A user's test of a user's service: three replicas, a job every minute, whatever happens to them. */
import { describe, expect, it } from 'vitest';
import { jobService } from '../../examples/job-service.ts';
import { Gate } from '../../src/election/index.ts';
import { type TestCluster, testCluster } from '../../src/testing/index.ts';

class FencedStore {
  readonly minutes: number[] = [];
  readonly tokens: bigint[] = [];
  readonly #gate = new Gate();

  write(token: bigint, minute: number): void {
    if (!this.#gate.accepts(token)) throw new Error(`token ${token} is stale`);
    this.minutes.push(minute);
    this.tokens.push(token);
  }
}

async function replicas(
  seed: number,
): Promise<{ cluster: TestCluster; store: FencedStore; stop: AbortController }> {
  const store = new FencedStore();
  const stop = new AbortController();
  const cluster = await testCluster({
    seed,
    timing: { timeoutMs: [1500, 3000] }, // Minutes pass: a failover may take seconds.
    run: ({ election, now, sleep }) =>
      jobService(election, store, { now, sleep }, stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
      }),
  });
  return { cluster, store, stop };
}

const faults: [string, (cluster: TestCluster) => void][] = [
  ['nothing happens', () => {}],
  ['the leader crashes', (cluster) => cluster.crash('leader')],
  ['the leader is frozen', (cluster) => cluster.pause('leader')],
  ['the leader is cut off', (cluster) => cluster.partition(['leader'], ['followers'])],
  ['the leader resigns', (cluster) => void cluster.election(cluster.leader!).resign()],
  [
    'two replicas crash, and come back',
    (cluster) => {
      cluster.crash('leader');
      cluster.crash('random');
      cluster.restart('all');
    },
  ],
];

describe('a job service with three replicas', () => {
  it.each(faults)('does the job of every minute once: %s', async (_, happen) => {
    for (let seed = 1; seed <= 3; seed++) {
      const { cluster, store } = await replicas(seed);
      await cluster.until(() => store.minutes.length === 2);
      await cluster.advance(30_000);
      happen(cluster);
      await cluster.until(() => store.minutes.length === 4);
      cluster.heal();
      cluster.resume('all');
      cluster.restart('all');
      await cluster.until(() => store.minutes.length === 6);
      expect(store.minutes, `seed ${seed}`).toEqual([1, 2, 3, 4, 5, 6]);
      expect(store.tokens).toEqual([...store.tokens].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
      await cluster.close();
    }
  });

  it('loses the job of the minute in which the leader dies, and no other', async () => {
    const { cluster, store } = await replicas(3);
    await cluster.until(() => store.minutes.length === 1);
    await cluster.advance(120_100 - cluster.nowMs);
    cluster.crash('leader');
    await cluster.until(() => store.minutes.length === 3);
    // It makes up for nothing: whether that is right is for its owner to say, and a test like this to show.
    expect(store.minutes).toEqual([1, 3, 4]);
    await cluster.close();
  });

  it('stops when it is told to, and nobody leads any more', async () => {
    const { cluster, store, stop } = await replicas(4);
    await cluster.until(() => store.minutes.length === 1);
    stop.abort();
    await cluster.advance(120_000);
    expect([store.minutes, cluster.leader]).toEqual([[1], null]);
    await cluster.close();
  });
});
