import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EtcdServer } from '../../support/servers/etcd.ts';
import { KubernetesServer } from '../../support/servers/kubernetes.ts';
import { Members, urlOf } from '../../support/servers/members.ts';
import { NatsServer } from '../../support/servers/nats.ts';
import { PostgresServer } from '../../support/servers/postgres.ts';
import { RedisServer } from '../../support/servers/redis.ts';
import type { Site } from './site.ts';

type Server = Omit<Site, 'name' | 'leaseMs' | 'way' | 'excuse' | 'ports'> & {
  readonly url: string;
  readonly port: number;
};

/** A server whose URL holds the port. */
function served(name: string, leaseMs: number, server: Server): Site {
  const way: Site['way'] = ([port]) => ({ url: server.url.replace(`:${server.port}`, `:${port}`) });
  return site(name, leaseMs, server, way);
}

function site(name: string, leaseMs: number, server: Server, way: Site['way']): Site {
  return {
    name,
    leaseMs,
    excuse: null,
    ports: [server.port],
    way,
    stop: () => server.stop(),
    restart: () => server.restart(),
    pause: () => server.pause(),
    resume: () => server.resume(),
    recover: () => server.recover(),
    deleteElection: (election) => server.deleteElection(election),
    close: () => server.close(),
  };
}

const never = async (): Promise<void> => {
  throw new Error('there is no server');
};

/** All stores, each as a real server of its own. */
export const sites: Readonly<Record<string, () => Promise<Site>>> = {
  etcd: async () => served('etcd', 2000, await EtcdServer.start()),
  postgres: async () => served('postgres', 1000, await PostgresServer.start()),
  redis: async () =>
    served('redis', 1000, await RedisServer.start({ appendonly: 'yes', appendfsync: 'always' })),
  nats: async () => served('nats', 2000, await NatsServer.start()),
  async kubernetes() {
    const server = await KubernetesServer.start();
    return site('kubernetes', 2000, server, ([port]) => ({
      url: server.url,
      options: server.options(port!),
    }));
  },
  async local() {
    const folder = mkdtempSync(path.join(tmpdir(), 'caucus-local-trial-'));
    return {
      name: 'local',
      leaseMs: 500,
      excuse: null,
      ports: null,
      way: () => ({ url: `local:${folder}` }),
      stop: never,
      restart: never,
      pause: () => {},
      resume: () => {},
      recover: async () => {},
      async deleteElection(name) {
        const sockets = readdirSync(folder).filter(
          (file) => file.startsWith(`${name}@`) && /@\d+$/.test(file),
        );
        for (const file of sockets) rmSync(path.join(folder, file));
      },
      close: async () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
    };
  },
  async caucus() {
    const members = await Members.start();
    return {
      name: 'caucus',
      leaseMs: 2000,
      excuse: null,
      cannotDelete: 'nothing but the lease manager writes there',
      ports: members.ports,
      way: (ports) => ({ url: urlOf(ports) }),
      stop: () => members.stop(),
      restart: () => members.restart(),
      pause: () => members.pause(),
      resume: () => members.resume(),
      recover: () => members.recover(),
      deleteElection: never,
      close: () => members.close(),
    };
  },
};
