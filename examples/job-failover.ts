/** Tests the failover of job-service.ts in virtual time: ten minutes with a crash and a frozen leader take no time at all. */
import { Gate } from 'caucus';
import { testCluster } from 'caucus/testing';
import { jobService } from './job-service.ts';

const gate = new Gate();
const done: string[] = [];
const store = {
  write(token: bigint, minute: number, by: string): void {
    if (!gate.accepts(token)) throw new Error(`token ${token} is stale`);
    done.push(`minute ${minute} by replica ${by} with token ${token}`);
  },
};

const { signal } = new AbortController();
const cluster = await testCluster({
  members: 3,
  seed: 1,
  run: ({ election, now, sleep }) => jobService(election, store, { now, sleep }, signal),
});

await cluster.until(() => done.length === 3);
const crashed = cluster.leader!;
cluster.crash(crashed);
await cluster.until(() => done.length === 6);
cluster.restart(crashed);
await cluster.advance(1000);
const frozen = cluster.leader!;
cluster.pause(frozen);
await cluster.until(() => done.length === 8);
cluster.resume(frozen);
await cluster.until(() => done.length === 10);

for (const line of done) process.stdout.write(`${line}\n`);
await cluster.close();
