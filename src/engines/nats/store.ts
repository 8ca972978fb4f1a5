import type { Json } from '../../core/index.ts';
import type { Clock } from '../../election/index.ts';
import type { Call, Grant, LeaseStore, Reading } from '../lease/lease-store.ts';
import { Cell } from './cell.ts';
import { type Holder, isSame, type Kept, readHolder, readKept, writeHolder, writeKept } from './records.ts';
import type { Session } from './session.ts';
import type { Settings } from './settings.ts';
import { Sighting } from './sighting.ts';
import type { News, Watches } from './watches.ts';

export interface NatsGrant extends Grant {
  /** What tells this grant from all others. */
  readonly attempt: number;
  /** Of our newest write to the lease, as far as we know. */
  readonly revision: number;
}

/** What all elections of an engine share. */
export interface Around {
  readonly session: Session;
  readonly watches: Watches;
  readonly settings: Settings;
  readonly clock: Clock;
  /** Of this engine object, and of no other, ever. */
  readonly incarnation: string;
  /** Another number each time. */
  nextAttempt(): number;
}

/**
 * Two keys. Whoever creates the first, which runs out unless it is renewed, may go on to write its token into the second, which never
 * runs out; with that it has won. Each write names the revision that it replaces. So of all that create the first key, now or
 * late, only one at a time can write the second, always with a greater token; and once it has, nobody before it can
 * publish any more.
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
  /** An attempt failed, and may have come through all the same. */
  #mayHaveTaken = false;

  constructor(around: Around, election: string, name: string) {
    const { session, settings } = around;
    this.#around = around;
    this.#election = election;
    this.#name = name;
    this.#lease = new Cell(session, settings.bucket, election);
    this.#kept = new Cell(session, settings.values!, election);
    this.#sighting = new Sighting(settings.times.leaseMs);
  }

  async take(call: Call): Promise<{ grant: NatsGrant | null; reading: Reading }> {
    for (;;) {
      // A deletion that we were told of need not be looked up.
      const isKnownFree = this.#seen !== null && this.#seen.revision > 0 && this.#seen.holder === null;
      if (!isKnownFree) {
        const reading = await this.read(call);
        const { holder, revision } = this.#seen!;
        if (holder !== null && !this.#isOurs(holder)) return { grant: null, reading };
        const owedMs = revision === 0 ? this.#sighting.owedMs(this.#around.clock.now()) : 0;
        if (owedMs > 0) return { grant: null, reading: { ...reading, freeInMs: owedMs } };
      }
      const won = await this.#tryToWin(this.#seen!.revision, call);
      if (won !== null) return won;
      this.#seen = null;
    }
  }

  /** Null: somebody was faster. */
  async #tryToWin(replaced: number, call: Call): Promise<{ grant: NatsGrant; reading: Reading } | null> {
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
      // What was read while the lease was certainly ours is from before any successor wrote its token.
      if (clock.now() - askedMs >= settings.times.actMs)
        throw new Error('it took longer than the lease lasts');
      const token = max(BigInt(revision), (kept?.token ?? 0n) + 1n);
      const { value, version } = kept ?? { value: null, version: 0 };
      const next = { ...holder, token, value, version };
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
    const revision = await this.#replace(grant, call, (replaced) => this.#lease.put(text, replaced, call));
    if (revision === null) return null;
    this.#note({ revision, holder: this.#holderOf(grant) }, true);
    return { ...grant, revision };
  }

  async release(grant: NatsGrant, call: Call): Promise<void> {
    const revision = await this.#replace(grant, call, (replaced) => this.#lease.delete(replaced, call));
    if (revision !== null) this.#note({ revision, holder: null }, true);
  }

  /** Replaces the lease if it is this grant's. Its revision may be newer than we know, if the answer to a renewal was lost. */
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
      const next = { ...ours, token: grant.token, value, version };
      const written = await this.#kept.put(writeKept(next), kept?.revision ?? 0, call);
      if (written !== null) return version;
    }
  }

  async read(call: Call): Promise<Reading> {
    const [{ holder }, kept] = await Promise.all([this.#readLease(call), this.#readKept(call)]);
    const { value, version } = kept ?? { value: null, version: 0 };
    if (holder === null) return { leader: null, token: null, freeInMs: null, value, version };
    const freeInMs = this.#sighting.freeInMs(this.#around.clock.now());
    // Without the second key it has not won yet, unless somebody has deleted that.
    const hasWon = kept === null || isSame(kept, holder);
    const leader = hasWon ? holder.name : null;
    const token = hasWon ? (kept?.token ?? null) : null;
    return { leader, token, freeInMs, value, version };
  }

  watch(hint: (news: 'changed' | 'gone') => void): () => void {
    const { watches, settings } = this.#around;
    const stops = [
      watches.add(settings.bucket, this.#election, (news) => this.#onLease(news, hint)),
      watches.add(settings.values!, this.#election, (news) => this.#onKept(news, hint)),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  #onLease(news: News | null, hint: (news: 'changed' | 'gone') => void): void {
    if (news === null) return hint('changed');
    const before = this.#seen;
    if (before !== null && news.revision <= before.revision) return;
    const holder = holderOrNull(news);
    this.#note({ revision: news.revision, holder }, true);
    if (holder !== null && this.#isOurs(holder)) return;
    const isRenewal = before?.holder && holder !== null && isSame(before.holder, holder);
    if (!isRenewal) hint('gone');
  }

  #onKept(news: News | null, hint: (news: 'changed') => void): void {
    if (news === null || news.revision === this.#keptRevision) return;
    const holder = holderOrNull(news);
    if (holder === null || !this.#isOurs(holder)) hint('changed');
  }

  async #readLease(call: Call): Promise<{ revision: number; holder: Holder | null }> {
    const known = this.#seen?.revision ?? 0;
    const entry = await this.#lease.get(call);
    const lease = { revision: entry.revision, holder: readHolder(entry) };
    // Revisions only grow, unless somebody has made the bucket anew. What watches the old one sees nothing any more.
    if (entry.revision > 0 && entry.revision < known) this.#around.session.drop();
    const newest = this.#seen?.revision ?? 0;
    const wasOvertaken = newest > known && newest > entry.revision;
    if (!wasOvertaken) this.#note(lease, false);
    return lease;
  }

  async #readKept(call: Call): Promise<Kept | null> {
    const entry = await this.#kept.get(call);
    this.#keptRevision = entry.revision;
    return readKept(entry);
  }

  #note(lease: { revision: number; holder: Holder | null }, isFresh: boolean): void {
    this.#seen = lease;
    if (lease.holder !== null && !this.#isOurs(lease.holder)) {
      this.#sighting.note(lease.revision, this.#around.clock.now(), isFresh);
    } else if (lease.revision > 0) {
      this.#sighting.clear();
    }
  }

  #isOurs({ incarnation }: Holder): boolean {
    return incarnation === this.#around.incarnation;
  }

  #holderOf({ attempt }: NatsGrant): Holder {
    return { name: this.#name, incarnation: this.#around.incarnation, attempt };
  }
}

/** What is not ours the next reading complains about. */
function holderOrNull(news: News): Holder | null {
  try {
    return readHolder(news);
  } catch {
    return null;
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
