/** The settings that a member has if none are given, on a machine that is busy. Real hosts, on a clock that the test moves. */
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/core/index.ts';
import { options, timesOf, timing } from '../../src/protocols/quorum/settings.ts';
import { VirtualCluster } from './virtual.ts';

const THREE = ['a', 'b', 'c'];

function timesWith(given: object): ReturnType<typeof timesOf> {
  return timesOf({
    timing: readSettings(timing, {}, 'timing'),
    options: readSettings(options, given, 'options'),
  });
}

/** For a minute: the event loops of all members are blocked for so long, then they run for so long, and so on. */
function stutter(cluster: VirtualCluster, blockedMs: number, runningMs: number): void {
  for (let ms = 0; ms < 60_000; ms += blockedMs + runningMs) {
    cluster.clock.stall(blockedMs);
    cluster.clock.advance(runningMs);
  }
}

describe('a leader with the default settings', () => {
  it.each([
    [100, 400],
    [500, 100],
    [800, 50],
  ])(
    'keeps its leadership although event loops are blocked for %d ms, then run for %d ms',
    (blocked, running) => {
      const cluster = new VirtualCluster(THREE, { options: {} });
      const leader = cluster.elect();
      const before = cluster.hosts.map(({ history }) => history.length);
      stutter(cluster, blocked, running);
      expect(cluster.acting).toEqual([leader]);
      expect(cluster.hosts.map(({ history }) => history.length)).toEqual(before);
    },
  );

  it('keeps it where one with those of a quick network does not', () => {
    const cluster = new VirtualCluster(THREE, { options: { preset: 'lan' } });
    cluster.elect();
    const before = cluster.hosts.map(({ history }) => history.length);
    stutter(cluster, 500, 100);
    expect(cluster.hosts.map(({ history }) => history.length)).not.toEqual(before);
  });

  it('is bound by a lease of one to two seconds', () => {
    const { leaseMs } = timesWith({});
    expect(leaseMs).toBeGreaterThan(1000);
    expect(leaseMs).toBeLessThan(2000);
  });

  it('is replaced as soon as with those of a quick network, if its process is seen to be dead', () => {
    expect(timesWith({}).hurryMs).toBe(timesWith({ preset: 'lan' }).hurryMs);
    const waited = [{}, { preset: 'lan' }].map((given) => {
      const cluster = new VirtualCluster(THREE, { options: given });
      const leader = cluster.elect();
      cluster.clock.advance(5000);
      const { host, life } = cluster.at(leader);
      host.stop();
      cluster.cut(leader);
      const diedMs = cluster.clock.now();
      const others = THREE.filter((id) => id !== leader);
      for (const id of others)
        cluster.at(id).host.give({ type: 'peer-gone', peer: leader, proof: true, life });
      expect(cluster.until(() => others.some((id) => cluster.at(id).host.acting))).toBe(true);
      return cluster.clock.now() - diedMs;
    });
    expect(waited[0]).toBeLessThanOrEqual(Math.max(200, waited[1]!));
  });
});
