/** A request to resign in NATS, for a leader that was cut off when it came. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { aborted, seen, won } from '../../src/engines/conformance/stage.ts';
import { nats } from '../../src/engines/nats/index.ts';
import { hasNats, NatsServer } from '../support/servers/nats.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

let server: NatsServer;

describe.runIf(hasNats())('a request to resign in NATS', () => {
  beforeAll(async () => {
    server = await NatsServer.start();
  });
  afterAll(() => server?.close());

  it('is found by a leader that was cut off when it came', async () => {
    const times = { leaseMs: 6000, renewMs: 200 };
    const proxy = await startTcpProxy(`http://127.0.0.1:${server.port}`);
    const [a, b] = [nats(proxy.url.replace('http', 'nats'), times), nats(server.url, times)];
    try {
      const leadership = await won(new Election('job', a));
      const operator = new Election('job', b);
      await seen(operator, 'the leader', ({ token }) => token === leadership.token);
      proxy.refuse();
      await operator.askToResign({ reason: 'while it was away' });
      expect(leadership.isValid()).toBe(true);
      proxy.restore();
      await aborted(leadership.signal);
      expect(leadership.signal.reason).toMatchObject({
        detail: 'its resignation was requested: while it was away',
      });
      await leadership.resign();
    } finally {
      await Promise.all([a.close(), b.close()]);
      await proxy.close();
    }
  });
});
