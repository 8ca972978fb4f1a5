import { addressOf, hostOf, isLoopback, readRelativeUrl } from '../../../api/index.ts';
import type { AnyJoinOptions } from '../../../member/index.ts';
import { Refusal } from '../refusal.ts';
import { type Listen, listen as listenShape } from './fields.ts';
import type { MemberConfig } from './member-config.ts';
import { tlsOf } from './tls.ts';

/** What a member needs that other machines can reach. */
const BEYOND_LOOPBACK =
  'certificates (--tls-cert) or a secret (--secret-file) for all members, by which they authenticate, or --insecure';

/** The options of `join` for this configuration. */
export function joinOptions({
  settings,
  tokens,
  secret,
  definition,
  timing,
  options,
  origins,
}: MemberConfig): AnyJoinOptions {
  const { id, cluster, election, url, peers, join, seedHost, data, priority, record } = settings;
  const own = peers?.find((peer) => peer.id === id);
  const ownUrl = url ?? own?.url;
  const isAbsolute = ownUrl !== undefined && /^https?:/.test(ownUrl);
  if (ownUrl !== undefined && !isAbsolute && seedHost === undefined) {
    const from = origins.find(({ field }) => field === 'url')?.from ?? 'url';
    throw new Refusal(
      `${from}: expected a whole URL, or a seed host (SEED_HOST, --seed-host) with it, found ${JSON.stringify(ownUrl)} and no seed host`,
    );
  }
  const listen = readListen(settings.listen, ownUrl, seedHost);
  const fromOf = (name: string): string => origins.find(({ field }) => field === name)?.from ?? name;
  if (ownUrl === undefined && listen === undefined && seedHost === undefined)
    refuseStranger(settings, fromOf('id'));
  const tls = tlsOf({ settings, origins });
  if (!settings.insecure && secret === null && tls === undefined) {
    if (listen !== undefined && !isLoopback(listen.host)) {
      throw new Refusal(
        `${fromOf('listen')}: expected a loopback address, or ${BEYOND_LOOPBACK}, found ${JSON.stringify(listen.host)}`,
      );
    }
    if (listen === undefined && isAbsolute && !isLoopback(hostOf(ownUrl))) {
      throw new Refusal(
        `listen: expected an address, and ${BEYOND_LOOPBACK}, since ${ownUrl} is not on the loopback, found nothing`,
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
    ...(join === undefined ? {} : { join }),
    ...(seedHost === undefined ? {} : { seed: seedOf(seedHost, ownUrl, isAbsolute, tls !== undefined) }),
    protocol: definition.name,
    timing,
    options,
    ...(priority === undefined || priority === 0 ? {} : { priority }),
    ...(settings.balance === undefined ? {} : { balance: settings.balance }),
    ...(settings.deputies === undefined ? {} : { deputies: settings.deputies }),
    ...(data === undefined ? {} : { data }),
    ...(record === undefined ? {} : { record }),
    insecure: settings.insecure ?? false,
    trustConnections: settings.trustConnections ?? false,
    ...(settings.trustWitnesses === undefined ? {} : { trustWitnesses: settings.trustWitnesses }),
    ...(tokens === null ? {} : { tokens: tokens.read() }),
    closed: settings.closed ?? false,
    ...secret?.options,
    ...(tls === undefined ? {} : { tls }),
  };
}

/**
 * A whole URL says how the other voters are reached too, unless something in front of them is (https, which members
 * speak themselves only with certificates): they have the same port and path.
 */
function seedOf(
  host: string,
  url: string | undefined,
  isAbsolute: boolean,
  hasTls: boolean,
): NonNullable<AnyJoinOptions['seed']> {
  if (url === undefined) return { host };
  if (!isAbsolute) return { host, url };
  const { pathname, protocol } = new URL(url);
  const port = portOf(host) === null && (hasTls || protocol === 'http:') ? `:${addressOf(url).port}` : '';
  return { host, url: `${port}${pathname}` };
}

/** An address without a port gets that of the member's own URL, or of the seed host. */
function readListen(
  listen: Listen | undefined,
  url: string | undefined,
  seedHost: string | undefined,
): { host: string; port: number } | undefined {
  if (listen === undefined || listen.port !== null)
    return listen as { host: string; port: number } | undefined;
  const relative = url === undefined ? null : readRelativeUrl(url);
  const own = url === undefined || relative !== null ? (relative?.port ?? null) : addressOf(url).port;
  const port = own ?? (seedHost === undefined ? null : portOf(seedHost));
  if (port === null) throw new Refusal(`listen: expected ${listenShape.expected}, found "${listen.host}"`);
  return { host: listen.host, port };
}

function portOf(host: string): number | null {
  const found = /^(?:\[.*\]|[^:]*):(\d{1,5})$/.exec(host);
  return found === null ? null : Number(found[1]);
}

/** A mistyped id would add a voter that the others do not know. */
function refuseStranger({ id, peers = [] }: MemberConfig['settings'], from: string): void {
  if (id === undefined || peers.length === 0) return;
  const ids = peers.map((peer) => peer.id).join(', ');
  throw new Refusal(
    `${from}: expected one of the peers (${ids}), or --url or --listen with it, found ${JSON.stringify(id)}`,
  );
}
