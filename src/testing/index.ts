/**
 * A cluster for tests, in memory and in virtual time:
 *
 *     const cluster = await testCluster({ members: 3, run: ({ election }) => service(election) });
 *     await cluster.until(() => cluster.leader !== null);
 *     cluster.crash(cluster.leader);
 *     await cluster.until(() => …);
 */
import type { TestClusterOptions } from './options.ts';
import { TestCluster } from './test-cluster.ts';

export type { TestClusterOptions } from './options.ts';
export type { Reign, TestCluster } from './test-cluster.ts';
export type { TestProcess } from './test-process.ts';

/** A cluster whose members have all started; no time has passed yet. */
export async function testCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const cluster = new TestCluster(options);
  await cluster.advance(0);
  return cluster;
}
