import { BadInput, show } from '../../core/index.ts';
import type { LeaseEngineOptions } from '../lease/lease-engine.ts';
import { checkOptions, type OwnOptions } from '../lease/options.ts';
import { type LeaseTimes, leaseTimes } from '../lease/settings.ts';
import { kindOf } from '../secrets.ts';
import type { Address } from './address.ts';

/** How we show who we are, and whom we believe, over TLS. */
export interface TlsOptions {
  /** The certificates of those who may vouch for NATS, in PEM. */
  readonly ca?: string | Buffer;
  /** Our own certificate and its key, in PEM. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

/** Like that of the client library, of which only those who use it need the types. */
export type Authenticator = (nonce?: string) => unknown;

/** The certificates are for `tls://` only. */
export interface NatsOptions extends LeaseEngineOptions, TlsOptions {
  /**
   * The bucket that holds the leases: `caucus` unless said otherwise. A bucket has one lease for all of its elections, so
   * elections with another `leaseMs` need another bucket.
   */
  readonly bucket?: string;
  /** On how many servers the buckets are kept when we create them: 1 unless said otherwise. More need nats-server 2.11. */
  readonly replicas?: 1 | 3 | 5;
  /** Elections as the electors of Choria hold them: see `Choria`. */
  readonly choria?: boolean;
  /** Other ways to show who we are, as the client library makes them: `credsAuthenticator(…)`, `nkeyAuthenticator(…)`. */
  readonly authenticator?: Authenticator;
}

export interface Settings {
  readonly times: LeaseTimes;
  readonly bucket: string;
  /** Where tokens and values are kept, for which nothing may run out; null where there is none. */
  readonly values: string | null;
  /** Undefined: whatever there is, and 1 if there is nothing. */
  readonly replicas: number | undefined;
  readonly choria: boolean;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly authenticator: Authenticator | undefined;
}

const OPTIONS: OwnOptions<NatsOptions> = {
  ...{ bucket: 0, replicas: 0, choria: 0, authenticator: 0 },
  ...{ ca: 0, cert: 0, key: 0 },
};
const FLOOR = { leaseMs: 100, reason: 'JetStream lets no message run out sooner' };
/** What the electors of Choria take. */
const CHORIA_FLOOR = { leaseMs: 5000, reason: 'the electors of Choria take no bucket that is faster' };
const CHORIA_LONGEST_MS = 3_600_000;
/** How soon those electors campaign again, as a part of the lease. */
export const CHORIA_INTERVAL = 0.75;

/** Reads and checks all of them. Throws BadInput, naming the option and what to do. */
export function settingsOf(options: NatsOptions, address: Address): Settings {
  checkOptions(options, OPTIONS);
  const { choria = false, replicas, authenticator } = options;
  if (typeof choria !== 'boolean') throw new BadInput('choria', 'true or false', show(choria));
  const bucket = options.bucket ?? (choria ? 'CHORIA_LEADER_ELECTION' : 'caucus');
  if (typeof bucket !== 'string' || !/^[-\w]{1,200}$/.test(bucket))
    throw new BadInput('bucket', 'up to 200 letters, digits, - and _', show(bucket));
  if (replicas !== undefined && ![1, 3, 5].includes(replicas))
    throw new BadInput('replicas', '1, 3 or 5, since more than half of them must be reached', show(replicas));
  if (authenticator !== undefined && typeof authenticator !== 'function')
    throw new BadInput('authenticator', 'a function of the client library', kindOf(authenticator));
  if (authenticator !== undefined && (address.user ?? address.token) !== undefined)
    throw new BadInput('authenticator', 'a URL without user, password and token beside it', 'both');
  const times = choria ? choriaTimes(options) : ownTimes(options);
  if (!Number.isInteger(times.leaseMs))
    throw new BadInput('leaseMs', 'a whole number of milliseconds', String(times.leaseMs));
  const values = choria ? null : `${bucket}-values`;
  return { times, bucket, values, replicas, choria, authenticator, tls: tlsOf(options, address.isSecure) };
}

/** Those who wait are woken by a watch, so they need not look more often than the leader renews. */
function ownTimes(options: NatsOptions): LeaseTimes {
  const times = leaseTimes(options, FLOOR);
  return { ...times, retryMs: options.retryMs ?? times.renewMs };
}

function choriaTimes(options: NatsOptions): LeaseTimes {
  const { leaseMs = 15_000 } = options;
  if (leaseMs > CHORIA_LONGEST_MS)
    throw new BadInput('leaseMs', `at most ${CHORIA_LONGEST_MS} with choria`, String(leaseMs));
  const usual = { renewMs: leaseMs * CHORIA_INTERVAL, callMs: Math.min(3000, leaseMs / 8) };
  return leaseTimes(options, CHORIA_FLOOR, { ...usual, retryMs: leaseMs / 3 });
}

function tlsOf({ ca, cert, key }: NatsOptions, isSecure: boolean): Settings['tls'] {
  const texts: Record<string, string> = {};
  for (const [option, value] of Object.entries({ ca, cert, key })) {
    if (value === undefined) continue;
    if (!isSecure) throw new BadInput(option, 'to be given only with tls://', 'nats://');
    const isText = Buffer.isBuffer(value) || typeof value === 'string';
    if (!isText || !value.includes('-----BEGIN'))
      throw new BadInput(option, 'the text of a PEM file, not its path', typeof value);
    texts[option] = String(value);
  }
  if ((cert === undefined) !== (key === undefined))
    throw new BadInput(cert === undefined ? 'cert' : 'key', 'to be given together with the other', 'nothing');
  return texts;
}

/** A name becomes the key in the bucket, and so the end of a subject. Throws BadInput for one that cannot. */
export function checkName(election: string): void {
  const fits = /^[-/=\w]+(?:\.[-/=\w]+)*$/.test(election) && election.length <= 200;
  if (fits) return;
  const expected = 'up to 200 letters, digits, -, _, / and =, and dots between them, as the keys of NATS are';
  throw new BadInput('election', expected, show(election));
}
