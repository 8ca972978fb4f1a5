/**
 * etcd: elections on an etcd cluster of version 3.4 or newer, in the layout of its own `concurrency.Election`, so that Go programs
 * and `etcdctl elect` can be candidates in the same elections.
 *
 * Promises, as long as etcd keeps its own promises (its data, and no lease ended before its time) and its clock and ours run at
 * rates within `maxDrift` of each other:
 *   - at no moment may two participants that use this engine act;
 *   - tokens (the create revision of the leader's key) only grow, over all restarts;
 *   - candidates lead in the order in which they came; they see a release at once, a crash when the lease expires;
 *   - a published value outlives its leader.
 *
 * etcd before 3.4.31 and 3.5.13 does end leases before their time, when a stalled member resumes (etcd issue 15247): the engine warns.
 *
 * Does not promise: that a program of another kind which leads stops in time, for that is up to its client. Nor anything after
 * etcd was restored from a backup, since its revisions go back then. If an operator deletes the leader's key or revokes its lease,
 * the next one leads at once, and the old one learns of it a moment later: a resource that can be fenced should be, by the token.
 *
 * How: one lease for up to a thousand elections of an engine, renewed for all of them with one request. In each election a key
 * `NAME/<lease>` hangs on it; the one that was created first leads, the others wait and watch. See `Place` for what happens
 * to requests whose answer never came.
 */
import { BadInput, show } from '../../core/index.ts';
import { processClock } from '../../election/index.ts';
import { LeaseEngine, type LeaseEngineOptions } from '../lease/lease-engine.ts';
import { checkOptions, type OwnOptions } from '../lease/options.ts';
import { leaseTimes } from '../lease/settings.ts';
import { renewalsOf } from '../lease/shared-renewal.ts';
import { parseAddress } from './address.ts';
import { Client } from './client.ts';
import { checkName } from './layout.ts';
import { type EtcdRenewals, renewKeys } from './renewals.ts';
import { Sessions } from './sessions.ts';
import { type EtcdGrant, EtcdStore } from './store.ts';
import type { TlsOptions } from './transport.ts';
import { VersionWarning } from './versions.ts';
import { Watches } from './watches.ts';

/** The certificates are for `etcds://` only. */
export interface EtcdOptions extends LeaseEngineOptions, TlsOptions {}

const OPTIONS: OwnOptions<EtcdOptions> = { ca: 0, cert: 0, key: 0, rejectUnauthorized: 0 };
const FLOOR = {
  leaseMs: 2000,
  reason: 'etcd holds no lease for less than one and a half of its own election timeouts, in whole seconds',
};

/**
 * Elections on the etcd at `etcd://[user:password@]host[:port][,host[:port]…]`, or `etcds://…` for TLS. Connects when
 * needed.
 */
export function etcd(url: string, options: EtcdOptions = {}): LeaseEngine<EtcdGrant> {
  checkOptions(options, OPTIONS);
  const address = parseAddress(url);
  const tls = tlsOf(options, address.isSecure);
  const checked = leaseTimes(options, FLOOR);
  // A watch wakes waiting candidates, so they need not poll more often than the leader renews.
  const times = { ...checked, retryMs: options.retryMs ?? checked.renewMs };
  const clock = options.clock ?? processClock;
  const client = new Client(address, tls);
  const warning = new VersionWarning(options.log);
  client.transport.onVersion = (endpoint, version) => warning.onVersion(endpoint, version);
  const sessions = new Sessions(client, clock, times);
  const watches = new Watches(client, clock, times.callMs);
  const renewals: EtcdRenewals = renewalsOf(clock, times, (keys, signal) => {
    return renewKeys({ client, clock, times }, keys, signal);
  });
  const around = { client, sessions, watches, places: new Map(), clock, times, renewals };
  const kind = {
    storeName: 'etcd',
    times,
    checkName,
    open: (election: string, name: string) => new EtcdStore(around, election, name),
    async close() {
      watches.close();
      await sessions.close();
      client.transport.close();
    },
  };
  return new LeaseEngine(kind, options);
}

function tlsOf({ ca, cert, key, rejectUnauthorized }: EtcdOptions, isSecure: boolean): TlsOptions {
  const texts = { ca, cert, key };
  for (const [option, value] of Object.entries({ ...texts, rejectUnauthorized })) {
    if (value !== undefined && !isSecure)
      throw new BadInput(option, 'to be given only with etcds://', 'etcd://');
  }
  for (const [option, value] of Object.entries(texts)) {
    if (
      value === undefined ||
      Buffer.isBuffer(value) ||
      (typeof value === 'string' && value.includes('-----BEGIN'))
    )
      continue;
    throw new BadInput(option, 'the text of a PEM file, not its path', typeof value);
  }
  if ((cert === undefined) !== (key === undefined))
    throw new BadInput(cert === undefined ? 'cert' : 'key', 'to be given together with the other', 'nothing');
  if (rejectUnauthorized !== undefined && typeof rejectUnauthorized !== 'boolean')
    throw new BadInput('rejectUnauthorized', 'true or false', show(rejectUnauthorized));
  const given = Object.entries({ ...texts, rejectUnauthorized }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as TlsOptions;
}
