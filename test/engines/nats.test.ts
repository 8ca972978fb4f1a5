/** What every engine does, on a real NATS. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { conformance, type Participant } from '../../src/engines/conformance/index.ts';
import { nats } from '../../src/engines/nats/index.ts';
import { hasNats, NatsServer } from '../support/servers/nats.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

let server: NatsServer;
const proxies = new Map<Participant, TcpProxy>();

const cases = conformance({
  leaseMs: 1000,
  async open(options) {
    const proxy = await startTcpProxy(`http://127.0.0.1:${server.port}`);
    const engine = nats(proxy.url.replace('http', 'nats'), options);
    proxies.set(engine, proxy);
    return engine;
  },
  crash(participant) {
    proxies.get(participant)!.freeze();
  },
});

describe.runIf(hasNats())('NATS, as an engine', () => {
  beforeAll(async () => {
    server = await NatsServer.start();
  });
  afterAll(async () => {
    for (const proxy of proxies.values()) await proxy.close();
    await server?.close();
  });
  for (const { name, skip, run } of cases) (skip === null ? it : it.skip)(name, run);
});
