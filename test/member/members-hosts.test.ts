/** The members of a cluster are changed while it runs, on hosts of their own, by the commands of docs/operations.md. */
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { blocksOf } from '../support/hosts.ts';
import { withoutNamespaces } from '../support/namespaces.ts';
import { OperatedHosts } from '../support/operated-hosts.ts';

const ELECTIONS = ['main', 'jobs', 'mail'];

let hosts: OperatedHosts | null = null;

afterEach(async () => {
  await hosts?.close();
  hosts = null;
});

const reason = withoutNamespaces();

describe.skipIf(reason !== null)(`hosts${reason === null ? '' : ` (${reason})`}`, () => {
  it('become five members and three again, are replaced, removed and added again, and never two act', async () => {
    const [make, list, start, add, remove, replace, drain, pause, ...more] = blocksOf(
      'Changing the members while it runs',
    );
    expect(more).toEqual([]);
    const cluster = await OperatedHosts.open(5, ELECTIONS, make!);
    hosts = cluster;
    const { lab } = cluster;
    const founders = cluster.peers('a', 'b', 'c');
    for (const { id } of founders) cluster.start(id, { peers: founders });
    /** All elections have exactly these members, as each of them says, and a leader among them. */
    const have = (ids: readonly string[]): Promise<void> =>
      cluster.all(
        `${ids} are the members of all elections`,
        ids,
        ({ knownVoters, leader, pending }) =>
          String(knownVoters) === String(ids) && ids.includes(leader ?? '') && pending.length === 0,
      );
    await have(['a', 'b', 'c']);
    expect(await lab.run(list!)).toMatch(/^shop, as \w knows it\n\nmember +votes +healthy +heard +url/);

    // Three become five. The fourth is started and added by the commands of the page, the fifth is a program.
    lab.start(4, start!);
    await lab.until('d waits to be added', () => lab.has('d', /waits to be added/));
    expect((await cluster.statusOf('d', 'main')).role).toBe('none');
    expect(await lab.run(add!)).toMatch(/^d was added\n[\s\S]*\nd +yes +yes/);
    await have(['a', 'b', 'c', 'd']);
    cluster.start('e', { join: cluster.urlOf('d') });
    const adding = add!.replaceAll(' d ', ' e ').replaceAll('10.0.0.4', '10.0.0.5');
    await lab.until('e is added', () =>
      lab.run(adding).then(
        () => true,
        () => false,
      ),
    );
    await have(['a', 'b', 'c', 'd', 'e']);

    // And three again; one that was removed is told, and is added again with its folder.
    await lab.run(remove!);
    await lab.run(remove!.replace('remove d', 'remove e'));
    await have(['a', 'b', 'c']);
    await lab.until('d is told', () => lab.has('d', /member d was removed from the cluster, as \w knows it/));
    const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'caucus-member': 'd' };
    const key = { 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', 'sec-websocket-version': '13' };
    const { request } = await import('node:http');
    const asking = request(`${cluster.urlOf('a')}/link`, { headers: { ...upgrade, ...key } }).end();
    const [answer] = (await once(asking, 'response')) as [{ statusCode: number; resume(): void }];
    answer.resume();
    expect(answer.statusCode).toBe(410);
    const removed = await cluster.statusOf('d', 'main');
    expect(removed).toMatchObject({ role: 'none', leader: null });
    expect(removed.detail).toContain('was removed from the cluster');
    await lab.run(add!);
    await have(['a', 'b', 'c', 'd']);
    // Its own disk has the seat again: it votes after a restart, from its folder alone.
    await lab.kill('d');
    lab.start(4, start!.replace(/--join \S+/, '--join http://10.0.0.9:1'));
    await lab.until(
      'd is back',
      async () => (await cluster.statusOf('d', 'main').catch(() => null))?.role === 'follower',
    );
    await lab.run(remove!);
    await have(['a', 'b', 'c']);

    // A machine is replaced by one with another name, while another member is down.
    await lab.kill('c');
    expect(await lab.run(replace!)).toMatch(/^a was replaced by e\n/);
    cluster.start('c', { peers: founders });
    await have(['b', 'c', 'e']);

    expect(await lab.run(drain!)).toMatch(/^b leads nothing, .*\nb may lead again\n$/);
    expect(await lab.run(pause!)).toMatch(
      /^takeovers are paused: [\s\S]*\npaused: [\s\S]*\ntakeovers are not paused any more\n/,
    );
    await have(['b', 'c', 'e']);
    expect(cluster.outcome).toEqual({ overlaps: 0, unwritten: [] });
  }, 300_000);
});
