import type { Call, LeaseStore, Reading } from '../lease/lease-store.ts';
import { Cell, type Entry } from './cell.ts';
import type { NatsGrant } from './grant.ts';
import { CHORIA_INTERVAL } from './settings.ts';
import { Sighting } from './sighting.ts';
import type { Around } from './store.ts';
import type { News } from './watches.ts';

/** We have created the key, and wait until the last leader must have noticed. */
interface Pending {
  readonly attempt: number;
  readonly token: bigint;
  readonly revision: number;
  readonly sinceMs: number;
}

/**
 * Elections as the electors of Choria hold them: the key is the election's name, its value only the leader's name. An
 * elector retries or renews after three quarters of the lease, and only then learns that it has lost; so a
 * participant that has created the key leads only once it could also update it, that much later. There is no place
 * for a token, so it is the revision with which the key was created, and observers do not see it.
 */
export class ChoriaStore implements LeaseStore<NatsGrant> {
  readonly #around: Around;
  readonly #election: string;
  readonly #name: string;
  readonly #cell: Cell;
  readonly #sighting: Sighting;
  #seen: Entry | null = null;
  #pending: Pending | null = null;

  constructor(around: Around, election: string, name: string) {
    const { session, settings } = around;
    this.#around = around;
    this.#election = election;
    this.#name = name;
    this.#cell = new Cell(session, settings.bucket, election);
    this.#sighting = new Sighting(() => session.leaseMs);
  }

  async take(call: Call): Promise<{ grant: NatsGrant | null; reading: Reading }> {
    await this.#around.session.takePart(call.signal);
    const { clock } = this.#around;
    const entry = await this.#get(call);
    if (this.#pending !== null && entry.writer === this.#writer(this.#pending))
      return await this.#confirm(this.#pending, entry, call);
    this.#pending = null;
    if (entry.text !== null && !this.#sighting.isOver(clock.now())) {
      // Without an answer the result of an attempt is unknown. Its name alone does not prove that the key is ours, so
      // it has to expire.
      return { grant: null, reading: this.#readingOf(entry) };
    }
    const owedMs = entry.revision === 0 ? this.#sighting.owedMs(clock.now()) : 0;
    if (owedMs > 0) return { grant: null, reading: { ...NO_LEADER, freeInMs: owedMs } };
    const attempt = this.#around.nextAttempt();
    const revision = await this.#cell.put(this.#name, entry.revision, call, this.#writer({ attempt }));
    if (revision === null) return { grant: null, reading: this.#readingOf(await this.#get(call)) };
    this.#pending = { attempt, token: BigInt(revision), revision, sinceMs: clock.now() };
    return { grant: null, reading: { ...NO_LEADER, freeInMs: this.#pauseMs } };
  }

  async #confirm(
    pending: Pending,
    { revision }: Entry,
    call: Call,
  ): Promise<{ grant: NatsGrant | null; reading: Reading }> {
    const leftMs = pending.sinceMs + this.#pauseMs - this.#around.clock.now();
    if (leftMs > 0) return { grant: null, reading: { ...NO_LEADER, freeInMs: leftMs } };
    const updated = await this.#cell.put(this.#name, revision, call, this.#writer(pending));
    this.#pending = null;
    if (updated === null) return { grant: null, reading: this.#readingOf(await this.#get(call)) };
    const { token, attempt } = pending;
    const freeInMs = this.#around.settings.times.leaseMs;
    const reading = { ...NO_LEADER, leader: this.#name, token, freeInMs };
    return { grant: { token, attempt, revision: updated }, reading };
  }

  async renew(grant: NatsGrant, call: Call): Promise<NatsGrant | null> {
    const writer = this.#writer(grant);
    const revision = await this.#replace(grant, call, (replaced) =>
      this.#cell.put(this.#name, replaced, call, writer),
    );
    return revision === null ? null : { ...grant, revision };
  }

  async release(grant: NatsGrant, call: Call): Promise<void> {
    await this.#replace(grant, call, (replaced) => this.#cell.delete(replaced, call));
  }

  async leave(call: Call): Promise<void> {
    const pending = this.#pending;
    if (pending === null) return;
    this.#pending = null;
    await this.#replace(pending, call, (replaced) => this.#cell.delete(replaced, call));
  }

  async #replace(
    grant: Pick<NatsGrant, 'attempt' | 'revision'>,
    call: Call,
    replace: (replaced: number) => Promise<number | null>,
  ): Promise<number | null> {
    let { revision } = grant;
    for (;;) {
      const written = await replace(revision);
      if (written !== null) return written;
      const entry = await this.#get(call);
      if (entry.text === null || entry.writer !== this.#writer(grant)) return null;
      revision = entry.revision;
    }
  }

  async read(call: Call): Promise<Reading> {
    return this.#readingOf(await this.#get(call));
  }

  watch(hint: (news: 'changed' | 'ours') => void): () => void {
    const { watches, settings } = this.#around;
    return watches.add(settings.bucket, this.#election, (news) => this.#onNews(news, hint));
  }

  #onNews(news: News | null, hint: (news: 'changed' | 'ours') => void): void {
    if (news === null) return hint('changed');
    const before = this.#seen;
    if (before !== null && news.revision <= before.revision) return;
    // The watch does not tell the writer. The same name is nearly always a renewal; calls find out otherwise.
    this.#note({ ...news, writer: null }, true);
    if (news.text === null || news.text !== before?.text) hint(news.text === this.#name ? 'changed' : 'ours');
  }

  async #get(call: Call): Promise<Entry> {
    const known = this.#seen?.revision ?? 0;
    const entry = await this.#cell.get(call);
    // As in NatsStore: the bucket was created again, or the watch was faster.
    if (entry.revision > 0 && entry.revision < known) this.#around.session.drop();
    const newest = this.#seen?.revision ?? 0;
    const wasOvertaken = newest > known && newest > entry.revision;
    if (!wasOvertaken) this.#note(entry, false);
    return entry;
  }

  #note(entry: Entry, isFresh: boolean): void {
    this.#seen = entry;
    if (entry.text !== null)
      this.#sighting.note(entry.revision, entry.text, this.#around.clock.now(), isFresh);
    else if (entry.revision > 0) this.#sighting.clear();
  }

  #readingOf({ text, writer }: Entry): Reading {
    const isPending = this.#pending !== null && writer === this.#writer(this.#pending);
    const nowMs = this.#around.clock.now();
    if (text === null || isPending || this.#sighting.isOver(nowMs)) return NO_LEADER;
    return { ...NO_LEADER, leader: text, freeInMs: this.#sighting.freeInMs(nowMs) };
  }

  #writer({ attempt }: { readonly attempt: number }): string {
    return `${this.#around.incarnation}/${attempt}`;
  }

  get #pauseMs(): number {
    return this.#around.settings.times.leaseMs * CHORIA_INTERVAL;
  }
}

const NO_LEADER: Reading = { leader: null, token: null, freeInMs: null, value: null, version: 0 };
