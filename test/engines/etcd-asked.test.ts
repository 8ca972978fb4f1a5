/** Requests to resign in etcd: what they leave there, whom they disturb, and who finds them without being told. */
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { aborted, seen, won } from '../../src/engines/conformance/stage.ts';
import { hasEtcd } from '../support/servers/etcd.ts';
import { EtcdBed, PATIENT } from '../support/servers/etcd-bed.ts';

let bed: EtcdBed;

describe.runIf(hasEtcd())('requests to resign in etcd', () => {
  beforeAll(async () => {
    bed = await EtcdBed.start();
  });
  afterEach(() => bed.clear());
  afterAll(() => bed?.close());

  it('stand beside the candidates, with a lease of their own', async () => {
    const name = bed.newName();
    const [a, b] = [bed.join(name), bed.join(name)];
    const leadership = await won(a);
    await seen(b, 'the leader', ({ token }) => token === leadership.token);
    await b.askToResign({ reason: 'an upgrade' });
    await aborted(leadership.signal);
    expect(await bed.keysOf(`${name}.`)).toEqual([`${name}.asked.${leadership.token}`]);
    const found = JSON.parse(
      await bed.server.ctl(['get', `${name}.asked.${leadership.token}`, '-w', 'json']),
    );
    expect(found.kvs[0].lease).toBeGreaterThan(0);
    expect(await bed.keysOf(`${name}/`)).toHaveLength(1);
    await leadership.resign();
    await b.askToResign({ token: leadership.token, reason: 'too late' });
    expect(await bed.server.ctl(['get', `${name}.asked.${leadership.token}`, '--print-value-only'])).toBe(
      'an upgrade',
    );
  });

  it('are found by a leader that was cut off when they came', async () => {
    const name = bed.newName();
    const proxy = await bed.proxy();
    const a = bed.join(name, PATIENT, proxy.etcdUrl);
    const leadership = await won(a);
    const b = bed.join(name);
    await seen(b, 'the leader', ({ token }) => token === leadership.token);
    proxy.refuse();
    await b.askToResign({ reason: 'while it was away' });
    expect(leadership.isValid()).toBe(true);
    proxy.restore();
    await aborted(leadership.signal);
    expect(leadership.signal.reason).toMatchObject({
      detail: 'its resignation was requested: while it was away',
    });
    await leadership.resign();
  });

  it('do not disturb a program of another kind', async () => {
    const name = bed.newName();
    const child = bed.server.spawnCtl(['elect', name, 'host-7']);
    try {
      const ours = bed.join(name);
      const { token } = await seen(ours, 'the leader', ({ leader }) => leader === 'host-7');
      const [key] = await bed.keysOf(`${name}/`);
      await ours.askToResign({ reason: 'nobody listens' });
      expect(await bed.keysOf(`${name}.`)).toEqual([`${name}.asked.${token}`]);
      expect(await bed.keysOf(`${name}/`)).toEqual([key]);
      expect(child.exitCode).toBeNull();
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });
});
