import { afterAll, beforeAll, describe, it } from 'vitest';
import { conformance, type EngineKit, type Participant } from '../../src/engines/conformance/index.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

interface Server {
  readonly port: number;
  close(): Promise<void>;
}

interface Kit<S extends Server> {
  readonly leaseMs: number;
  start(): Promise<S[]>;
  /** Opens an engine that reaches the servers at these ports. */
  open(
    ports: readonly number[],
    options: Parameters<EngineKit['open']>[0],
    servers: readonly S[],
  ): Participant;
}

/** What every engine does, on real servers. A participant crashes when all that goes to and from it stands still. */
export function describeEngine<S extends Server>(name: string, isThere: boolean, kit: Kit<S>): void {
  describe.runIf(isThere)(`${name}, as an engine`, () => {
    let servers: S[] = [];
    const proxies = new Map<Participant, TcpProxy[]>();

    beforeAll(async () => {
      servers = await kit.start();
    });
    afterAll(async () => {
      for (const proxy of [...proxies.values()].flat()) await proxy.close();
      for (const server of servers) await server.close();
    });

    const cases = conformance({
      leaseMs: kit.leaseMs,
      async open(options) {
        const mine = await Promise.all(servers.map(({ port }) => startTcpProxy(`http://127.0.0.1:${port}`)));
        const ports = mine.map(({ url }) => Number(new URL(url).port));
        const engine = kit.open(ports, options, servers);
        proxies.set(engine, mine);
        return engine;
      },
      crash(participant) {
        for (const proxy of proxies.get(participant)!) proxy.freeze();
      },
    });
    for (const { name: what, skip, run } of cases) (skip === null ? it : it.skip)(what, run);
  });
}
