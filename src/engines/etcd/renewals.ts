import type { Clock } from '../../election/index.ts';
import { inHalves } from '../lease/in-halves.ts';
import type { LeaseTimes } from '../lease/settings.ts';
import type { Renewals } from '../lease/shared-renewal.ts';
import { type Client, EtcdError } from './client.ts';
import type { Check } from './place.ts';
import type { Session } from './session.ts';
import type { EtcdGrant } from './store.ts';
import { found, revisionOf, type TxnAnswer } from './wire.ts';

/** The key of an election that we lead. */
export interface KeyToRenew {
  readonly grant: EtcdGrant;
  /** Must it be read, to know that it is still there? */
  mustCheck(): boolean;
  /** Returns a function that takes what was read, and tells whether the key is there. */
  beginCheck(): (check: Check) => boolean;
  /** The grant, now that its session was renewed. */
  renewed(): EtcdGrant;
}

export type EtcdRenewals = Renewals<KeyToRenew, EtcdGrant>;

interface RenewalsAround {
  readonly client: Client;
  readonly clock: Clock;
  readonly times: LeaseTimes;
}

/** Each key takes two reads, and etcd takes 128 operations in a transaction, unless it is told otherwise. */
const MOST_CHECKED = 64;

/** Renews the sessions of these keys, one request each, and reads the keys that have to be checked, many at a time. */
export function renewKeys(
  around: RenewalsAround,
  keys: readonly KeyToRenew[],
  signal: AbortSignal,
): readonly Promise<EtcdGrant | null>[] {
  const outcomes = new Map<KeyToRenew, Promise<EtcdGrant | null>>();
  for (const session of new Set(keys.map(({ grant }) => grant.place.session))) {
    const its = keys.filter(({ grant }) => grant.place.session === session);
    renewSession(around, session, its, signal, outcomes);
  }
  return keys.map((key) => outcomes.get(key)!);
}

function renewSession(
  { client, clock, times }: RenewalsAround,
  session: Session,
  keys: readonly KeyToRenew[],
  signal: AbortSignal,
  outcomes: Map<KeyToRenew, Promise<EtcdGrant | null>>,
): void {
  // A renewal that the session itself, or a candidate, has just requested counts too, from when it was sent.
  const renewed = session.renewSince(clock.now() - times.renewMs / 2);
  const toCheck = (some: readonly KeyToRenew[]): readonly KeyToRenew[] =>
    session.isLost ? [] : some.filter((key) => key.mustCheck());
  // Of a key that may be gone we learn without waiting for the renewal.
  const before = checks(client, toCheck(keys), signal);
  const others = keys.filter((key) => !before.has(key));
  const after = renewed.then(() => checks(client, toCheck(others), signal));
  const again = Promise.allSettled([renewed, ...before.values()]).then(() =>
    checks(client, toCheck([...before.keys()]), signal),
  );
  after.catch(() => {}); // Each key waits for the renewal itself.
  for (const key of keys) outcomes.set(key, outcome(key));

  async function outcome(key: KeyToRenew): Promise<EtcdGrant | null> {
    const { place, token } = key.grant;
    if (session.isLost || place.created !== token) return null;
    if ((await before.get(key)) === false) return null;
    try {
      await renewed;
    } catch (error) {
      if (session.isLost) return null;
      throw error;
    }
    const last = before.has(key) ? await again : await after;
    return (await last.get(key)) === false ? null : key.renewed();
  }
}

/** Whether each of these keys is there. */
function checks(
  client: Client,
  keys: readonly KeyToRenew[],
  signal: AbortSignal,
): ReadonlyMap<KeyToRenew, Promise<boolean>> {
  const all = new Map<KeyToRenew, Promise<boolean>>();
  for (let from = 0; from < keys.length; from += MOST_CHECKED) {
    const some = keys.slice(from, from + MOST_CHECKED);
    const answers = inHalves(some, (each) => check(client, each, signal), isOfSomeKey);
    for (const [index, key] of some.entries()) {
      const answer = answers.then((found) => {
        const isThere = found[index]!;
        if (isThere instanceof Error) throw isThere;
        return isThere;
      });
      answer.catch(() => {});
      all.set(key, answer);
    }
  }
  return all;
}

async function check(
  client: Client,
  keys: readonly KeyToRenew[],
  signal: AbortSignal,
): Promise<readonly boolean[]> {
  const ends = keys.map((key) => key.beginCheck());
  const success = keys.flatMap(({ grant: { place, token } }) => place.readsOf(token));
  const answer = await client.call<TxnAnswer>('/v3/kv/txn', { success }, signal);
  const revision = revisionOf(answer.header);
  return keys.map(({ grant }, index) => {
    const isThere = found(answer, 2 * index)?.createRevision === grant.token;
    const asked = found(answer, 2 * index + 1)?.value ?? null;
    return ends[index]!({ isThere, asked, revision });
  });
}

/** We may not read some of the keys, or an operator lets a transaction have fewer operations. */
function isOfSomeKey(error: unknown): boolean {
  return error instanceof EtcdError && (error.isDenial || error.isTooLong);
}
