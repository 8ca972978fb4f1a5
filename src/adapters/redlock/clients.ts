import { BadInput, show } from '../../core/index.ts';

/** What is read of a client of `ioredis`: where its server is. Caucus opens connections of its own. */
export interface IoredisClient {
  readonly options: {
    readonly host?: string | undefined;
    readonly port?: number | undefined;
    readonly path?: string | undefined;
    readonly username?: string | null | undefined;
    readonly password?: string | null | undefined;
    readonly db?: number | undefined;
    readonly tls?: object | undefined;
    readonly sentinels?: unknown;
  };
  readonly isCluster?: boolean;
  quit(): Promise<unknown>;
}

/** The URL of the engine for the servers of these clients. Throws BadInput if one URL cannot say it. */
export function urlOf(clients: readonly IoredisClient[]): string {
  const remedy = 'give the URL of the servers, or an engine that is open';
  if (clients.length === 0) throw new BadInput('clients', 'at least one client of ioredis', 'none');
  const hosts = clients.map((client, i) => {
    const { host, path, sentinels } = client?.options ?? {};
    if (client?.isCluster || sentinels) {
      const found = client.isCluster ? 'a cluster' : 'sentinels';
      throw new BadInput(`clients[${i}]`, 'a single server of Redis', found);
    }
    if (typeof host !== 'string' || path !== undefined)
      throw new BadInput(
        `clients[${i}]`,
        `a client of ioredis with a host (else ${remedy})`,
        show(path ?? host),
      );
    return `${host.includes(':') ? `[${host}]` : host}:${client.options.port ?? 6379}`;
  });
  const rest = clients.map(({ options }) => accessOf(options));
  if (new Set(rest.map((access) => JSON.stringify(access))).size > 1)
    throw new BadInput(
      'clients',
      `the same user, password, database and TLS for all (else ${remedy})`,
      'others',
    );
  const { isSecure, login, database } = rest[0]!;
  return `${isSecure ? 'rediss' : 'redis'}://${login}${hosts.join(',')}${database}`;
}

function accessOf({ username, password, db, tls }: IoredisClient['options']): {
  readonly isSecure: boolean;
  readonly login: string;
  readonly database: string;
} {
  if (tls !== undefined && Object.keys(tls).length > 0)
    throw new BadInput(
      'clients',
      'TLS without options of its own (else give an engine that is open)',
      'some',
    );
  const login = password ? `${encodeURIComponent(username ?? '')}:${encodeURIComponent(password)}@` : '';
  return { isSecure: tls !== undefined, login, database: db ? `/${db}` : '' };
}
