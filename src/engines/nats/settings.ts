import { BadInput, show } from '../../core/index.ts';
import type { LeaseEngineOptions } from '../lease/lease-engine.ts';
import { checkOptions, type OwnOptions } from '../lease/options.ts';
import { type LeaseTimes, leaseTimes } from '../lease/settings.ts';
import { kindOf } from '../secrets.ts';
import type { Address } from './address.ts';

/** TLS: our certificate, and the authorities that we trust. */
export interface TlsOptions {
  /** The certificates of the authorities that may sign the server's, in PEM. */
  readonly ca?: string | Buffer;
  /** Our own certificate and its key, in PEM. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

/** Like the type of the client library, so that only programs that use it need its types. */
export type Authenticator = (nonce?: string) => unknown;

/** The certificates are for `tls://` only. */
export interface NatsOptions extends LeaseEngineOptions, TlsOptions {
  /**
   * The bucket that holds the leases (default: `caucus`). A bucket has one lease time for all of its elections, so
   * elections with another `leaseMs` need another bucket.
   */
  readonly bucket?: string;
  /** The number of replicas of the buckets that we create (default: 1). More need nats-server 2.11. */
  readonly replicas?: 1 | 3 | 5;
  /** Elections as the electors of Choria hold them: see `Choria`. */
  readonly choria?: boolean;
  /**
   * Other ways to authenticate, as the client library provides them: `credsAuthenticator(…)`, `nkeyAuthenticator(…)`.
   */
  readonly authenticator?: Authenticator;
}

export interface Settings {
  readonly times: LeaseTimes;
  readonly bucket: string;
  /** The bucket for tokens and values, which do not expire; null if there is none. */
  readonly values: string | null;
  /** Undefined: as they are, and 1 for new buckets. */
  readonly replicas: number | undefined;
  readonly choria: boolean;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly authenticator: Authenticator | undefined;
}

const OPTIONS: OwnOptions<NatsOptions> = {
  ...{ bucket: 0, replicas: 0, choria: 0, authenticator: 0 },
  ...{ ca: 0, cert: 0, key: 0 },
};
const FLOOR = { leaseMs: 100, reason: 'messages of JetStream cannot expire sooner' };
/** The limits of Choria's electors. */
const CHORIA_FLOOR = { leaseMs: 5000, reason: 'the electors of Choria accept no shorter TTL' };
const CHORIA_LONGEST_MS = 3_600_000;
/** How soon those electors campaign again, as a fraction of the lease. */
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

/** A watch wakes waiting candidates, so they need not poll more often than the leader renews. */
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

/** A name becomes a key in the bucket, and so part of a subject. Throws BadInput for one that cannot. */
export function checkName(election: string): void {
  const fits = /^[-/=\w]+(?:\.[-/=\w]+)*$/.test(election) && election.length <= 200;
  if (fits) return;
  const expected = 'up to 200 letters, digits, -, _, / and =, and dots between them, as the keys of NATS are';
  throw new BadInput('election', expected, show(election));
}
