import { hostOf, isLoopback } from '../../../api/index.ts';
import type { JoinOptions } from '../../../member/index.ts';
import { Refusal } from '../refusal.ts';
import type { MemberConfig } from './member-config.ts';

/** The options of `join` for this configuration. */
export function joinOptions({ settings, definition, timing, options, origins }: MemberConfig): JoinOptions {
  const { id, cluster, election, url, peers, seedHost, data, priority, record } = settings;
  const own = peers?.find((peer) => peer.id === id);
  const ownUrl = url ?? own?.url;
  const isAbsolute = ownUrl !== undefined && /^https?:/.test(ownUrl);
  if (ownUrl !== undefined && !isAbsolute && seedHost === undefined) {
    throw new Refusal('url: expected a seed host with a URL that is not complete, found none');
  }
  const { listen } = settings;
  if (ownUrl === undefined && listen === undefined && seedHost === undefined) refuseStranger(settings);
  if (!settings.insecure) {
    if (listen !== undefined && !isLoopback(listen.host)) {
      const from = origins.find(({ field }) => field === 'listen')?.from ?? 'listen';
      throw new Refusal(
        `${from}: expected a loopback address, or --insecure with it, since members do not authenticate, found ${JSON.stringify(listen.host)}`,
      );
    }
    if (listen === undefined && isAbsolute && !isLoopback(hostOf(ownUrl))) {
      throw new Refusal(
        `listen: expected an address and --insecure with it, since ${ownUrl} is not on the loopback and members do not authenticate, found nothing`,
      );
    }
  }
  return {
    ...(id === undefined ? {} : { id }),
    ...(cluster === undefined ? {} : { cluster }),
    ...(election === undefined ? {} : { election }),
    ...(listen === undefined ? {} : { listen }),
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

/** A mistyped id would add a voter that the others do not know. */
function refuseStranger({ id, peers = [] }: MemberConfig['settings']): void {
  if (id === undefined || peers.length === 0) return;
  const ids = peers.map((peer) => peer.id).join(', ');
  throw new Refusal(
    `id: expected one of the peers (${ids}), or --url or --listen with it, found ${JSON.stringify(id)}`,
  );
}
