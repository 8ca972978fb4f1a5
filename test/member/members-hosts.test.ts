/** The members of a cluster are changed while it runs, on hosts of their own, by the commands of docs/operations.md. */
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { compiled } from '../support/compiled.ts';
import { blocksOf, Hosts } from '../support/hosts.ts';
import { Ledger } from '../support/ledger.ts';
import { withoutNamespaces } from '../support/namespaces.ts';

const SCRIPT = await compiled(path.resolve(import.meta.dirname, '../support/writer-process.ts'));
const ELECTIONS = ['main', 'jobs', 'mail'];

let hosts: Hosts | null = null;
let ledger: Ledger | null = null;

afterEach(async () => {
  await hosts?.close();
  ledger?.server.close();
  hosts = null;
  ledger = null;
});

const reason = withoutNamespaces();

interface Status {
  readonly leader: string | null;
  readonly knownVoters: readonly string[];
  readonly pending: readonly string[];
  readonly detail: string;
  readonly role: string;
  readonly drained: boolean;
}

describe.skipIf(reason !== null)(`hosts${reason === null ? '' : ` (${reason})`}`, () => {
  it('become five members and three again, are replaced, removed and added again, and never two act', async () => {
    const lab = new Hosts(5);
    hosts = lab;
    const store = new Ledger();
    ledger = store;
    await once(store.server.listen(0, lab.here), 'listening');
    const { port } = store.server.address() as { port: number };
    const [make, list, start, add, remove, replace, drain, pause, ...more] = blocksOf(
      'Changing the members while it runs',
    );
    expect(more).toEqual([]);
    await lab.run(make!);
    const urlOf = (id: string): string => `http://${lab.address('abcde'.indexOf(id) + 1)}:7101`;
    const program = (id: string, peers: object): void => {
      const options = {
        id,
        cluster: 'shop',
        listen: { host: lab.address('abcde'.indexOf(id) + 1), port: 7101 },
        secretFile: '/etc/caucus/secret',
        data: '/var/lib/caucus',
        tokens: tokensOf(),
        ...peers,
      };
      const args = [JSON.stringify(options), String(port), lab.here, ...ELECTIONS];
      lab.startProgram('abcde'.indexOf(id) + 1, id, process.execPath, SCRIPT, ...args);
    };
    const token = (await lab.run('cat token')).trim();
    const tokensOf = (): object[] => [{ name: 'alice', roles: ['operate'], token }];
    const founders = ['a', 'b', 'c'].map((id) => ({ id, url: urlOf(id) }));
    for (const { id } of founders) program(id, { peers: founders });
    const statusOf = async (id: string, election: string): Promise<Status> =>
      (await (await fetch(`${urlOf(id)}/elections/${election}/status`)).json()) as Status;
    /** All elections have exactly these members, as each of them says, and a leader among them. */
    const have = (ids: readonly string[]): Promise<void> =>
      lab.until(`${ids} are the members of all elections`, async () => {
        const asked = ids.flatMap((id) => ELECTIONS.map((election) => statusOf(id, election)));
        const all = await Promise.all(asked).catch(() => []);
        return (
          all.length > 0 &&
          all.every(
            ({ knownVoters, leader, pending }) =>
              String(knownVoters) === String(ids) && ids.includes(leader ?? '') && pending.length === 0,
          )
        );
      });
    await have(['a', 'b', 'c']);
    expect(await lab.run(list!)).toMatch(/^shop, as \w knows it\n\nmember +votes +healthy +heard +url/);

    // Three become five. The fourth is started and added by the commands of the page, the fifth is a program.
    lab.start(4, start!);
    await lab.until('d waits to be added', () => lab.has('d', /waits to be added/));
    expect((await statusOf('d', 'main')).role).toBe('none');
    expect(await lab.run(add!)).toMatch(/^d was added\n[\s\S]*\nd +yes +yes/);
    await have(['a', 'b', 'c', 'd']);
    program('e', { join: urlOf('d') });
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
    const asking = request(`${urlOf('a')}/link`, { headers: { ...upgrade, ...key } }).end();
    const [answer] = (await once(asking, 'response')) as [{ statusCode: number; resume(): void }];
    answer.resume();
    expect(answer.statusCode).toBe(410);
    const removed = await statusOf('d', 'main');
    expect(removed).toMatchObject({ role: 'none', leader: null });
    expect(removed.detail).toContain('was removed from the cluster');
    await lab.run(add!);
    await have(['a', 'b', 'c', 'd']);
    // Its own disk has the seat again: it votes after a restart, from its folder alone.
    await lab.kill('d');
    lab.start(4, start!.replace(/--join \S+/, '--join http://10.0.0.9:1'));
    await lab.until(
      'd is back',
      async () => (await statusOf('d', 'main').catch(() => null))?.role === 'follower',
    );
    await lab.run(remove!);
    await have(['a', 'b', 'c']);

    // A machine is replaced by one with another name, while another member is down.
    await lab.kill('c');
    expect(await lab.run(replace!)).toMatch(/^a was replaced by e\n/);
    program('c', { peers: founders });
    await have(['b', 'c', 'e']);

    expect(await lab.run(drain!)).toMatch(/^b leads nothing, .*\nb may lead again\n$/);
    expect(await lab.run(pause!)).toMatch(
      /^takeovers are paused: [\s\S]*\npaused: [\s\S]*\ntakeovers are not paused any more\n/,
    );
    await have(['b', 'c', 'e']);
    expect(store.overlaps).toEqual([]);
    for (const election of ELECTIONS) expect(store.writes.get(election)!.length).toBeGreaterThan(100);
  }, 300_000);
});
