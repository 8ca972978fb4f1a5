/** The timing of a cluster is changed while it runs, on hosts of their own, by the commands of docs/operations.md. */
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { compiled } from '../support/compiled.ts';
import { blocksOf, Hosts, IDS } from '../support/hosts.ts';
import { Ledger } from '../support/ledger.ts';
import { withoutNamespaces } from '../support/namespaces.ts';

const SCRIPT = await compiled(path.resolve(import.meta.dirname, '../support/writer-process.ts'));
const ELECTIONS = ['main', 'jobs'];

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
  readonly pending: readonly string[];
  readonly timing: string;
  readonly token: string | null;
}

describe.skipIf(reason !== null)(`hosts${reason === null ? '' : ` (${reason})`}`, () => {
  it('get other times by one command each, beside busy processes: never two act, and the leader stays', async () => {
    const lab = new Hosts(3);
    hosts = lab;
    const store = new Ledger();
    ledger = store;
    await once(store.server.listen(0, lab.here), 'listening');
    const { port } = store.server.address() as { port: number };
    const [make, wan, lan, back, single, ...more] = blocksOf('Changing the timing while it runs');
    expect(more).toEqual([]);
    await lab.run(make!);
    const token = (await lab.run('cat token')).trim();
    const urlOf = (id: string): string => `http://${lab.address(1 + IDS.indexOf(id as 'a'))}:7101`;
    const peers = IDS.map((id) => ({ id, url: urlOf(id) }));
    const start = (id: string): void => {
      const host = 1 + IDS.indexOf(id as 'a');
      const options = {
        id,
        cluster: 'shop',
        listen: { host: lab.address(host), port: 7101 },
        secretFile: '/etc/caucus/secret',
        data: '/var/lib/caucus',
        tokens: [{ name: 'alice', roles: ['operate'], token }],
        peers,
      };
      const args = [JSON.stringify(options), String(port), lab.here, ...ELECTIONS];
      // With lan a leader that is blocked for 75 ms loses its lease: members come before the busy processes.
      lab.startProgram(host, id, 'chrt', '-r', '1', process.execPath, SCRIPT, ...args);
    };
    for (const id of IDS) start(id);
    const statusOf = async (id: string, election: string): Promise<Status> =>
      (await (await fetch(`${urlOf(id)}/elections/${election}/status`)).json()) as Status;
    const seen = (): Promise<Status[]> =>
      Promise.all(IDS.flatMap((id) => ELECTIONS.map((election) => statusOf(id, election)))).catch(() => []);
    const have = (timing: string): Promise<void> =>
      lab.until(`all have the timing ${timing}`, async () => {
        const all = await seen();
        const isSo = (each: Status): boolean =>
          each.leader !== null && each.timing === timing && each.pending.length === 0;
        return all.length > 0 && all.every(isSo);
      });
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

    // They survive a restart with another configuration.
    await lab.kill('c');
    start('c');
    await have('steady, timeoutMs [1500,3000]');
    expect(store.overlaps).toEqual([]);
    for (const election of ELECTIONS) expect(store.writes.get(election)!.length).toBeGreaterThan(100);
  }, 300_000);
});
