/** An etcd that ends leases which were renewed (etcd issue 15247): whoever connects to one is told. */
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Election, type LogEntry } from '../../src/election/index.ts';
import { won } from '../../src/engines/conformance/stage.ts';
import { etcd } from '../../src/engines/etcd/index.ts';
import { endsRenewedLeases, VersionWarning } from '../../src/engines/etcd/versions.ts';
import { hasEtcd } from '../support/servers/etcd.ts';
import { EtcdBed, until } from '../support/servers/etcd-bed.ts';

describe('the versions of etcd that end leases which were renewed', () => {
  it.each(['3.3.27', '3.4.0', '3.4.23', '3.4.30', '3.5.0', '3.5.12', '3.5.12-rc.1', '2.3.8'])(
    'include %s',
    (version) => expect(endsRenewedLeases(version)).toBe(true),
  );

  it.each(['3.4.31', '3.4.40', '3.5.13', '3.5.21', '3.6.0', '3.7.0-alpha.0', '4.0.0', 'unknown', ''])(
    'do not include %j',
    (version) => expect(endsRenewedLeases(version)).toBe(false),
  );
});

describe('an engine with several endpoints of such a version', () => {
  it('warns once', () => {
    const told: string[] = [];
    const warning = new VersionWarning(({ message }) => told.push(message));
    warning.onVersion({ host: 'new', port: 2379 }, '3.5.21');
    for (const host of ['one', 'two']) warning.onVersion({ host, port: 2379 }, '3.4.23');
    expect(told).toEqual([expect.stringMatching(/^etcd 3\.4\.23 at one:2379 .*3\.4\.31, 3\.5\.13/)]);
  });
});

describe.runIf(hasEtcd())('whoever connects to etcd', () => {
  let bed: EtcdBed;
  let version: string;

  beforeAll(async () => {
    bed = await EtcdBed.start();
    const answer = await fetch(`http://127.0.0.1:${bed.server.port}/version`);
    version = ((await answer.json()) as { etcdserver: string }).etcdserver;
  });
  afterEach(() => bed.clear());
  afterAll(() => bed?.close());

  it('is told once, over whichever endpoints, if it is one of those', async () => {
    const [one, two] = [await bed.proxy(), await bed.proxy()];
    const told: LogEntry[] = [];
    const log = (entry: LogEntry): void => void told.push(entry);
    const url = `${one.etcdUrl},${two.etcdUrl.replace('etcd://', '')}`;
    await won(bed.join(bed.newName(), { log }, url));
    if (!endsRenewedLeases(version)) return expect(told).toEqual([]);
    await until('told', () => told.length > 0);
    one.refuse();
    await until('it uses the other', () => two.asked > 1);
    const where = one.etcdUrl.replace('etcd://', '');
    expect(told).toEqual([
      { level: 'warning', message: expect.stringMatching(`^etcd ${version} at ${where} .*3.4.31, 3.5.13`) },
    ]);
  });

  it('hears of it as a warning of the process where it has given no log', async () => {
    if (!endsRenewedLeases(version)) return;
    const warned = once(process, 'warning');
    const engine = etcd(bed.server.url);
    bed.closing.push(engine);
    await won(new Election(bed.newName(), engine));
    const [warning] = await warned;
    expect(warning).toMatchObject({ name: 'CaucusWarning', code: 'CAUCUS_ETCD_VERSION' });
  });

  it('cannot give anything else than a function', () => {
    expect(() => etcd(bed.server.url, { log: 'x' as never })).toThrow(/^log: expected a function/);
  });
});
