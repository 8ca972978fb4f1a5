/**
 * caucus: elections of programs that are no members, with the members of a Caucus cluster as their store: three `caucus node` are
 * a small coordination service for any number of replicas. A participant has no vote, no data folder and no fixed name; it can lead
 * and watch.
 *
 * Promises, as long as the members keep theirs (quorum: a majority keeps its disks, clocks within 1 %), and the clock of the manager and
 * ours run at rates within `maxDrift` of each other:
 *   - at no moment may two participants act, also while the manager is killed, stopped or cut off;
 *   - tokens only grow, also across managers, and when all members restart that have no data folders;
 *   - a release is seen by those who wait at once, a crash when the lease is over;
 *   - a leadership outlives the death of a member, also of the manager, if its lease is longer than the members need to elect
 *     another one;
 *   - what was published stays when the leader goes, as long as the register of the members does.
 *
 * Does not promise: leaders while no majority of the members can be reached; a leadership whose lease is not longer than that ends. Nor room for more than 64 KiB of all elections together: a lease more is refused.
 * If all members lose what they keep at once, what is held is forgotten: the next one may lead before the old one has noticed, at its next renewal; and if
 * they had data folders, which were all wiped, tokens begin anew. A resource that can be fenced should be, by the token.
 *
 * How: one of the members is the lease manager (src/leases). A leadership is a lease in its register, which a majority has on its
 * disks before a take is answered; renewals stay in its memory. A stream wakes those who wait.
 */
import { randomBytes } from 'node:crypto';
import { BadInput, electionName } from '../../core/index.ts';
import { processClock } from '../../election/index.ts';
import { LeaseEngine, type LeaseEngineOptions } from '../lease/lease-engine.ts';
import { checkOptions, type OwnOptions } from '../lease/options.ts';
import { leaseTimes } from '../lease/settings.ts';
import { pemOptions } from '../pem-options.ts';
import { kindOf } from '../secrets.ts';
import { parseAddress } from './address.ts';
import { Client, type TokenSource } from './client.ts';
import { type CaucusGrant, CaucusStore } from './store.ts';
import type { TlsOptions } from './transport.ts';
import { Watches } from './watches.ts';

/** The certificates are for `caucuss://` only. */
export interface CaucusOptions extends LeaseEngineOptions, TlsOptions {
  /**
   * An API token with the role `lead` (to watch only: `read`), if the members have tokens; or a function that is called
   * before each request, since tokens change. In place of the token in the URL.
   */
  readonly token?: string | (() => string | Promise<string>);
}

const OPTIONS: OwnOptions<CaucusOptions> = { token: 0, ca: 0, cert: 0, key: 0 };
const FLOOR = {
  leaseMs: 500,
  reason: 'a lease is written to the disks of a majority of the members before it counts',
};
const SESSION_BYTES = 24;
/** The characters that RFC 6750 allows. */
const TOKEN = /^[A-Za-z0-9\-._~+/]{1,512}={0,2}$/;

/**
 * Elections on the members at `caucus://[token@]host:port[,host:port…]`, or `caucuss://…` for TLS. Name all members: the one
 * that manages the leases is found among them. Connects when needed.
 */
export function caucus(url: string, options: CaucusOptions = {}): LeaseEngine<CaucusGrant> {
  checkOptions(options, OPTIONS);
  const address = parseAddress(url);
  const tls = pemOptions(options, address.isSecure, 'caucus');
  const token = tokenOf(options.token, address.token);
  const checked = leaseTimes(options, FLOOR);
  // News wake waiting candidates, so they need not poll more often than the leader renews.
  const times = { ...checked, retryMs: options.retryMs ?? checked.renewMs };
  const clock = options.clock ?? processClock;
  const session = randomBytes(SESSION_BYTES).toString('base64url');
  const client = new Client(address, token, tls, clock);
  const watches = new Watches(client, clock, session, times.callMs);
  let attempts = 0;
  const nextAttempt = (): number => ++attempts;
  const around = { client, watches, session, leaseMs: Math.ceil(times.leaseMs), nextAttempt };
  const kind = {
    storeName: 'Caucus',
    times,
    checkName: (election: string): void => void electionName.read(election, 'election'),
    open: (election: string, name: string) => new CaucusStore(around, election, name),
    async close() {
      watches.close();
      client.close();
    },
  };
  return new LeaseEngine(kind, options);
}

/** What was found is never shown. */
function tokenOf(given: CaucusOptions['token'], ofUrl: string | undefined): TokenSource {
  if (given !== undefined && ofUrl !== undefined) throw new BadInput('token', 'it or one in the URL', 'both');
  const token = given ?? ofUrl;
  const isRight = typeof token === 'function' || (typeof token === 'string' && TOKEN.test(token));
  if (token !== undefined && !isRight)
    throw new BadInput('token', 'a token, as the tokens file of a member has it', kindOf(token));
  return typeof token === 'function' ? token : () => token;
}
