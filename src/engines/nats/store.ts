import type { Json } from '../../core/index.ts';
import type { Clock, ResignationRequest } from '../../election/index.ts';
import { type FirstValue, openedBy } from '../lease/first-value.ts';
import type { Call, LeaseStore, Reading } from '../lease/lease-store.ts';
import { Cell } from './cell.ts';
import type { NatsGrant } from './grant.ts';
import {
  type Holder,
  isSame,
  type Kept,
  nextToken,
  readHolder,
  readKept,
  writeHolder,
  writeKept,
} from './records.ts';
import type { Session } from './session.ts';
import type { Settings } from './settings.ts';
import { Sighting } from './sighting.ts';
import type { News, Watches } from './watches.ts';

/** What all elections of an engine share. */
export interface Around {
  readonly session: Session;
  readonly watches: Watches;
  readonly settings: Settings;
  readonly clock: Clock;
  /** Unique to this engine object. */
  readonly incarnation: string;
  /** A new number each time. */
  nextAttempt(): number;
}

/**
 * Two keys. A participant that creates the first key, which expires unless it is renewed, may go on to write its
 * token into the second key, which never expires; with that it has won. Each write names the revision that it
 * replaces. So of all participants that create the first key, now or late, only one at a time can write the second,
 * always with a greater token; and once it has, no earlier participant can publish any more.
 */
export class NatsStore implements LeaseStore<NatsGrant> {
  readonly #around: Around;
  readonly #name: string;
  readonly #election: string;
  readonly #lease: Cell;
  readonly #kept: Cell;
  readonly #sighting: Sighting;
  /** The lease as we last saw it. */
  #seen: { revision: number; holder: Holder | null } | null = null;
  #keptRevision = 0;
  /** A request to resign the leadership of this attempt. */
  #request: { readonly attempt: number; readonly reason: string } | null = null;
  #hint: (news: 'changed' | 'ours') => void = () => {};
  /** A request may have been missed. */
  #mayBeAsked = false;
  /** An attempt failed, but may have had its effect. */
  #mayHaveTaken = false;

  constructor(around: Around, election: string, name: string) {
    const { session, settings } = around;
    this.#around = around;
    this.#election = election;
    this.#name = name;
    this.#lease = new Cell(session, settings.bucket, election);
    this.#kept = new Cell(session, settings.values!, election);
    this.#sighting = new Sighting(() => session.leaseMs);
  }

  async take(
    call: Call,
    first: FirstValue | null = null,
  ): Promise<{ grant: NatsGrant | null; reading: Reading }> {
    await this.#around.session.takePart(call.signal);
    for (;;) {
      // A deletion that the watch reported need not be read again.
      const isKnownFree = this.#seen !== null && this.#seen.revision > 0 && this.#seen.holder === null;
      if (!isKnownFree) {
        const reading = await this.read(call);
        const { holder, revision } = this.#seen!;
        const isHeld = holder !== null && !this.#isOurs(holder) && !this.#isOver;
        if (isHeld) return { grant: null, reading };
        const owedMs = revision === 0 ? this.#sighting.owedMs(this.#around.clock.now()) : 0;
        if (owedMs > 0) return { grant: null, reading: { ...reading, freeInMs: owedMs } };
      }
      const won = await this.#tryToWin(this.#seen!.revision, first, call);
      if (won !== null) return won;
      this.#seen = null;
    }
  }

  /** Null: another participant was faster. */
  async #tryToWin(
    replaced: number,
    first: FirstValue | null,
    call: Call,
  ): Promise<{ grant: NatsGrant; reading: Reading } | null> {
    const { clock, settings, incarnation } = this.#around;
    const askedMs = clock.now();
    const holder = { name: this.#name, incarnation, attempt: this.#around.nextAttempt() };
    this.#mayHaveTaken = true;
    const [revision, found] = await Promise.all([
      this.#lease.put(writeHolder(holder), replaced, call),
      this.#readKept(call),
    ]);
    if (revision === null) {
      this.#mayHaveTaken = false;
      return null;
    }
    this.#note({ revision, holder }, true);
    let kept = found;
    for (;;) {
      // What was read while the lease was certainly ours is older than any token of a successor.
      if (clock.now() - askedMs >= settings.times.actMs)
        throw new Error('it took longer than the lease lasts');
      const token = nextToken(kept, revision);
      const { value, version } = openedBy(kept ?? { value: null, version: 0 }, token, first);
      const next = { ...holder, token, value, version, asked: null };
      const written = await this.#kept.put(writeKept(next), kept?.revision ?? 0, call);
      if (written !== null) {
        this.#mayHaveTaken = false;
        this.#keptRevision = written;
        const reading = { leader: this.#name, token, freeInMs: settings.times.leaseMs, value, version };
        return { grant: { token, attempt: holder.attempt, revision }, reading };
      }
      kept = await this.#readKept(call);
    }
  }

  async renew(grant: NatsGrant, call: Call): Promise<NatsGrant | null> {
    const text = writeHolder(this.#holderOf(grant));
    void this.#catchUp(call);
    const revision = await this.#replace(grant, call, (replaced) => this.#lease.put(text, replaced, call));
    if (revision === null) return null;
    this.#note({ revision, holder: this.#holderOf(grant) }, true);
    const isAsked = this.#request?.attempt === grant.attempt;
    return { ...grant, revision, ...(isAsked ? { asked: this.#request!.reason } : {}) };
  }

  async release(grant: NatsGrant, call: Call): Promise<void> {
    const revision = await this.#replace(grant, call, (replaced) => this.#lease.delete(replaced, call));
    if (revision !== null) this.#note({ revision, holder: null }, true);
  }

  /**
   * Replaces the lease if it belongs to this grant. Its revision may be newer than we know, if the answer to a
   * renewal was lost.
   */
  async #replace(
    grant: NatsGrant,
    call: Call,
    replace: (replaced: number) => Promise<number | null>,
  ): Promise<number | null> {
    let { revision } = grant;
    for (;;) {
      const written = await replace(revision);
      if (written !== null) return written;
      const { holder, revision: newest } = await this.#readLease(call);
      if (holder === null || !isSame(holder, this.#holderOf(grant))) return null;
      revision = newest;
    }
  }

  async leave(call: Call): Promise<void> {
    if (!this.#mayHaveTaken) return;
    const { holder, revision } = await this.#readLease(call);
    if (holder !== null && this.#isOurs(holder)) await this.#lease.delete(revision, call);
    this.#mayHaveTaken = false;
  }

  async publish(grant: NatsGrant, value: Json, call: Call): Promise<number | null> {
    const ours = this.#holderOf(grant);
    for (;;) {
      const [{ holder }, kept] = await Promise.all([this.#readLease(call), this.#readKept(call)]);
      if (holder === null || !isSame(holder, ours)) return null;
      if (kept !== null && !isSame(kept, ours)) return null;
      const version = (kept?.version ?? 0) + 1;
      const next = { ...ours, token: grant.token, value, version, asked: kept?.asked ?? null };
      const written = await this.#kept.put(writeKept(next), kept?.revision ?? 0, call);
      if (written !== null) return version;
    }
  }

  /** The request is stored beside the token, where it does not disturb renewals, until the next candidate wins. */
  async ask({ token, reason }: ResignationRequest, call: Call): Promise<void> {
    for (;;) {
      const kept = await this.#readKept(call);
      if (kept === null || kept.token !== token) return;
      const written = await this.#kept.put(writeKept({ ...kept, asked: reason }), kept.revision, call);
      if (written !== null) return;
    }
  }

  async read(call: Call): Promise<Reading> {
    const [{ holder }, kept] = await Promise.all([this.#readLease(call), this.#readKept(call)]);
    const { value, version } = kept ?? { value: null, version: 0 };
    const isOver = holder !== null && !this.#isOurs(holder) && this.#isOver;
    if (holder === null || isOver) return { leader: null, token: null, freeInMs: null, value, version };
    const freeInMs = this.#sighting.freeInMs(this.#around.clock.now());
    // Without the second key it has not won yet, unless an operator deleted that key.
    const hasWon = kept === null || isSame(kept, holder);
    const leader = hasWon ? holder.name : null;
    const token = hasWon ? (kept?.token ?? null) : null;
    return { leader, token, freeInMs, value, version };
  }

  watch(hint: (news: 'changed' | 'ours') => void): () => void {
    this.#hint = hint;
    const { watches, settings } = this.#around;
    const stops = [
      watches.add(settings.bucket, this.#election, (news) => this.#onLease(news)),
      watches.add(settings.values!, this.#election, (news) => this.#onKept(news)),
    ];
    return () => {
      this.#hint = () => {};
      for (const stop of stops) stop();
    };
  }

  #onLease(news: News | null): void {
    if (news === null) return this.#hint('changed');
    const before = this.#seen;
    if (before !== null && news.revision <= before.revision) return;
    const holder = holderOrNull(news);
    this.#note({ revision: news.revision, holder }, true);
    if (holder !== null && this.#isOurs(holder)) return;
    const isRenewal = before?.holder && holder !== null && isSame(before.holder, holder);
    if (!isRenewal) this.#hint('ours');
  }

  #onKept(news: News | null): void {
    if (news === null) {
      this.#mayBeAsked = true;
      return;
    }
    const kept = keptOrNull(news);
    if (kept === null || !this.#isOurs(kept)) {
      if (news.revision !== this.#keptRevision) this.#hint('changed');
    } else if (this.#noteRequest(kept)) this.#hint('ours');
  }

  /** Whether there is a request to resign our leadership. */
  #noteRequest(kept: Kept): boolean {
    const { attempt, asked } = kept;
    if (asked === null || !this.#isOurs(kept)) return false;
    this.#request = { attempt, reason: asked };
    return true;
  }

  /** Looks for a request that the watch has missed. No renewal waits for that, or fails with it. */
  async #catchUp(call: Call): Promise<void> {
    if (!this.#mayBeAsked) return;
    this.#mayBeAsked = false;
    try {
      const kept = await this.#readKept(call);
      if (kept !== null && this.#noteRequest(kept)) this.#hint('ours');
    } catch {
      this.#mayBeAsked = true;
    }
  }

  async #readLease(call: Call): Promise<{ revision: number; holder: Holder | null }> {
    const known = this.#seen?.revision ?? 0;
    const entry = await this.#lease.get(call);
    const lease = { revision: entry.revision, holder: readHolder(entry) };
    // Revisions only grow, unless an operator has created the bucket again. A watch of the old bucket sees nothing
    // any more.
    if (entry.revision > 0 && entry.revision < known) this.#around.session.drop();
    const newest = this.#seen?.revision ?? 0;
    const wasOvertaken = newest > known && newest > entry.revision;
    if (!wasOvertaken) this.#note(lease, false);
    return lease;
  }

  async #readKept(call: Call): Promise<Kept | null> {
    const entry = await this.#kept.get(call);
    this.#keptRevision = entry.revision;
    const kept = readKept(entry);
    if (kept !== null) this.#noteRequest(kept);
    return kept;
  }

  #note(lease: { revision: number; holder: Holder | null }, isFresh: boolean): void {
    this.#seen = lease;
    if (lease.holder !== null && !this.#isOurs(lease.holder)) {
      const { incarnation, attempt } = lease.holder;
      this.#sighting.note(lease.revision, `${incarnation}/${attempt}`, this.#around.clock.now(), isFresh);
    } else if (lease.revision > 0) {
      this.#sighting.clear();
    }
  }

  /** The lease of another participant was seen unchanged for a full lease time. */
  get #isOver(): boolean {
    return this.#sighting.isOver(this.#around.clock.now());
  }

  #isOurs({ incarnation }: Holder): boolean {
    return incarnation === this.#around.incarnation;
  }

  #holderOf({ attempt }: NatsGrant): Holder {
    return { name: this.#name, incarnation: this.#around.incarnation, attempt };
  }
}

/** The next read reports a record that is not ours. */
function holderOrNull(news: News): Holder | null {
  try {
    return readHolder(news);
  } catch {
    return null;
  }
}

function keptOrNull(news: News): Kept | null {
  try {
    return readKept(news);
  } catch {
    return null;
  }
}
