/** The timing of a cluster is changed while it runs, on hosts of their own, by the commands of docs/operations.md. */
import { afterEach, describe, expect, it } from 'vitest';
import { blocksOf, IDS } from '../support/hosts.ts';
import { withoutNamespaces } from '../support/namespaces.ts';
import { OperatedHosts } from '../support/operated-hosts.ts';

let hosts: OperatedHosts | null = null;

afterEach(async () => {
  await hosts?.close();
  hosts = null;
});

const reason = withoutNamespaces();

describe.skipIf(reason !== null)(`hosts${reason === null ? '' : ` (${reason})`}`, () => {
  it('get other times by one command each, beside busy processes: never two act, and the leader stays', async () => {
    const [make, wan, lan, back, single, drift, ...more] = blocksOf('Changing the timing while it runs');
    expect(more).toEqual([]);
    const cluster = await OperatedHosts.open(3, ['main', 'jobs'], make!);
    hosts = cluster;
    const { lab, store } = cluster;
    // With lan a leader that is blocked for 75 ms loses its lease: members come before the busy processes.
    const start = (id: string): void =>
      cluster.start(id, { peers: cluster.peers(...IDS) }, 'chrt', '-r', '1');
    for (const id of IDS) start(id);
    const have = (timing: string): Promise<void> =>
      cluster.all(
        `all have the timing ${timing}`,
        IDS,
        (each) => each.leader !== null && each.timing === timing && each.pending.length === 0,
      );
    await have('steady');
    for (const host of [1, 2]) lab.startProgram(host, `busy ${host}`, 'sh', '-c', 'while :; do :; done');
    const changes: Record<string, number> = {};
    for (const [name, block] of [
      ['wan', wan!],
      ['lan', lan!],
      ['steady', back!],
    ] as const) {
      const before = store.leaderships('main');
      expect(await lab.run(block)).toMatch(new RegExp(`^the timing is ${name}\n`));
      await have(name);
      changes[name] = store.leaderships('main') - before;
    }
    expect(Object.values(changes).every((count) => count <= 1)).toBe(true);
    expect(await lab.run(single!)).toMatch(/\ntiming: steady, timeoutMs \[1500,3000\]\n/);
    await have('steady, timeoutMs [1500,3000]');
    await lab.kill('c');
    expect(await lab.run(drift!)).toMatch(/^the timing is steady, timeoutMs \[1500,3000\], maxDrift 0.05\n/);

    // They survive a restart with another configuration, and reach a member that was away.
    start('c');
    await have('steady, timeoutMs [1500,3000], maxDrift 0.05');
    expect(cluster.outcome).toEqual({ overlaps: 0, unwritten: [] });
  }, 300_000);
});
