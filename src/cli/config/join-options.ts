import type { JoinOptions } from '../../member/index.ts';
import { isLoopback } from '../../member/urls.ts';
import { Refusal } from '../refusal.ts';
import type { Listen } from './fields.ts';
import type { MemberConfig } from './member-config.ts';

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** What the library is to be told for this configuration. */
export function joinOptions({ settings, definition, timing, options, origins }: MemberConfig): JoinOptions {
  const { id, cluster, election, url, peers, seedHost, data, priority, record } = settings;
  const own = peers?.find((peer) => peer.id === id);
  const ownUrl = url ?? own?.url;
  const isAbsolute = ownUrl !== undefined && /^https?:/.test(ownUrl);
  if (ownUrl !== undefined && !isAbsolute && seedHost === undefined) {
    throw new Refusal('url: expected a seed host with a URL that is not complete, found none');
  }
  const listen = settings.listen ?? (isAbsolute ? listenOf(ownUrl) : null);
  if (listen !== null && !settings.insecure && !isLoopback(listen.host)) {
    const from = origins.find(({ field }) => field === 'listen')?.from ?? 'listen';
    throw new Refusal(
      `${from}: expected a loopback address, or --insecure with it, since anybody could talk to it there, found ${JSON.stringify(listen.host)}`,
    );
  }
  return {
    ...(id === undefined ? {} : { id }),
    ...(cluster === undefined ? {} : { cluster }),
    ...(election === undefined ? {} : { election }),
    ...(listen === null ? {} : { listen }),
    ...(isAbsolute ? { url: ownUrl } : {}),
    ...(peers === undefined ? {} : { peers }),
    ...(seedHost === undefined ? {} : { seed: seedOf(seedHost, ownUrl, isAbsolute) }),
    protocol: definition.name,
    timing,
    options,
    ...(priority === undefined || priority === 0 ? {} : { priority }),
    ...(data === undefined ? {} : { data }),
    ...(record === undefined ? {} : { record }),
    insecure: settings.insecure ?? false,
    trustConnections: settings.trustConnections ?? false,
  };
}

function seedOf(
  host: string,
  url: string | undefined,
  isAbsolute: boolean,
): NonNullable<JoinOptions['seed']> {
  return url === undefined || isAbsolute ? { host } : { host, url };
}

/** On the loopback it listens where its URL says; a name of the outside may be that of a route in front of it. */
function listenOf(url: string): Listen | null {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (!/^(?:localhost|127\.[\d.]+|::1)$/.test(host)) return null;
  return { host, port: port === '' ? DEFAULT_PORTS[protocol]! : Number(port) };
}
