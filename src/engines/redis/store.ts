import { type Json, majority, withToken } from '../../core/index.ts';
import type { Clock, ResignationRequest } from '../../election/index.ts';
import type { FirstValue } from '../lease/first-value.ts';
import type { Call, Grant, LeaseStore, Reading } from '../lease/lease-store.ts';
import { type Renewals, SharedRenewal } from '../lease/shared-renewal.ts';
import { type Gathered, gather } from './gather.ts';
import { Hints } from './hints.ts';
import { greatest, type Known, type Published } from './known.ts';
import type { Layout } from './layout.ts';
import type { Errand, First, Master, Renewal } from './master.ts';
import { isUndecided, mostOfOne, readingOf } from './reading.ts';
import type { Claim, View } from './view.ts';

export interface RedisGrant extends Grant {
  readonly claim: Claim;
}

/** What the stores of an engine share. */
interface StoreAround {
  readonly masters: readonly Master[];
  readonly clock: Clock;
  /** Unique to this engine object. */
  readonly holder: string;
  /** A number that no attempt of this holder had. */
  readonly nextAttempt: () => number;
  readonly random: () => number;
  readonly renewals: Renewals<GrantToRenew, RedisGrant>;
}

/** What a renewal of a grant needs. */
export interface GrantToRenew {
  readonly store: RedisStore;
  readonly errand: Errand;
  readonly grant: RedisGrant;
}

/** Candidates that have divided the masters retry within this time, each at another moment. */
const DIVIDED_MS = 50;

/**
 * One election's lease on one master, or on a majority of several.
 *
 * Why tokens grow with several. A leader is announced when a majority holds its claim and their counters are no lower than its
 * token: that is what `confirm` sees to, and every renewal again. Two such majorities share a master, which was held by one
 * leader after the other. The later one took it when its counter stood at the former's token at least, and so got more from it;
 * its own token is the greatest that any master gave it, and so is greater, too.
 *
 * A master that has lost its data spoils that only if the majorities share no other. Since renewals raise the counters of all
 * masters, they share others as soon as the leader has renewed once while all were there. Besides, what was lost begins again
 * with the server's clock, and engines remember what they have seen.
 */
export class RedisStore implements LeaseStore<RedisGrant> {
  readonly #around: StoreAround;
  readonly #masters: readonly Master[];
  readonly #quorum: number;
  readonly #layout: Layout;
  readonly #name: string;
  readonly #known: Known;
  /** The claim that we hold, as far as we know. */
  #current: Claim | null = null;
  /** A claim that we requested or released without an answer. */
  #inDoubt: Claim | null = null;
  readonly #renewal: SharedRenewal<GrantToRenew, RedisGrant>;
  #hint: (news: 'changed' | 'ours') => void = () => {};

  constructor(around: StoreAround, layout: Layout, name: string, known: Known) {
    this.#around = around;
    this.#masters = around.masters;
    this.#quorum = majority(around.masters.length);
    this.#layout = layout;
    this.#name = name;
    this.#known = known;
    this.#renewal = new SharedRenewal(around.renewals);
  }

  async take(
    { signal }: Call,
    opening: FirstValue | null = null,
  ): Promise<{ grant: RedisGrant | null; reading: Reading }> {
    const { clock, holder, nextAttempt, random } = this.#around;
    const total = this.#masters.length;
    const sinceMs = clock.now();
    const seen = this.#known.token;
    const errand = this.#errand({ holder, attempt: nextAttempt() });
    this.#inDoubt = errand.claim;
    const first =
      opening === null
        ? null
        : { ...opening, json: JSON.stringify(opening.value), version: this.#known.nextVersion() };
    const asked = this.#masters.map(async (master) => {
      return { master, view: await master.take(errand, this.#name, seen, signal, first) };
    });
    const taken = await gather(asked, (answers, pending) => {
      const granted = answers.filter(({ view }) => view.isGranted).length;
      return granted >= this.#quorum || (answers.length >= this.#quorum && granted + pending < this.#quorum);
    });
    const views = taken.answers.map(({ view }) => view);
    for (const view of views) this.#known.learn(view);
    const granted = taken.answers.filter(({ view }) => view.isGranted);
    const masters = granted.map(({ master }) => master);
    let { failures } = taken;
    if (granted.length >= this.#quorum) {
      const token = greatest(granted.map(({ view }) => view.fence));
      if (token <= seen) {
        this.#giveBack(asked, errand);
        throw new Error(
          `its counter gave the token ${token}, which is not above ${seen}: another program writes to it`,
        );
      }
      const value = total === 1 ? null : this.#valueWith(token, first);
      const confirmed = total === 1 ? null : await this.#confirm(masters, errand, token, value, signal);
      if (confirmed === null || count(confirmed.answers, true) >= this.#quorum) {
        if (value !== null) this.#known.learnValue(value);
        return this.#won(errand, token, sinceMs);
      }
      failures = confirmed.failures;
    }
    this.#giveBack(asked, errand);
    const isUnknown = views.length < this.#quorum || (granted.length >= this.#quorum && failures.length > 0);
    if (isUnknown) throw this.#tooFew(failures);
    this.#inDoubt = null;
    const reading = readingOf(views, total, this.#known);
    // If one candidate is about to lead, the others wait. If they have divided the masters, each retries at a random
    // moment.
    if (total === 1 || mostOfOne(views) >= this.#quorum) return { grant: null, reading };
    const spreadMs = Math.max(DIVIDED_MS, 4 * (clock.now() - sinceMs));
    return { grant: null, reading: { ...reading, freeInMs: spreadMs * random() } };
  }

  async renew(grant: RedisGrant, call: Call): Promise<RedisGrant | null> {
    const renewed = await this.#renewal.renew(grant, call);
    if (renewed === null) this.#current = null;
    return renewed;
  }

  forget(grant: RedisGrant): void {
    this.#renewal.forget(grant);
  }

  /** What the masters answered to one renewal: the answers of a majority decide. */
  async renewed(grant: RedisGrant, asked: readonly Promise<Renewal>[]): Promise<RedisGrant | null> {
    const { answers, failures } = await gather(asked, (sofar, pending) => {
      const kept = sofar.filter(isOurs).length;
      return kept >= this.#quorum || kept + pending < this.#quorum;
    });
    const kept = answers.filter(isOurs).length;
    if (kept >= this.#quorum) {
      this.#mendLater(asked, this.#errand(grant.claim), grant.token);
      const request = answers.find((each) => each.asked !== null)?.asked ?? null;
      return request === null ? grant : { ...grant, asked: request };
    }
    if (!this.#isRefused(answers.length - kept)) throw this.#tooFew(failures);
    return null;
  }

  async release(grant: RedisGrant, { signal }: Call): Promise<void> {
    this.#current = null;
    this.#renewal.forget(grant);
    this.#inDoubt = grant.claim;
    await this.leave({ signal });
  }

  /** A claim in doubt, or one that could not be released, would block the others until it expires. */
  async leave({ signal }: Call): Promise<void> {
    if (this.#inDoubt === null) return;
    const errand = this.#errand(this.#inDoubt);
    const asked = this.#masters.map((master) => master.release(errand, true, signal));
    const { answers, failures } = await gather(asked, (done) => done.length >= this.#quorum);
    if (answers.length < this.#quorum) throw this.#tooFew(failures);
    this.#inDoubt = null;
  }

  async publish(grant: RedisGrant, value: Json, { signal }: Call): Promise<number | null> {
    const json = JSON.stringify(value);
    const version = this.#known.nextVersion();
    const published: Published = { json, value: JSON.parse(json), version, token: grant.token };
    const errand = this.#errand(grant.claim);
    const asked = this.#masters.map((master) => master.publish(errand, published, signal));
    const { answers, failures } = await this.#untilMost(asked);
    const done = count(answers, true);
    if (done >= this.#quorum) {
      this.#known.learnValue(published);
      return version;
    }
    if (!this.#isRefused(answers.length - done)) throw this.#tooFew(failures);
    return null;
  }

  /** A majority must store it, since a renewal waits for no more than a majority. */
  async ask(request: ResignationRequest, { signal }: Call): Promise<void> {
    const asked = this.#masters.map((master) => master.ask(this.#layout, request, signal));
    const { answers, failures } = await this.#untilMost(asked);
    const done = count(answers, true);
    if (done < this.#quorum && !this.#isRefused(answers.length - done)) throw this.#tooFew(failures);
  }

  async read({ signal }: Call): Promise<Reading> {
    const total = this.#masters.length;
    const asked = this.#masters.map((master) => master.read(this.#layout, signal));
    const { answers, failures } = await gather(asked, (views, pending) => {
      return views.length >= this.#quorum && !isUndecided(views, pending, total);
    });
    if (answers.length < this.#quorum) throw this.#tooFew(failures);
    for (const view of answers) this.#known.learn(view);
    return readingOf(answers, total, this.#known);
  }

  watch(hint: (news: 'changed' | 'ours') => void): () => void {
    this.#hint = hint;
    const { clock, holder } = this.#around;
    const hints = new Hints(this.#masters.length, clock, (message) => {
      const isOwn = /^(?:won|freed|value) (\S+) /.exec(message ?? '')?.[1] === holder;
      if (isOwn) return; // The answer tells what it did.
      const isOthers = message?.startsWith('won ');
      if (message?.startsWith('asked ')) {
        // Other participants need not read.
        if (message === `asked ${holder} ${this.#current?.attempt}`) this.#doubt();
      } else if (isOthers) this.#doubt();
      else hint('changed');
    });
    const stops = this.#masters.map((master, index) => {
      return master.listen(this.#layout.channel, (message) => hints.hear(index, message));
    });
    return () => {
      this.#hint = () => {};
      for (const stop of stops) stop();
      hints.close();
      this.#known.forgetValue();
    };
  }

  /** Our lease may be lost, or we are asked to resign. */
  #doubt(): void {
    this.#renewal.doubt();
    this.#hint('ours');
  }

  #errand(claim: Claim): Errand {
    return { layout: this.#layout, claim };
  }

  #won(errand: Errand, token: bigint, sinceMs: number): { grant: RedisGrant; reading: Reading } {
    const { claim } = errand;
    this.#inDoubt = null;
    this.#current = claim;
    this.#known.learnToken(token);
    const { value, version } = this.#known.published ?? { value: null, version: 0 };
    const reading = { leader: this.#name, token, freeInMs: null, value, version };
    const grant = { token, claim };
    this.#renewal.begin({ store: this, errand, grant }, grant, sinceMs, () => this.#hint('ours'));
    return { grant, reading };
  }

  /** What all masters get with the token: the newest value, or the one that follows it. */
  #valueWith(token: bigint, first: First | null): Published | null {
    const { published } = this.#known;
    if (first === null || first.after !== (published?.version ?? 0)) return published;
    const json = withToken(first.json, token);
    return { json, value: JSON.parse(json), version: first.version, token };
  }

  #confirm(
    masters: readonly Master[],
    errand: Errand,
    token: bigint,
    value: Published | null,
    signal: AbortSignal,
  ): Promise<Gathered<boolean>> {
    return this.#untilMost(masters.map((master) => master.confirm(errand, token, value, signal)));
  }

  /** Waits until a majority of all has agreed, or cannot any more. */
  #untilMost(asked: readonly Promise<boolean>[]): Promise<Gathered<boolean>> {
    return gather(asked, (answers, pending) => {
      const agreed = count(answers, true);
      return agreed >= this.#quorum || agreed + pending < this.#quorum;
    });
  }

  /** Releases late answers too. No candidate is woken: one that our short claim refused retries by itself. */
  #giveBack(asked: readonly Promise<{ master: Master; view: View }>[], errand: Errand): void {
    for (const each of asked) {
      each
        .then(({ master, view }) => (view.isGranted ? master.release(errand, false) : undefined))
        .catch(() => {});
    }
  }

  /**
   * A master that lacks a claim that a majority still holds for us has lost its data, or was down. It gets the claim
   * again, so that another master may fail next. Only then: a majority that was ours without a gap is one that no
   * other participant can have had.
   */
  #mendLater(asked: readonly Promise<Renewal>[], errand: Errand, token: bigint): void {
    for (const [index, each] of asked.entries()) {
      each
        .then(async ({ whose }) => {
          if (whose !== 'none' || this.#current !== errand.claim) return;
          await this.#masters[index]!.mend(errand, this.#name, token, this.#known.published);
        })
        .catch(() => {});
    }
  }

  /** So many have refused that the rest is no majority. */
  #isRefused(refusals: number): boolean {
    return this.#masters.length - refusals < this.#quorum;
  }

  #tooFew(failures: readonly Error[]): Error {
    const total = this.#masters.length;
    const reasons = failures.map(({ message }) => message).join('; ') || 'they disagree';
    return new Error(total === 1 ? reasons : `no majority of the ${total} masters: ${reasons}`);
  }
}

/** Renews all of these, with one script at each master. */
export function renewGrants(
  masters: readonly Master[],
  all: readonly GrantToRenew[],
  signal: AbortSignal,
): readonly Promise<RedisGrant | null>[] {
  const leases = all.map(({ errand, grant }) => ({ errand, token: grant.token }));
  const answers = masters.map((master) => master.renew(leases, signal));
  return all.map(({ store, grant }, index) => {
    const asked = answers.map(async (answer) => {
      const renewal = (await answer)[index]!;
      if (renewal instanceof Error) throw renewal;
      return renewal;
    });
    return store.renewed(grant, asked);
  });
}

function count<T>(answers: readonly T[], wanted: T): number {
  return answers.filter((answer) => answer === wanted).length;
}

function isOurs({ whose }: Renewal): boolean {
  return whose === 'ours';
}
