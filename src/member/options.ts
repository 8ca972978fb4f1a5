import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { addressOf, hostOf, isLoopback, readRelativeUrl, voterUrl } from '../api/index.ts';
import { type MemberTls, tokenOptions } from '../auth/index.ts';
import {
  BadInput,
  type Config,
  type Definition,
  electionName,
  flag,
  integer,
  listOf,
  type MemberId,
  memberId,
  optional,
  readSettings,
  record,
  type Shape,
  show,
  text,
} from '../core/index.ts';
import { inventName } from '../election/index.ts';
import { notReserved } from '../leases/index.ts';
import type { TrustedWitnesses } from '../peers/index.ts';
import { cameByLoopback, MemberAccess } from './access.ts';
import { readBalance } from './balance.ts';
import { isolate } from './isolate.ts';
import type { AnyJoinOptions, Limits, LogEntry } from './join-options.ts';
import { readJoin } from './joining.ts';
import type { Peer } from './links/links.ts';
import { loadProtocol, registering } from './load-protocol.ts';
import { type MemberSecret, readSecretOptions } from './member-secret.ts';
import { refuseTwice } from './refuse-twice.ts';
import { readSeedHost, type Seed } from './seeds.ts';
import { readTls, tlsShape } from './tls-options.ts';
import { mayTrust, readWitnesses, trustWitnesses } from './trust.ts';

/** The same options, checked and with defaults. */
export interface Settled {
  readonly id: MemberId;
  readonly cluster: string;
  readonly election: string;
  /** Null if it is mounted. */
  readonly listen: { readonly host: string; readonly port: number } | null;
  readonly url: string | null;
  readonly peers: readonly Peer[];
  /** A member of the cluster that this one joins, which tells it who the members are; null if they are configured. */
  readonly join: string | null;
  readonly seed: SettledSeed | null;
  readonly definition: Definition;
  readonly config: Config;
  readonly priority: number;
  /** Does it transfer elections to members that lead fewer? */
  readonly balance: boolean;
  readonly deputies: boolean;
  readonly data: string | null;
  readonly trustConnections: boolean;
  readonly trustWitnesses: TrustedWitnesses;
  readonly record: string | null;
  readonly hosts: readonly string[];
  /** May this request reach a mounted member? Null for one that listens by itself. */
  readonly allow: ((request: IncomingMessage) => boolean) | null;
  /** True if other machines can reach it: then any host name is accepted. */
  readonly isOpen: boolean;
  /** What members prove themselves with. */
  readonly secret: MemberSecret;
  /** Its certificate, and which it accepts; null if members do not use TLS. */
  readonly tls: MemberTls | null;
  /** Do members prove to each other who they are? Then it may be reached by other machines. */
  readonly isAuthenticated: boolean;
  readonly access: MemberAccess;
  /** Does it keep leases for programs that are no members? */
  readonly leases: boolean;
  readonly limits: Limits & Bounds;
  readonly log: (entry: LogEntry) => void;
}

/** A seed, and what says where this member listens: its options, the address among the seed's, or nothing. */
interface SettledSeed extends Seed {
  readonly listensBy: 'options' | 'seed' | 'loopback';
}

/** The limits that are checked here; the links check theirs. */
interface Bounds {
  readonly elections: number;
  readonly electionsOfOthers: number;
  readonly voters: number;
  readonly connections: number;
  readonly recordBytes: number;
}

const count = integer(1, 1_000_000);
const folder = text(4096);

/** Each protocol reads its own. */
const settings: Shape<object | undefined> = {
  expected: 'an object',
  read: (value) => value as object | undefined,
};

const logger: Shape<((entry: LogEntry) => void) | undefined> = {
  expected: 'a function',
  read(value, path) {
    if (value === undefined || typeof value === 'function') return value as (entry: LogEntry) => void;
    throw new BadInput(path, this.expected, show(value));
  },
};

/** Read where it is used, since an error must not show it. */
function later<T>(expected: string): Shape<T> {
  return { expected, isOptional: true, read: (value) => value as T };
}

const checker: Shape<AnyJoinOptions['allow']> = {
  expected: 'a function',
  read(value, path) {
    if (value === undefined || typeof value === 'function') return value as AnyJoinOptions['allow'];
    throw new BadInput(path, this.expected, show(value));
  },
};

const shape: Shape<AnyJoinOptions> = record<AnyJoinOptions>({
  id: optional(memberId),
  cluster: optional(electionName),
  election: optional(electionName),
  listen: optional(record({ host: optional(text(255)), port: integer(0, 65_535) })),
  mounted: optional(flag),
  url: optional(voterUrl),
  peers: optional(listOf(record<Peer>({ id: memberId, url: voterUrl }), 1000)),
  join: optional(voterUrl),
  seed: optional(record({ host: text(255), url: optional(text(1000)) })),
  protocol: optional(text(100)),
  timing: settings,
  options: settings,
  priority: optional(integer(1, 1000)),
  balance: optional(flag),
  deputies: optional(flag),
  data: optional(folder),
  firstStart: optional(flag),
  trustConnections: optional(flag),
  trustWitnesses,
  insecure: optional(flag),
  allow: checker,
  hosts: optional(listOf(text(255), 1000)),
  tokens: later<AnyJoinOptions['tokens']>('a list of tokens'),
  secret: later<AnyJoinOptions['secret']>('a secret'),
  secretFile: optional(folder),
  closed: optional(flag),
  tls: tlsShape,
  record: optional(folder),
  leases: optional(flag),
  isolate: later<false | undefined>('true or false'),
  limits: optional(
    record<Limits>({
      queuedMessages: optional(count),
      strangers: optional(count),
      postsInFlight: optional(count),
      elections: optional(count),
      electionsOfOthers: optional(count),
      voters: optional(count),
      connections: optional(count),
      recordBytes: optional(integer(10_000, 1e12)),
    }),
  ),
  log: logger,
});

/** The only place where options are checked. Rejects with BadInput, which names the option. */
export async function readOptions(given: unknown): Promise<Settled> {
  const options = shape.read(given, '');
  const id = options.id ?? inventName();
  const peers = (options.peers ?? []).filter((peer) => peer.id !== id);
  const own = options.peers?.find((peer) => peer.id === id);
  const url = options.url ?? own?.url;
  refuseTwice(options.peers ?? []);
  const definition = await loadProtocol(options.protocol);
  const timing = readSettings(definition.timing, options.timing, 'timing');
  const config: Config = {
    timing,
    options: readSettings(definition.options, options.options, 'options'),
  };
  const objection = definition.check?.(config, [id, ...peers.map((peer) => peer.id)]) ?? null;
  if (objection !== null)
    throw new BadInput(objection.path, 'settings that fit each other', objection.reason);
  const { limits = {}, cluster = 'caucus' } = options;
  const secret = readSecretOptions(options);
  const tls = readTls(options.tls, { id, cluster }, { url, peers: options.peers ?? [] });
  const isAuthenticated = secret.secrets !== null || tls !== null;
  const listen = readListen(options, url, isAuthenticated);
  return {
    id,
    cluster,
    election: notReserved(options.election ?? 'main'),
    listen,
    url: url ?? null,
    peers,
    join: readJoin(options, definition),
    seed: await readSeed(options, url, definition),
    definition,
    config,
    priority: options.priority ?? 1,
    balance: readBalance(options, definition, config),
    deputies: readDeputies(options, definition),
    // Made absolute now: the program may change its working directory later.
    data: options.data === undefined ? null : path.resolve(options.data),
    trustConnections: options.trustConnections === true && mayTrust(options, listen, isAuthenticated),
    trustWitnesses: readWitnesses(options.trustWitnesses, isAuthenticated),
    hosts: options.hosts ?? [],
    allow: options.mounted ? readAllow(options, isAuthenticated) : null,
    isOpen: options.insecure === true || options.allow !== undefined,
    secret,
    tls,
    isAuthenticated,
    access: readAccess(options, listen === null ? hostOf(options.url!) : listen.host),
    record: options.record === undefined ? null : path.resolve(options.record),
    // The manager of the leases derives each register from the last one.
    leases: options.leases === true && definition.create(config).isCurrent !== undefined,
    limits: {
      ...limits,
      elections: limits.elections ?? 10_000,
      electionsOfOthers: limits.electionsOfOthers ?? 1000,
      voters: limits.voters ?? 100,
      connections: limits.connections ?? 2000,
      recordBytes: limits.recordBytes ?? 16_000_000,
    },
    log: (entry) => isolate(() => options.log?.(entry)),
  };
}

function readDeputies({ deputies = false }: AnyJoinOptions, definition: Definition): boolean {
  if (!deputies || definition.memberSettings?.deputies !== undefined) return deputies;
  throw new BadInput('deputies', `false, since ${definition.name} elects no successor in advance`, 'true');
}

/** A program that mounts the member with a check of its own decides itself who may operate. */
function readAccess({ tokens, closed = false, insecure, allow }: AnyJoinOptions, host: string): MemberAccess {
  const isOpen = insecure === true || allow !== undefined || isLoopback(host);
  return new MemberAccess(tokenOptions.read(tokens ?? [], 'tokens'), closed, isOpen);
}

/** What a member needs that other machines can reach. */
export const BEYOND_LOOPBACK =
  'certificates (tls) or a secret (secretFile) for all members, by which they authenticate, or insecure: true';

/** Where its URL is on the loopback, a mounted member is for this machine, whichever addresses its server listens on. */
function readAllow({ allow, insecure, url }: AnyJoinOptions, isAuthenticated: boolean): Settled['allow'] {
  if (allow !== undefined) return allow;
  return insecure || (isAuthenticated && !isLoopback(hostOf(url!))) ? () => true : cameByLoopback;
}

/** Where to listen: at `listen`, else at the address of `url`, else on any free port of the loopback. */
function readListen(
  options: AnyJoinOptions,
  url: string | undefined,
  isAuthenticated: boolean,
): Settled['listen'] {
  const { mounted = false } = options;
  const mayBeReached = isAuthenticated || options.insecure === true;
  if (mounted) {
    if (options.listen !== undefined)
      throw new BadInput('listen', 'nothing, since the member is mounted', 'an address');
    if (options.url === undefined) {
      throw new BadInput('url', 'the URL under which the others reach a mounted member', 'nothing');
    }
    if (!mayBeReached && options.allow === undefined && !isLoopback(hostOf(options.url))) {
      throw new BadInput(
        'url',
        `a loopback address for a mounted member, or ${BEYOND_LOOPBACK}, or a check of your own (allow)`,
        show(options.url),
      );
    }
    return null;
  }
  if (options.listen === undefined && url !== undefined) {
    const address = addressOf(url);
    if (mayBeReached || isLoopback(address.host)) return address;
    throw new BadInput(
      'listen',
      `an address, and ${BEYOND_LOOPBACK}, since ${url} is not on the loopback`,
      'nothing',
    );
  }
  const host = options.listen?.host ?? '127.0.0.1';
  if (!mayBeReached && !isLoopback(host)) {
    throw new BadInput('listen.host', `a loopback address, or ${BEYOND_LOOPBACK}`, show(host));
  }
  const port = options.listen?.port ?? 0;
  // What passes connections on to this member, such as a proxy, has to know its port.
  if (port === 0 && url !== undefined && !isLoopback(hostOf(url)))
    throw new BadInput('listen.port', `a port, since the others are told ${url}`, '0, any that is free');
  return { host, port };
}

/** Only a protocol whose voters register can start without a list of them. */
async function readSeed(
  options: AnyJoinOptions,
  url: string | undefined,
  definition: Definition,
): Promise<SettledSeed | null> {
  const { seed, listen, mounted } = options;
  if (seed === undefined) return null;
  if (definition.registration === undefined) {
    const names = await registering();
    throw new BadInput(
      'seed',
      `peers, since the voters of ${definition.name} are fixed (seeds are for ${names})`,
      show(seed.host),
    );
  }
  const host = readSeedHost(seed.host);
  const wanted = 'a host, possibly with a port, such as voters.example:7100';
  if (host === null) throw new BadInput('seed.host', wanted, show(seed.host));
  const relative = readRelativeUrl(seed.url ?? '/');
  if (relative === null) throw new BadInput('seed.url', ':PORT, /PATH or :PORT/PATH', show(seed.url));
  if (relative.port !== null && host.port !== null && relative.port !== host.port)
    throw new BadInput('seed.url', `the port of the seed host, ${host.port}, or none`, show(seed.url));
  // All voters listen on one port if neither the host nor the URL has one.
  const scheme = options.tls === undefined ? 'http' : 'https';
  const port = relative.port ?? host.port ?? (listen?.port || (scheme === 'http' ? 80 : 443));
  const isPlaced = listen !== undefined || url !== undefined || mounted === true;
  return {
    host: seed.host,
    url: `:${port}${relative.path}`,
    scheme,
    listensBy: isPlaced ? 'options' : seed.url === undefined ? 'loopback' : 'seed',
  };
}
