/**
 * redis: elections on Redis 7, or on several masters of it that know nothing of each other (Redlock).
 *
 * Promises, as long as no server loses what it has acknowledged, and the clocks of servers and ours run at rates within `maxDrift`
 * of each other and are not set ahead by more than that:
 *   - at no moment may two act;
 *   - tokens only grow;
 *   - a release is seen by those who wait at once, a crash when the lease is over;
 *   - what was published stays when the leader goes.
 * With several masters this holds while a majority keeps its data, and any minority may be down or stalled.
 *
 * Does not promise: one leader when a server loses data. That takes less than people think: Redis acknowledges before its replicas
 * have anything, so that a fail-over can forget a lease, and two lead until the first one renews and is told; so does a restart
 * without `appendfsync always`, an eviction, a FLUSHALL. The option `wait` makes it rarer and no more. Several masters are better,
 * if each is written to its disk at once or is started again only after a lease has gone by; but all of it rests on time:
 * Redis ends a lease by its wall clock. Where two leaders would do harm, have the resource compare tokens.
 * Tokens outlive even the loss of all data, since they are no less than the time in milliseconds at the server that gives
 * them. They can go back only where that server's clock is behind, and no participant remembers them.
 *
 * How: a hash with an expiry is the lease, a counter that does not expire gives the tokens, a hash keeps the value. Each act is one
 * script, which looks whether the lease is still that of this very attempt. One script renews all leases of an engine. A
 * channel wakes those who wait.
 */
import { randomUUID } from 'node:crypto';
import { BadInput, show } from '../../core/index.ts';
import { processClock } from '../../election/index.ts';
import { LeaseEngine, type LeaseEngineOptions } from '../lease/lease-engine.ts';
import { checkOptions, type OwnOptions } from '../lease/options.ts';
import { leaseTimes } from '../lease/settings.ts';
import { renewalsOf } from '../lease/shared-renewal.ts';
import { pemOptions } from '../pem-options.ts';
import { parseAddress } from './address.ts';
import { Known } from './known.ts';
import { checkName, checkPrefix, layoutOf } from './layout.ts';
import { load, type TlsOptions } from './link.ts';
import { Master } from './master.ts';
import { type GrantToRenew, type RedisGrant, RedisStore, renewGrants } from './store.ts';

/** The certificates are for `rediss://` only. */
export interface RedisOptions extends LeaseEngineOptions, TlsOptions {
  /** The prefix of all keys and channels (default: `caucus:`). */
  readonly keyPrefix?: string;
  /** How many replicas of a master must have the lease before it counts (default: 0). */
  readonly wait?: number;
}

const OPTIONS: OwnOptions<RedisOptions> = { keyPrefix: 0, wait: 0, ca: 0, cert: 0, key: 0 };

/**
 * Elections on the Redis at `redis://[user:password@]host[:port][/database]`, or `rediss://…` for TLS. Several hosts,
 * separated by commas, are independent masters of which a majority decides. Connects when needed.
 */
export function redis(url: string, options: RedisOptions = {}): LeaseEngine<RedisGrant> {
  checkOptions(options, OPTIONS);
  const address = parseAddress(url);
  const tls = pemOptions(options, address.isSecure, 'redis');
  const prefix = checkPrefix(options.keyPrefix ?? 'caucus:');
  const wait = options.wait ?? 0;
  if (!Number.isSafeInteger(wait) || wait < 0)
    throw new BadInput('wait', 'a number of replicas, 0 or more', show(options.wait));
  const checked = leaseTimes(options);
  // Messages wake waiting candidates, so they need not poll more often than the leader renews.
  const times = { ...checked, retryMs: options.retryMs ?? checked.renewMs };
  const clock = options.clock ?? processClock;
  const isOnly = address.endpoints.length === 1;
  // With several masters, taking the lease is two rounds, and a stalled master must not use up the time of the whole
  // call. Even with one master, the command times out a moment before the call, so that the error can say why.
  const withinMs = times.callMs * (isOnly ? 0.9 : 1 / 3);
  const leaseMs = Math.ceil(times.leaseMs);
  const masters = address.endpoints.map((endpoint) => {
    return new Master({ address, endpoint, tls, clock, withinMs, leaseMs, isOnly, wait });
  });
  let attempts = 0;
  const nextAttempt = (): number => ++attempts;
  const renewals = renewalsOf<GrantToRenew, RedisGrant>(clock, times, (grants, signal) => {
    return renewGrants(masters, grants, signal);
  });
  const around = { masters, clock, holder: randomUUID(), nextAttempt, random: Math.random, renewals };
  const known = new Map<string, Known>();
  const kind = {
    storeName: 'Redis',
    times,
    checkName,
    load,
    open(election: string, name: string) {
      const remembered = known.get(election) ?? new Known();
      known.set(election, remembered);
      return new RedisStore(around, layoutOf(prefix, election), name, remembered);
    },
    async close() {
      await Promise.all(masters.map((master) => master.close()));
    },
  };
  const engine = new LeaseEngine(kind, options);
  // Loading takes a while, so it begins now. Callers that need the library get the error if it is missing.
  load().catch(() => {});
  return engine;
}
