/** Buckets with three replicas, on three real servers of NATS, of which one is lost. */
import { jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Election, type Leadership, type Observation } from '../../src/election/index.ts';
import { aborted, seen, won } from '../../src/engines/conformance/stage.ts';
import { type NatsOptions, nats } from '../../src/engines/nats/index.ts';
import { freePorts } from '../support/free-ports.ts';
import { hasNats, NatsServer, natsVersion } from '../support/servers/nats.ts';

const LEASE_MS = 2000;

/** Whether these servers keep their word about what a write replaces, with replicas: since 2.11. */
function isNewEnough(): boolean {
  const [major, minor] = natsVersion().split('.').map(Number);
  if (major! > 2 || minor! >= 11) return true;
  const remedy = 'CAUCUS_NATS_SERVER=/path/to/nats-server runs it with another';
  process.stderr.write(
    `SKIPPED, the nats-server here is older than 2.11: buckets with replicas, whose server is lost (${remedy})\n`,
  );
  return false;
}

let servers: NatsServer[] = [];
const engines: { close(): Promise<void> }[] = [];

function join(options: NatsOptions = { replicas: 3 }): Election {
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`);
  const engine = nats(`nats://${hosts.join(',')}`, { leaseMs: LEASE_MS, ...options });
  engines.push(engine);
  return new Election('replicated', engine);
}

const isNew = hasNats() && isNewEnough();

describe.runIf(hasNats())('three servers of NATS', () => {
  beforeAll(async () => {
    const routes = await freePorts(3);
    const all = routes.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
    const started = routes.map((port, at) => {
      const cluster = `cluster { name: test, listen: "127.0.0.1:${port}", routes: [${all}] }`;
      return NatsServer.start({ config: `server_name: "server-${at}"\n${cluster}` });
    });
    servers = await Promise.all(started);
  });
  afterAll(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
    await Promise.all(servers.map((server) => server.close()));
  });

  it.skipIf(isNew)('replicas are refused where the server may grant a lease twice', async () => {
    const refusal = `nats-server ${natsVersion()} may grant a lease twice in caucus, which has 3 replicas: upgrade`;
    const isRefused = ({ detail }: Observation): boolean => detail.includes(refusal);
    const refused = async (election: Election, what: string): Promise<void> => {
      election.campaign().catch(() => {});
      await seen(election, what, isRefused);
    };
    await refused(join(), 'a refusal to create the bucket');
    await servers[0]!.asAdmin(async (connection) => {
      await new Kvm(connection).create('caucus', { replicas: 3, ttl: LEASE_MS, history: 1 });
    });
    await refused(join({}), 'a refusal to use the bucket of somebody else');
  });

  it.runIf(isNew)(
    'the loss of the one that leads the bucket costs no value, no token and no promise',
    async () => {
      const [a, b] = [join(), join()];
      const tokens: bigint[] = [];
      let working = 0;
      const work = async ({ token, signal }: Leadership): Promise<void> => {
        working += 1;
        expect(working).toBe(1);
        tokens.push(token);
        await aborted(signal);
        working -= 1;
      };
      const first = await won(a, 60_000);
      const version = await first.publish('kept');
      await first.resign();
      const done = new AbortController();
      const workers = Promise.allSettled([a, b].map((each) => each.lead(work, { signal: done.signal })));
      await seen(b, 'a leader', ({ token }) => token !== null && token > first.token, 60_000);

      const lost = await servers[0]!.asAdmin(async (connection) => {
        const { cluster, config } = await (await jetstreamManager(connection)).streams.info('KV_caucus');
        expect(config.num_replicas).toBe(3);
        return Number(cluster!.leader!.at(-1));
      });
      await servers[lost]!.stop();
      // Whoever leads now has asked the two that are left, twice.
      const observer = join();
      const { leader, token } = await seen(
        observer,
        'a leader',
        (now) => now.leader !== null && now.value === 'kept',
        60_000,
      );
      expect([a.self, b.self]).toContain(leader);
      expect(observer.version).toBe(version);
      const leading = [a, b].find((each) => each.self === leader)!;
      // An observer may learn of it before the leader does, who then has nothing to give up yet.
      await expect.poll(() => leading.leadership?.token, { timeout: 10_000 }).toBe(token);
      await leading.resign();
      await seen(observer, 'the next', (now) => now.leader !== null && now.leader !== leader, 60_000);
      done.abort();
      for (const result of await workers) expect(result).toMatchObject({ reason: done.signal.reason });
      expect(tokens).toEqual(tokens.toSorted((x, y) => Number(x - y)));
      expect(new Set([first.token, ...tokens]).size).toBe(tokens.length + 1);
      await servers[lost]!.restart();
    },
  );
});
