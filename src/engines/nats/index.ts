/**
 * nats: elections on NATS with JetStream, version 2.9 or newer, in two buckets of its key-value store.
 *
 * Promises, as long as JetStream keeps what it has acknowledged, the wall clocks of its servers do not jump ahead and agree with
 * each other, and rates of clocks are within `maxDrift` of each other:
 *   - at no moment may two participants that use this engine act;
 *   - tokens only grow, over all restarts, and even when the bucket with the leases was deleted;
 *   - candidates see a release at once, a crash when the lease expires;
 *   - a published value outlives its leader, and a leader cannot replace it once another has won.
 * A participant that has watched a leader also waits for the whole lease if it vanishes from the server without having been deleted as a
 * key, as when the bucket is deleted or a server loses its memory.
 *
 * Does not promise: anything beyond what the replicas of the buckets give. One replica is one server: while it is down there can be no leader;
 * and JetStream writes to its disk now and then, so that after a power failure it may have forgotten what it acknowledged.
 * Buckets with more replicas are refused on servers before 2.11, which may accept two writes that replace the same revision.
 * Nor does it promise that tokens grow when the second bucket (`…-values`) was deleted too. If an operator deletes the
 * leader's key, the next one leads at once, and the old one learns of it a moment later: a resource that can be
 * fenced should be, by the token. A publication may still come through between the end of its leader's lease and the next win.
 *
 * Elections do not share renewals here. A lease is a key that lives for the TTL of its bucket from its last write, so each needs a write of its
 * own; a batch of writes, which servers since 2.12 know, is done as a whole or not at all, so that one lease that is lost would end all of them.
 * The renewals of elections that were won at the same moment are spread over the interval, and share one connection.
 *
 * How: see `NatsStore`, and `ChoriaStore` for elections that are shared with the electors of Choria. The server says nothing when a
 * key runs out, so those who wait count the lease from when they saw it renewed. A participant that saw it unchanged for a whole lease replaces
 * it, also if the server still has it because its clock was set back.
 */
import { randomUUID } from 'node:crypto';
import { inventName, processClock } from '../../election/index.ts';
import { LeaseEngine } from '../lease/lease-engine.ts';
import { parseAddress } from './address.ts';
import { ChoriaStore } from './choria.ts';
import type { NatsGrant } from './grant.ts';
import { load, Session } from './session.ts';
import { checkName, type NatsOptions, settingsOf } from './settings.ts';
import { NatsStore } from './store.ts';
import { Watches } from './watches.ts';

export type { NatsOptions } from './settings.ts';

/**
 * Elections on the NATS at `nats://[user:password@ or token@]host[:port][,host[:port]…]`, or `tls://…`. Connects when
 * needed, and creates its buckets.
 */
export function nats(url: string, options: NatsOptions = {}): LeaseEngine<NatsGrant> {
  const address = parseAddress(url);
  const settings = settingsOf(options, address);
  const { name = inventName(), clock = processClock } = options;
  const session = new Session(address, settings, name);
  const buckets = settings.values === null ? [settings.bucket] : [settings.bucket, settings.values];
  const watches = new Watches(buckets, clock);
  session.onLink = (link) => watches.follow(link);
  let attempts = 0;
  const nextAttempt = (): number => ++attempts;
  const around = { session, watches, settings, clock, incarnation: randomUUID(), nextAttempt };
  const Store = settings.choria ? ChoriaStore : NatsStore;
  const kind = {
    storeName: 'NATS',
    times: settings.times,
    spreadsRenewals: !settings.choria,
    checkName,
    load,
    open: (election: string, participant: string) => new Store(around, election, participant),
    close: () => session.close(),
  };
  return new LeaseEngine(kind, { ...options, name });
}
