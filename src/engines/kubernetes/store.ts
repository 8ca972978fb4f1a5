import type { Json } from '../../core/index.ts';
import type { Clock, ResignationRequest } from '../../election/index.ts';
import { type FirstValue, openedBy } from '../lease/first-value.ts';
import type { Call, Grant, LeaseStore, Reading } from '../lease/lease-store.ts';
import type { LeaseTimes } from '../lease/settings.ts';
import type { Api } from './api.ts';
import {
  askedOf,
  holderOf,
  isManaged,
  type Lease,
  type LeaseSpec,
  leaderOf,
  nextToken,
  publishedOf,
  revisionOf,
  timeAfter,
  tokenOf,
  withRequest,
  withToken,
  withValue,
} from './lease-object.ts';
import { LeaseWatch, type WatchEvent } from './lease-watch.ts';
import { Observed } from './observed.ts';

export interface StoreAround {
  readonly api: Api;
  readonly clock: Clock;
  readonly times: LeaseTimes;
}

/** After this many conflicts in one call we stop and retry later. */
const MOST_TRIES = 8;
/** The field has 32 bits. It is only for people, so it may stay at its maximum. */
const MOST_TRANSITIONS = 2 ** 31 - 1;

interface Change {
  readonly spec?: LeaseSpec;
  readonly annotations?: Record<string, string>;
}

/**
 * One election as one Lease. Every write replaces exactly the version that it was derived from, so a late write finds
 * another version and has no effect.
 */
export class KubernetesStore implements LeaseStore<Grant> {
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #times: LeaseTimes;
  readonly #election: string;
  readonly #identity: string;
  readonly #observed: Observed;
  /** The newest Lease that we know; null if there is none, or none was read yet. */
  #lease: Lease | null = null;
  #revision = 0n;
  /** The token that we hold, as far as we know. */
  #held: bigint | null = null;
  /** An attempt that was never answered may have taken it. */
  #mayHold = false;
  #watch: LeaseWatch | null = null;

  constructor({ api, clock, times }: StoreAround, election: string, identity: string) {
    this.#api = api;
    this.#clock = clock;
    this.#times = times;
    this.#election = election;
    this.#identity = identity;
    this.#observed = new Observed(clock, times.leaseMs);
  }

  async take(
    { signal }: Call,
    first: FirstValue | null = null,
  ): Promise<{ grant: Grant | null; reading: Reading }> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const lease = (await this.#get(signal)) ?? (await this.#create(signal));
      if (lease === null) continue; // Another participant created it at the same moment.
      if (isManaged(lease)) throw this.#managed(lease);
      const isOurs = holderOf(lease) === this.#identity;
      if (!isOurs && this.#observed.freeInMs(lease) > 0)
        return { grant: null, reading: this.#reading(lease) };
      const token = nextToken(lease);
      const published = publishedOf(lease);
      const opened = openedBy(published, token, first);
      const value = opened === published ? {} : withValue(opened.value, opened.version);
      const annotations = { ...withToken(token, this.#identity), ...value };
      this.#mayHold = true;
      const written = await this.#write(lease, { spec: this.#taken(lease), annotations }, signal);
      this.#mayHold = false;
      if (written === null) continue; // Another participant was faster.
      this.#held = token;
      return { grant: { token }, reading: this.#reading(written) };
    }
    throw this.#tooBusy();
  }

  async renew(grant: Grant, { signal }: Call): Promise<Grant | null> {
    const change = ({ spec }: Lease): Change => ({
      spec: {
        holderIdentity: this.#identity,
        leaseDurationSeconds: this.#times.leaseMs / 1000,
        acquireTime: spec?.acquireTime ?? null,
        renewTime: this.#timeAfter(spec?.renewTime),
        leaseTransitions: spec?.leaseTransitions ?? 0,
      },
    });
    const written = await this.#change(grant, change, signal);
    if (written === null) return null;
    const asked = askedOf(written, grant.token);
    return asked === null ? grant : { ...grant, asked };
  }

  async release(grant: Grant, { signal }: Call): Promise<void> {
    await this.#change(grant, (lease) => ({ spec: this.#released(lease) }), signal);
    if (this.#held === grant.token) this.#held = null;
  }

  /** Releases what an unanswered attempt may have taken. */
  async leave({ signal }: Call): Promise<void> {
    if (!this.#mayHold) return;
    const lease = await this.#get(signal);
    if (lease !== null && holderOf(lease) === this.#identity && !isManaged(lease))
      await this.#write(lease, { spec: this.#released(lease) }, signal);
    this.#mayHold = false;
  }

  async publish(grant: Grant, value: Json, { signal }: Call): Promise<number | null> {
    const change = (lease: Lease): Change => ({
      annotations: withValue(value, publishedOf(lease).version + 1),
    });
    const written = await this.#change(grant, change, signal);
    return written === null ? null : publishedOf(written).version;
  }

  /** Only the annotations change, which other electors do not take for a sign of life. */
  async ask({ token, reason }: ResignationRequest, { signal }: Call): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const lease = await this.#get(signal);
      if (lease === null || holderOf(lease) === '' || tokenOf(lease) !== token) return;
      if ((await this.#write(lease, { annotations: withRequest(token, reason) }, signal)) !== null) return;
    }
    throw this.#tooBusy();
  }

  async read({ signal }: Call): Promise<Reading> {
    const lease = await this.#get(signal);
    if (lease !== null) return this.#reading(lease);
    return { leader: null, token: null, freeInMs: null, value: null, version: 0 };
  }

  watch(hint: (news: 'changed' | 'ours') => void): () => void {
    const watcher = {
      onEvent: (event: WatchEvent): void => {
        const news = this.#newsIn(event);
        if (news !== null) hint(news);
      },
      onGap: () => hint('changed'),
    };
    const watch = new LeaseWatch(this.#api, this.#clock, this.#times.callMs, this.#election, watcher);
    this.#watch = watch;
    return () => watch.stop();
  }

  /** A renewal changes nothing for waiting candidates, but is a sign of life: they need not poll then. */
  #newsIn({ type, lease }: WatchEvent): 'changed' | 'ours' | null {
    if (revisionOf(lease) <= this.#revision) return null;
    const before = this.#lease;
    const wasFree = before === null || this.#observed.freeInMs(before) === 0;
    if (type === 'DELETED') this.#forget(lease);
    else this.#keep(lease);
    if (this.#held !== null) {
      if (type === 'DELETED' || !this.#isHeld(lease, this.#held)) return 'ours';
      const asked = askedOf(lease, this.#held);
      const isNew = before === null || askedOf(before, this.#held) !== asked;
      return asked !== null && isNew ? 'ours' : null;
    }
    if (type === 'DELETED' || before === null) return 'changed';
    if (holderOf(lease) === this.#identity) return null; // An attempt in flight.
    const isSame =
      holderOf(lease) === holderOf(before) &&
      tokenOf(lease) === tokenOf(before) &&
      publishedOf(lease).version === publishedOf(before).version;
    return isSame && !wasFree ? null : 'changed';
  }

  async #get(signal: AbortSignal): Promise<Lease | null> {
    const lease = await this.#api.get(this.#election, signal);
    if (lease === null) this.#lease = null;
    else {
      this.#keep(lease);
      this.#watch?.saw(this.#revision);
    }
    return lease;
  }

  /** Created without a holder: the participant that takes it needs a version to replace, which becomes its token. */
  async #create(signal: AbortSignal): Promise<Lease | null> {
    const lease = await this.#api.create(this.#election, { holderIdentity: '' }, signal);
    if (lease !== null) this.#keep(lease);
    return lease;
  }

  /** Applies this change while the store holds exactly this grant. Null: it does not. */
  async #change(grant: Grant, change: (lease: Lease) => Change, signal: AbortSignal): Promise<Lease | null> {
    let lease = this.#lease ?? (await this.#get(signal));
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      if (lease === null || !this.#isHeld(lease, grant.token)) {
        if (this.#held === grant.token) this.#held = null;
        return null;
      }
      const written = await this.#write(lease, change(lease), signal);
      if (written !== null) return written;
      lease = await this.#get(signal);
    }
    throw this.#tooBusy();
  }

  /** Null: the Lease has changed meanwhile. */
  async #write(lease: Lease, { spec, annotations }: Change, signal: AbortSignal): Promise<Lease | null> {
    const metadata = { ...lease.metadata, annotations: { ...lease.metadata.annotations, ...annotations } };
    const written = await this.#api.update({ ...lease, metadata, spec: spec ?? lease.spec ?? {} }, signal);
    if (written !== null) this.#keep(written);
    return written;
  }

  #keep(lease: Lease): void {
    this.#lease = lease;
    this.#revision = revisionOf(lease);
    this.#observed.see(lease);
  }

  #forget(deleted: Lease): void {
    this.#lease = null;
    this.#revision = revisionOf(deleted);
  }

  #isHeld(lease: Lease, token: bigint): boolean {
    return holderOf(lease) === this.#identity && tokenOf(lease) === token && !isManaged(lease);
  }

  #reading(lease: Lease): Reading {
    const published = publishedOf(lease);
    const freeInMs = this.#observed.freeInMs(lease);
    // What an unanswered attempt of ours has taken does not count as held.
    if (freeInMs === 0 || holderOf(lease) === this.#identity)
      return { leader: null, token: null, freeInMs: null, ...published };
    return { leader: leaderOf(lease), token: tokenOf(lease), freeInMs, ...published };
  }

  #taken(lease: Lease): LeaseSpec {
    const { leaseTransitions, renewTime } = lease.spec ?? {};
    const holder = holderOf(lease);
    const isFirst = holder === '' && typeof leaseTransitions !== 'number';
    const isSame = holder === this.#identity;
    const now = this.#timeAfter(renewTime);
    return {
      holderIdentity: this.#identity,
      leaseDurationSeconds: this.#times.leaseMs / 1000,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: isFirst ? 0 : Math.min((leaseTransitions ?? 0) + (isSame ? 0 : 1), MOST_TRANSITIONS),
    };
  }

  /** As client-go does it. Electors that do not know an empty holder wait at most a second. */
  #released({ spec }: Lease): LeaseSpec {
    const now = this.#timeAfter(spec?.renewTime);
    return {
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: spec?.leaseTransitions ?? 0,
    };
  }

  #timeAfter(before: string | null | undefined): string {
    return timeAfter(before, this.#times.renewMs >= 1000);
  }

  #tooBusy(): Error {
    return new Error(`too many conflicting writes to the Lease ${this.#election}`);
  }

  #managed({ metadata, spec }: Lease): Error {
    const how = spec?.strategy ? `strategy ${spec.strategy}` : `preferred holder ${spec?.preferredHolder}`;
    const what = `the Lease ${metadata.name} is managed by the control plane (${how})`;
    return new Error(`${what}: use another name for the election`);
  }
}
