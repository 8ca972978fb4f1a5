/** That the API server of the tests is as strict as a real one: the same holds where they run against one. */
import { randomBytes } from 'node:crypto';
import https from 'node:https';
import { afterAll, describe, expect, it } from 'vitest';
import { CLOSED_NAMESPACE, hasKubernetes, KubernetesServer, TOKEN } from '../support/servers/kubernetes.ts';
import { type Cluster, requestJson } from '../support/servers/kubernetes-api/cluster.ts';
import { RealCluster, realKubeconfig } from '../support/servers/kubernetes-api/real-cluster.ts';

const can = Boolean(realKubeconfig) || hasKubernetes();
const ours = can && !realKubeconfig ? await KubernetesServer.start() : null;
const cluster: Cluster | null = realKubeconfig ? new RealCluster(realKubeconfig) : ours;
afterAll(() => cluster?.close());

const named = (): string => `caucus-test-${randomBytes(4).toString('hex')}`;
const lease = (name: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, ...metadata },
  spec,
});
const post = (body: object) => cluster!.request('POST', 'leases', body);
const put = (name: string, body: object) => cluster!.request('PUT', `leases/${name}`, body);

describe.runIf(can)('an API server', () => {
  it('gives what it makes a version, a uid and a time, and each write a greater version', async () => {
    const name = named();
    const { status, body } = await post(lease(name, { holderIdentity: '' }));
    expect(status).toBe(201);
    expect(body.metadata).toMatchObject({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resourceVersion: expect.stringMatching(/^[1-9]\d*$/),
      creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(body.spec).toEqual({ holderIdentity: '' });
    expect((await post(lease(name))).body).toMatchObject({ reason: 'AlreadyExists', code: 409 });
    const changed = await put(name, { ...body, spec: { holderIdentity: 'x', renewTime: null } });
    expect(changed.body.spec).toEqual({ holderIdentity: 'x' });
    expect(BigInt(changed.body.metadata.resourceVersion)).toBeGreaterThan(
      BigInt(body.metadata.resourceVersion),
    );
    expect((await put(name, changed.body)).body.metadata.resourceVersion).toBe(
      changed.body.metadata.resourceVersion,
    );
  });

  it('replaces only the version and the object that it is told to', async () => {
    const name = named();
    const { body } = await post(lease(name));
    await put(name, { ...body, spec: { holderIdentity: 'first' } });
    expect((await put(name, { ...body, spec: { holderIdentity: 'second' } })).body).toMatchObject({
      kind: 'Status',
      status: 'Failure',
      reason: 'Conflict',
      code: 409,
      message: expect.stringContaining('the object has been modified'),
    });
    expect((await put(name, lease(name))).status).toBe(422);
    await cluster!.deleteElection(name);
    const { body: gone } = await cluster!.request('GET', `leases/${name}`);
    expect(gone).toMatchObject({ reason: 'NotFound', code: 404, details: { kind: 'leases', name } });
    expect((await put(name, body)).body).toMatchObject({
      reason: 'Conflict',
      message: expect.stringContaining('Precondition failed: UID in precondition'),
    });
    // Whoever does not say which object it was makes a new one.
    const { uid: _, ...metadata } = body.metadata;
    expect((await put(name, { ...body, metadata })).status).toBe(201);
  });

  it('reads times with six digits after the second only', async () => {
    for (const time of [
      '2026-01-02T03:04:05Z',
      '2026-01-02T03:04:05.123Z',
      '2026-01-02T03:04:05.123456789Z',
      'soon',
    ])
      expect((await post(lease(named(), { renewTime: time }))).body).toMatchObject({
        reason: 'BadRequest',
        code: 400,
      });
    const { body } = await post(lease(named(), { renewTime: '2026-01-02T03:04:05.123456+01:00' }));
    expect(body.spec.renewTime).toBe('2026-01-02T02:04:05.123456Z');
  });

  it('checks every field', async () => {
    const invalid: [object, object][] = [
      [{ leaseDurationSeconds: 0 }, {}],
      [{ leaseDurationSeconds: -1 }, {}],
      [{ leaseTransitions: -1 }, {}],
      [{ preferredHolder: 'x' }, {}],
      [{}, { name: 'Not_A_Name' }],
      [{}, { annotations: { 'a/b/c': 'x' } }],
      [{}, { annotations: { big: 'x'.repeat(256 * 1024) } }],
    ];
    for (const [spec, metadata] of invalid)
      expect((await post(lease(named(), spec, metadata))).body).toMatchObject({
        reason: 'Invalid',
        code: 422,
      });
    const unreadable = [{ leaseDurationSeconds: 1.5 }, { leaseDurationSeconds: '15' }, { holderIdentity: 7 }];
    for (const spec of unreadable) expect((await post(lease(named(), spec))).status).toBe(400);
  });

  it('wants JSON', async () => {
    const body = lease(named());
    expect((await cluster!.request('POST', 'leases', body, { 'content-type': 'text/plain' })).status).toBe(
      415,
    );
  });
});

describe.runIf(ours !== null)('the API server of the tests', () => {
  const url = (namespace: string, rest: string): string =>
    `${ours!.server}/apis/coordination.k8s.io/v1/namespaces/${namespace}/${rest}`;

  it('knows who may do what', async () => {
    const ask = (namespace: string, token: string, method = 'GET') =>
      requestJson(url(namespace, 'leases/x'), {
        method,
        ca: ours!.ca,
        headers: { authorization: `Bearer ${token}` },
      });
    expect((await ask(ours!.namespace, 'wrong')).body).toMatchObject({ reason: 'Unauthorized', code: 401 });
    expect((await ask(CLOSED_NAMESPACE, TOKEN)).body).toMatchObject({ reason: 'Forbidden', code: 403 });
    expect((await ask(ours!.namespace, TOKEN, 'DELETE')).status).toBe(403);
    expect((await ask(ours!.namespace, TOKEN)).status).toBe(404);
  });

  it('tells events in order, from a version that it remembers', async () => {
    const name = named();
    const { body: created } = await post(lease(name));
    const from = created.metadata.resourceVersion;
    const { body: changed } = await put(name, { ...created, spec: { holderIdentity: 'x' } });
    await post(lease(named()));
    await ours!.deleteElection(name);
    const events = await watched(
      `fieldSelector=metadata.name%3D${name}&resourceVersion=${from}&allowWatchBookmarks=true`,
      3,
    );
    expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED', 'BOOKMARK']);
    expect(events[0]!.object).toEqual(changed);
    expect(BigInt(events[1]!.object.metadata.resourceVersion!)).toBeGreaterThan(
      BigInt(changed.metadata.resourceVersion),
    );
    const [expired] = await watched('resourceVersion=1', 1);
    expect(expired).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  });

  async function watched(query: string, count: number) {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const request = https.get(url(ours!.namespace, `leases?watch=1&${query}`), {
      ca: ours!.ca,
      headers,
      agent: false,
    });
    const response = await new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
      request.on('response', resolve).on('error', reject);
    });
    let text = '';
    for await (const chunk of response) {
      text += chunk;
      if (text.split('\n').length > count) break;
    }
    const lines = text.split('\n').slice(0, count);
    return lines.map(
      (line) => JSON.parse(line) as { type: string; object: { metadata: Record<string, string> } },
    );
  }
});
