/** What every engine does, on a real etcd. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { conformance, type Participant } from '../../src/engines/conformance/index.ts';
import { etcd } from '../../src/engines/etcd/index.ts';
import { EtcdServer, hasEtcd } from '../support/servers/etcd.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

let server: EtcdServer;
const proxies = new Map<Participant, TcpProxy>();

const cases = conformance({
  leaseMs: 2000,
  async open(options) {
    const proxy = await startTcpProxy(`http://127.0.0.1:${server.port}`);
    const engine = etcd(proxy.url.replace('http', 'etcd'), options);
    proxies.set(engine, proxy);
    return engine;
  },
  crash(participant) {
    proxies.get(participant)!.freeze();
  },
});

describe.runIf(hasEtcd())('etcd, as an engine', () => {
  beforeAll(async () => {
    server = await EtcdServer.start();
  });
  afterAll(async () => {
    for (const proxy of proxies.values()) await proxy.close();
    await server?.close();
  });
  for (const { name, skip, run } of cases) (skip === null ? it : it.skip)(name, run);
});
