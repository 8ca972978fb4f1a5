/** Together with etcd's own `etcdctl elect`, in the same elections. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { seen, won } from '../../src/engines/conformance/stage.ts';
import { etcd } from '../../src/engines/etcd/index.ts';
import { EtcdServer, hasEtcd } from '../support/servers/etcd.ts';
import { PATIENT, until } from '../support/servers/etcd-bed.ts';

let server: EtcdServer;
let engines: { close(): Promise<void> }[] = [];
let children: ChildProcess[] = [];

function join(election: string, name: string, leaseMs = 60_000): Election {
  const engine = etcd(server.url, { ...PATIENT, leaseMs, name });
  engines.push(engine);
  return new Election(election, engine);
}

/** An etcdctl elect, and the lines that it prints. */
function elect(args: readonly string[]): { child: ChildProcess; line(): Promise<string> } {
  const child = server.spawnCtl(['elect', ...args]);
  children.push(child);
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return { child, line: async () => (await lines.next()).value as string };
}

const keysOf = async (election: string): Promise<string[]> =>
  (await server.ctl(['get', '--prefix', `${election}/`, '--keys-only']))
    .split('\n')
    .filter((key) => key !== '');

describe.runIf(hasEtcd())('etcdctl elect and the engine', () => {
  beforeAll(async () => {
    server = await EtcdServer.start();
  });
  afterEach(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
    for (const child of children) child.kill('SIGKILL');
    [engines, children] = [[], []];
  });
  afterAll(() => server?.close());

  it('it leads: we see what it proposes, wait, and lead when it is interrupted', async () => {
    const { child, line } = elect(['jobs-a', 'host-7']);
    expect(await line()).toMatch(/^jobs-a\/[0-9a-f]+$/);
    const ours = join('jobs-a', 'node-1');
    const { token } = await seen(ours, 'the leader', ({ leader }) => leader === 'host-7');
    const next = won(ours);
    await until('2 stand', async () => (await keysOf('jobs-a')).length === 2);
    expect(ours.leader()).toEqual({ name: 'host-7', token });
    child.kill('SIGINT');
    expect((await next).token).toBeGreaterThan(token!);
  });

  it('we lead: it sees us, waits, and leads when we resign', async () => {
    const ours = join('jobs/b', 'node-1');
    const leadership = await won(ours);
    const observer = elect(['-l', 'jobs/b']);
    expect(await observer.line()).toMatch(/^jobs\/b\/[0-9a-f]+$/);
    expect(await observer.line()).toBe('node-1');
    await leadership.publish({ at: 'http://node-1' });
    await observer.line();
    expect(JSON.parse(await observer.line())).toEqual({ name: 'node-1', value: { at: 'http://node-1' } });
    const candidate = elect(['jobs/b', 'host-7']);
    await until('2 stand', async () => (await keysOf('jobs/b')).length === 2);
    await leadership.resign();
    expect(await candidate.line()).toMatch(/^jobs\/b\/[0-9a-f]+$/);
    expect(await candidate.line()).toBe('host-7');
    const { token, value } = await seen(ours, 'the leader', ({ leader }) => leader === 'host-7');
    expect(token).toBeGreaterThan(leadership.token);
    expect(value).toEqual({ at: 'http://node-1' });
  });

  it('it is killed: we lead when its lease is over', async () => {
    const { child, line } = elect(['jobs-c', 'host-7']);
    const key = await line();
    const ours = join('jobs-c', 'node-1');
    const next = won(ours);
    await seen(ours, 'the leader', ({ leader }) => leader === 'host-7');
    await until('2 stand', async () => (await keysOf('jobs-c')).length === 2);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(ours.leader()?.name).toBe('host-7');
    // Its lease is of 60 s; this is what etcd does in the end.
    await server.ctl(['lease', 'revoke', key.split('/')[1]!]);
    await next;
  });

  it('all wait in one queue: it came before us, so it leads before us', async () => {
    const [first, ours] = [join('jobs-d', 'node-1'), join('jobs-d', 'node-2')];
    const leadership = await won(first);
    const candidate = elect(['jobs-d', 'host-7']);
    await until('2 stand', async () => (await keysOf('jobs-d')).length === 2);
    const next = won(ours);
    await until('3 stand', async () => (await keysOf('jobs-d')).length === 3);
    await leadership.resign();
    await candidate.line();
    const between = await seen(ours, 'the leader', ({ leader }) => leader === 'host-7');
    candidate.child.kill('SIGINT');
    expect((await next).token).toBeGreaterThan(between.token!);
  });

  it('the key is that of the Go client, and hangs on the lease that it names', async () => {
    const ours = join('jobs-e', 'node-1');
    const leadership = await won(ours);
    const found = JSON.parse(await server.ctl(['get', '--prefix', 'jobs-e/', '-w', 'json'])) as {
      kvs: { key: string; value: string; create_revision: number }[];
    };
    const [entry] = found.kvs;
    const key = Buffer.from(entry!.key, 'base64').toString();
    expect(key).toMatch(/^jobs-e\/[1-9a-f][0-9a-f]*$/);
    expect(Buffer.from(entry!.value, 'base64').toString()).toBe('node-1');
    expect(BigInt(entry!.create_revision)).toBe(leadership.token);
    expect(await server.ctl(['lease', 'timetolive', '--keys', key.split('/')[1]!])).toMatch(
      /granted with TTL\(60s\).*attached keys\(\[jobs-e\//,
    );
  });

  it('a lease is rounded up to whole seconds', async () => {
    const leadership = await won(join('jobs-f', 'node-1', 2500));
    const [key] = await keysOf('jobs-f');
    const lease = await server.ctl(['lease', 'timetolive', key!.split('/')[1]!]);
    expect(lease).toMatch(/granted with TTL\(3s\)/);
    expect(leadership.expiresInMs).toBeLessThanOrEqual(2500 * 0.95);
  });
});
