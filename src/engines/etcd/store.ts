import type { Json } from '../../core/index.ts';
import type { Clock, ResignationRequest } from '../../election/index.ts';
import type { FirstValue } from '../lease/first-value.ts';
import type { Call, Grant, LeaseStore, Reading } from '../lease/lease-store.ts';
import type { LeaseTimes } from '../lease/settings.ts';
import { SharedRenewal } from '../lease/shared-renewal.ts';
import { type Client, EtcdError } from './client.ts';
import { type Layout, layoutOf, proposalOf } from './layout.ts';
import { OwnKeySightings } from './own-key-sightings.ts';
import { Place, type View } from './place.ts';
import { Seen } from './reading.ts';
import type { EtcdRenewals, KeyToRenew } from './renewals.ts';
import type { Session, SessionUser } from './session.ts';
import type { Sessions } from './sessions.ts';
import type { WatchEvent, Watches } from './watches.ts';
import {
  createdAt,
  found,
  type GrantAnswer,
  get,
  getFirst,
  put,
  revisionOf,
  type TxnAnswer,
} from './wire.ts';

export interface EtcdGrant extends Grant {
  readonly place: Place;
}

/** How long a request to resign stays. A leader whose watch is broken finds it only when it renews. */
const REQUEST_MS = 60_000;

/** What all elections of an engine share. */
export interface Around {
  readonly client: Client;
  readonly sessions: Sessions;
  readonly watches: Watches;
  /** By election. A place outlives its store while etcd may still hold its key. */
  readonly places: Map<string, Place>;
  readonly clock: Clock;
  readonly times: LeaseTimes;
  readonly renewals: EtcdRenewals;
}

/** One election in etcd. */
export class EtcdStore implements LeaseStore<EtcdGrant>, SessionUser {
  readonly #around: Around;
  readonly #layout: Layout;
  readonly #election: string;
  readonly #name: string;
  #place: Place | null = null;
  #hint: (news: 'changed' | 'ours') => void = () => {};
  /** The watches of the candidates, and of requests to resign. */
  #watches: readonly { readonly isLive: boolean }[] = [];
  /** The leader's key; null while it is unknown or being read, so that every change counts. */
  #leaderKey: string | null = null;
  readonly #seen: Seen;
  readonly #renewal: SharedRenewal<KeyToRenew, EtcdGrant>;
  /** The last reading in which another participant led, while nothing suggests that it has changed. */
  #last: { readonly reading: Reading; readonly revision: bigint } | null = null;
  readonly #sightings: OwnKeySightings;
  /** Counts reported changes. A view that was requested before one may be older than it. */
  #changes = 0;

  constructor(around: Around, election: string, name: string) {
    this.#around = around;
    this.#layout = layoutOf(election);
    this.#seen = new Seen(around.client, this.#layout);
    this.#renewal = new SharedRenewal(around.renewals);
    this.#sightings = new OwnKeySightings(
      () => this.#isWatching,
      () => around.watches.distrust(),
    );
    this.#election = election;
    this.#name = name;
  }

  async take(
    { signal }: Call,
    first: FirstValue | null = null,
  ): Promise<{ grant: EtcdGrant | null; reading: Reading }> {
    const { clock, sessions, times } = this.#around;
    // A renewal of a moment ago will do: the lease counts from then.
    const sinceMs = clock.now() - times.renewMs / 4;
    for (let tries = 0; ; tries++) {
      const place = this.#placeIn(await sessions.join(this, this.#usedBefore(), signal));
      const { session } = place;
      const known = this.#unchanged(place);
      if (known !== null) return { grant: null, reading: known };
      this.#forget();
      const changes = this.#changes;
      // A participant that turns out to lead needs nearly a full lease from now on, so the renewal starts now.
      const renewed = session.renewSince(sinceMs);
      renewed.catch(() => {});
      const { doubts } = this.#sightings;
      try {
        let view = await place.enter(signal, this.#seen.firstWrite(first));
        await renewed;
        signal.throwIfAborted();
        // While etcd was unavailable, an operator may have ended our lease (etcd issue 15247).
        if (session.isShaky) view = await place.enter(signal);
        const result = await this.#result(place, view, doubts, signal);
        // No event follows the one that was reported meanwhile, so this view must not stand for what etcd holds.
        if (this.#changes !== changes) this.#forget();
        return result;
      } catch (error) {
        if (!session.isLost || signal.aborted || tries > 0) throw error;
      }
    }
  }

  renew(grant: EtcdGrant, call: Call): Promise<EtcdGrant | null> {
    return this.#renewal.renew(grant, call);
  }

  forget(grant: EtcdGrant): void {
    this.#renewal.forget(grant);
  }

  async release(grant: EtcdGrant, { signal }: Call): Promise<void> {
    const { place, token } = grant;
    this.#renewal.forget(grant);
    if (place.created !== token) return;
    await this.#leave(place, signal);
    this.#seen.onReleased();
    if (place.hasHeir) this.#hint('changed');
  }

  async leave({ signal }: Call): Promise<void> {
    // The session retries a leave that failed a moment ago.
    if (this.#place !== null && !this.#place.isLeaving) await this.#leave(this.#place, signal);
  }

  async publish({ place, token }: EtcdGrant, value: Json, { signal }: Call): Promise<number | null> {
    const { valueKey } = this.#layout;
    const body = {
      compare: [createdAt(place.key, token)],
      success: [
        put(place.key, proposalOf(this.#name, value), place.session.lease),
        put(valueKey, JSON.stringify(value)),
        get(valueKey),
      ],
    };
    try {
      const answer = await this.#around.client.call<TxnAnswer>('/v3/kv/txn', body, signal);
      return answer.succeeded ? this.#seen.onPublished(found(answer, 2)) : null;
    } catch (error) {
      if (!(error instanceof EtcdError && error.isLeaseGone)) throw error;
      place.session.lose();
      return null;
    }
  }

  /** A key with its own lease, so that it vanishes whatever happens to us and to the leader. */
  async ask({ token, reason }: ResignationRequest, { signal }: Call): Promise<void> {
    const { client, times } = this.#around;
    const { prefix, prefixEnd, askedKey } = this.#layout;
    const look = { success: [getFirst(prefix, prefixEnd)] };
    const first = found(await client.call<TxnAnswer>('/v3/kv/txn', look, signal), 0);
    if (first?.createRevision !== token) return;
    const TTL = `${Math.ceil(Math.max(REQUEST_MS, times.leaseMs) / 1000)}`;
    const { ID } = await client.call<GrantAnswer>('/v3/lease/grant', { TTL }, signal);
    const body = { compare: [createdAt(first.key, token)], success: [put(askedKey(token), reason, ID)] };
    await client.call<TxnAnswer>('/v3/kv/txn', body, signal);
  }

  async read({ signal }: Call): Promise<Reading> {
    const { prefix, prefixEnd, valueKey } = this.#layout;
    this.#forget();
    const body = { success: [getFirst(prefix, prefixEnd), get(valueKey)] };
    const answer = await this.#around.client.call<TxnAnswer>('/v3/kv/txn', body, signal);
    const view = {
      first: found(answer, 0),
      published: found(answer, 1),
      revision: revisionOf(answer.header),
    };
    return this.#read(view, signal);
  }

  watch(hint: (news: 'changed' | 'ours') => void): () => void {
    this.#hint = hint;
    const { prefix, prefixEnd, askedPrefix, askedPrefixEnd } = this.#layout;
    const watch = this.#around.watches.add(prefix, prefixEnd, {
      onEvent: (event) => this.#onEvent(event),
      onLive: () => this.#doubt('ours'), // Earlier changes were not reported.
    });
    const requests = this.#around.watches.add(askedPrefix, askedPrefixEnd, {
      onEvent: (event) => this.#onRequest(event),
      onLive: () => {
        if (this.#place !== null && this.#place.created !== null) this.#doubt('ours');
      },
    });
    this.#watches = [watch, requests];
    return () => {
      this.#hint = () => {};
      watch.stop();
      requests.stop();
      const place = this.#place;
      if (place?.session.isLost || place?.mayBeIn === false) this.#around.places.delete(this.#election);
    };
  }

  #onRequest({ key, value, isDelete }: WatchEvent): void {
    if (key === this.#layout.resignedKey && !isDelete) this.#seen.resigned = value;
    const token = this.#place?.created ?? null;
    if (token === null || isDelete || key !== this.#layout.askedKey(token)) return;
    this.#sightings.request = { token, reason: value };
    this.#renewal.doubt();
    this.#hint('ours');
  }

  #placeIn(session: Session): Place {
    const { client, places } = this.#around;
    let place = places.get(this.#election);
    if (place?.session !== session) {
      place = new Place(client, this.#layout, this.#name, session);
      places.set(this.#election, place);
    }
    this.#place = place;
    return place;
  }

  /** The session in which a key of this election may still be: a second key would stand in the queue behind it. */
  #usedBefore(): Session | null {
    const place = this.#around.places.get(this.#election);
    return place?.mayBeIn ? place.session : null;
  }

  /** The session, and with it our key, is gone. */
  onSessionLost(): void {
    this.#doubt('ours');
  }

  async #leave(place: Place, signal: AbortSignal): Promise<void> {
    const { session } = place;
    session.part(this);
    try {
      await place.leave(signal);
    } catch (error) {
      if (session.isLost) return;
      session.owe(place); // Other elections may keep the lease, and so our key, alive.
      throw error;
    }
  }

  async #result(
    place: Place,
    view: View,
    doubts: number,
    signal: AbortSignal,
  ): Promise<{ grant: EtcdGrant | null; reading: Reading }> {
    const reading = await this.#read(view, signal);
    const token = place.created;
    if (token === null || view.first?.key !== place.key || view.first.createRevision !== token) {
      this.#last = { reading, revision: view.revision };
      return { grant: null, reading };
    }
    place.spend(token);
    const { sentMs } = place.session;
    this.#sightings.onSeen({ revision: view.revision, sentMs }, doubts);
    const grant = { token, place, askedMs: sentMs };
    this.#renewal.begin(this.#sightings.keyOf(grant), grant, sentMs, () => this.#hint('ours'));
    return { grant, reading };
  }

  #read(view: View, signal: AbortSignal): Promise<Reading> {
    this.#leaderKey = view.first?.key ?? null;
    return this.#seen.read(view, signal);
  }

  /** The last reading, if the last renewal shows that nothing in etcd has changed since. Then no request is needed. */
  #unchanged(place: Place): Reading | null {
    const { clock, times } = this.#around;
    const { session } = place;
    const isRecent = clock.now() - session.sentMs < 1.5 * times.renewMs;
    const isSame = this.#last !== null && this.#last.revision === session.revision && place.created !== null;
    return isSame && isRecent && this.#isWatching ? this.#last!.reading : null;
  }

  get #isWatching(): boolean {
    return this.#watches.length > 0 && this.#watches.every(({ isLive }) => isLive);
  }

  #onEvent({ key, isDelete, revision }: WatchEvent): void {
    if (key === this.#place?.key) {
      const { created, isLeaving, leftAt } = this.#place;
      const isOwn = isLeaving || revision <= leftAt; // The answer tells.
      if (isDelete && isOwn) this.#unsettle();
      else if (isDelete) this.#doubt(created !== null && revision > created ? 'ours' : 'changed');
      return;
    }
    // Candidates behind the leader may come and go; that changes nothing here.
    if (this.#leaderKey === null || this.#leaderKey === key) this.#doubt('changed');
  }

  #doubt(news: 'changed' | 'ours'): void {
    if (news === 'ours') {
      this.#sightings.doubt();
      this.#renewal.doubt();
    }
    this.#unsettle();
    this.#hint(news);
  }

  #unsettle(): void {
    this.#changes += 1;
    this.#forget();
  }

  #forget(): void {
    this.#leaderKey = null;
    this.#last = null;
  }
}
