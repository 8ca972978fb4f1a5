import type { Json } from '../../core/index.ts';
import {
  CaucusError,
  type Cause,
  type Opening,
  type ResignationRequest,
  type Seat,
  type Standing,
  type TransactedWork,
  type Why,
} from '../../election/index.ts';
import { BackOff, FIRST_MS } from './back-off.ts';
import { Calls } from './calls.ts';
import { explain, failed, isSame, said } from './explain.ts';
import type { Call, Grant, LeaseStore, Reading } from './lease-store.ts';
import { Listeners } from './listeners.ts';
import { asideUntilMs, firstRenewalMs, nextLookMs, nextPollMs } from './pace.ts';
import type { SeatAround } from './seat-around.ts';
import { Tenure } from './tenure.ts';

/**
 * A place in an election whose leadership is a lease in a store. It makes one call at a time: the leader renews, a
 * candidate tries to take the lease, an observer reads. The lease counts from when it was requested, so that we
 * always stop before the store lets another participant begin. Whatever the result of a call, the next one follows:
 * no participant silently drops out.
 */
export class LeaseSeat<G extends Grant> implements Seat {
  readonly election: string;
  readonly name: string;
  isClosed = false;
  readonly transact?: (work: TransactedWork) => Promise<number>;

  readonly #store: LeaseStore<G>;
  readonly #around: SeatAround;
  readonly #calls: Calls;
  readonly #listeners = new Listeners<Standing>();
  readonly #unwatch: () => void;
  #standing: Standing;
  #wants = false;
  /** What is published with a leadership, in the same call. */
  #opening: Opening | undefined;
  #tenure: Tenure<G> | null = null;
  /** When the next call is due. */
  #dueMs: number;
  /** When the lease that was last read expires, if it is not renewed. */
  #freeAtMs = Number.POSITIVE_INFINITY;
  /** A participant that was asked to resign does not take the lease until then, or until another one has held it. */
  #asideUntilMs = 0;
  readonly #backOff = new BackOff();
  #isTurning = false;
  #closing: Promise<void> | null = null;
  #stopAlarm: () => void = () => {};

  constructor(election: string, name: string, store: LeaseStore<G>, around: SeatAround) {
    this.election = election;
    this.name = name;
    this.#store = store;
    this.#around = around;
    this.#calls = new Calls(around.clock, around.times.callMs);
    this.#dueMs = around.clock.now();
    const nothing = { leader: null, token: null, held: null, value: null, version: 0, asked: null };
    this.#standing = { ...nothing, isKnown: false, cause: 'started', detail: 'no leader is known yet' };
    if (store.transact !== undefined) this.transact = (work) => this.#transact(work);
    this.#unwatch = store.watch((news) => this.#onHint(news));
    void this.#turn();
  }

  get standing(): Standing {
    return this.#standing;
  }

  watch(listener: (standing: Standing) => void): () => void {
    return this.#listeners.add(listener);
  }

  stand(opening?: Opening): void {
    if (this.isClosed) throw new CaucusError('E_CLOSED', `the election ${this.election} was closed`);
    this.#opening = opening;
    if (this.#wants) return;
    this.#wants = true;
    this.#hurry();
  }

  async withdraw(why?: Why): Promise<void> {
    this.#wants = false;
    // Its program may campaign again at once.
    if (typeof this.#standing.asked === 'string') this.#asideUntilMs = asideUntilMs(this.#around);
    // A lease that cannot be released expires by itself.
    await this.#release(
      said(why ?? { cause: 'resigned', detail: 'it is no longer a candidate' }, this.name),
    ).catch(() => {});
    if (this.#store.leave === undefined) return;
    await this.#calls
      .make(async (call) => (this.#wants ? undefined : this.#store.leave?.(call)))
      .catch(() => {});
  }

  async resign(why?: Why): Promise<void> {
    this.#asideUntilMs = asideUntilMs(this.#around);
    await this.#release(said(why ?? { cause: 'resigned', detail: 'it was told to' }, this.name));
  }

  async ask(request: ResignationRequest): Promise<void> {
    const { storeName } = this.#around;
    const { ask } = this.#store;
    if (ask === undefined)
      throw new CaucusError('E_UNSUPPORTED', `${storeName} cannot pass on requests to resign`);
    await this.#calls
      .make((call) => ask.call(this.#store, request, call))
      .catch(failed(`${storeName} did not take the request to resign`));
  }

  refuseTransfer(): CaucusError {
    const { storeName } = this.#around;
    return new CaucusError(
      'E_UNSUPPORTED',
      `${storeName} cannot transfer a leadership to a named participant`,
    );
  }

  async transfer(): Promise<void> {
    throw this.refuseTransfer();
  }

  async publish(value: Json): Promise<number> {
    const { storeName } = this.#around;
    const { publish } = this.#store;
    if (publish === undefined) throw new CaucusError('E_UNSUPPORTED', `${storeName} cannot publish a value`);
    const tenure = this.#publisher();
    const version = await this.#calls
      .make(async (call) => {
        if (this.#tenure !== tenure) return null;
        return await publish.call(this.#store, tenure.grant, value, call);
      })
      .catch(failed('the publication failed'));
    return this.#published(tenure, value, version);
  }

  /** Not one of the calls, since it may take long: renewals go on meanwhile. */
  async #transact(work: TransactedWork): Promise<number> {
    const tenure = this.#publisher();
    let value: Json = null;
    const noting = async (): Promise<Json> => {
      value = await work.value();
      return value;
    };
    const version = await this.#store.transact!(tenure.grant, { ...work, value: noting });
    return this.#published(tenure, value, version);
  }

  #publisher(): Tenure<G> {
    if (this.#tenure !== null) return this.#tenure;
    throw new CaucusError('E_NOT_LEADER', `cannot publish: ${this.#standing.detail}`);
  }

  #published(tenure: Tenure<G>, value: Json, version: number | null): number {
    if (version !== null) {
      if (this.#tenure === tenure) this.#show({ value, version });
      return version;
    }
    this.#lose(tenure, 'deposed', 'the store holds it for another participant');
    throw new CaucusError('E_NOT_LEADER', 'cannot publish: the leadership was lost');
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const why = { cause: 'closed', detail: 'the election was closed' } as const;
    this.isClosed = true;
    await this.withdraw(why);
    await this.#calls.make(async () => {}); // The next seat for this election must not overlap with a call of this one.
    this.#unwatch();
    this.#stopAlarm();
    this.#show({ leader: null, token: null, ...why });
    this.#listeners.clear();
    this.#around.onClosed();
  }

  /** Ends our leadership, first for the program, then in the store. */
  async #release({ cause, detail }: Why): Promise<void> {
    const tenure = this.#tenure;
    if (tenure === null) return;
    this.#lose(tenure, cause, detail);
    try {
      await this.#calls.make((call) => this.#store.release(tenure.grant, call));
      // What the store holds is known: there is no leader, and a hint tells of the next one.
      if (this.#tenure === null && !this.#wants) this.#dueMs = nextPollMs(this.#around);
    } catch (error) {
      const { storeName, times } = this.#around;
      const message = `${storeName} did not confirm the release; the lease expires within ${times.leaseMs} ms`;
      throw new CaucusError('E_UNREACHABLE', message, { outcome: 'indefinite', cause: error });
    } finally {
      void this.#turn();
    }
  }

  #onHint(news: 'changed' | 'ours'): void {
    if (this.isClosed || (this.#tenure !== null && news !== 'ours')) return;
    this.#dueMs = Math.min(this.#dueMs, this.#backOff.soonestMs(this.#around.clock.now()));
    void this.#turn();
  }

  #hurry(): void {
    this.#dueMs = this.#around.clock.now();
    void this.#turn();
  }

  /** Makes the next call when it is due, until the seat is closed. */
  async #turn(): Promise<void> {
    if (this.#isTurning) return;
    this.#isTurning = true;
    try {
      while (!this.isClosed && this.#around.clock.now() >= this.#dueMs) {
        this.#dueMs = Number.POSITIVE_INFINITY; // A hint from now on causes one more call.
        await this.#calls.make(async (call) => {
          if (this.#tenure !== null) await this.#renew(this.#tenure, call);
          else if (this.#mayTake()) await this.#take(call);
          else await this.#read(call);
          if (!call.signal.aborted) this.#backOff.onSuccess();
        });
      }
    } catch (error) {
      this.#onFailure(error);
    } finally {
      this.#isTurning = false;
      this.#setAlarm();
    }
  }

  #mayTake(): boolean {
    return this.#wants && this.#around.clock.now() >= this.#asideUntilMs;
  }

  #setAlarm(): void {
    this.#stopAlarm();
    if (this.isClosed) return;
    const { clock } = this.#around;
    this.#stopAlarm = clock.after(Math.max(0, this.#dueMs - clock.now()), () => void this.#turn());
  }

  async #read(call: Call): Promise<void> {
    const reading = await this.#store.read(call);
    if (!call.signal.aborted) this.#onReading(reading);
  }

  async #take(call: Call): Promise<void> {
    const { clock, times, sleep } = this.#around;
    const sleeps = sleep.look();
    const askedMs = clock.now();
    const { isKnown, version, value: last } = this.#standing;
    const value = isKnown ? (this.#opening?.(last) ?? null) : null;
    const first = value === null ? null : { value, after: version };
    const { grant, reading } = await this.#store.take(call, first);
    if (grant === null) {
      if (!call.signal.aborted) this.#onReading(reading);
      return;
    }
    const fromMs = Math.min(askedMs, grant.askedMs ?? askedMs);
    const tookMs = clock.now() - fromMs + sleep.missedMsSince(fromMs);
    const isTooLate = call.signal.aborted || tookMs >= times.actMs || sleep.look() !== sleeps;
    if (!this.#wants || isTooLate) {
      this.#dueMs = clock.now();
      return await this.#store.release(grant, call);
    }
    this.#begin(grant, fromMs, reading);
    this.#dueMs = Math.min(this.#dueMs, fromMs + firstRenewalMs(this.#around));
  }

  #begin(grant: G, fromMs: number, { value, version }: Reading): void {
    const tenure = new Tenure(grant, fromMs, this.#around, (each) => this.#onDeadline(each));
    this.#tenure = tenure;
    const who = { leader: this.name, isKnown: true, token: grant.token, held: tenure.held };
    this.#show({ ...who, value, version, cause: 'won', detail: `${this.name} leads`, asked: null });
  }

  async #renew(tenure: Tenure<G>, call: Call): Promise<void> {
    const { clock, times, storeName, sleep } = this.#around;
    sleep.look(); // Earlier sleep does not count against this lease.
    const askedMs = clock.now();
    const grant = await this.#store.renew(tenure.grant, call);
    if (this.#tenure !== tenure) return;
    if (grant === null)
      return this.#lose(tenure, 'deposed', `${storeName} no longer holds it for ${this.name}`);
    tenure.grant = grant;
    if (tenure.untilMs === 0) return this.#onDeadline(tenure);
    const fromMs = grant.askedMs ?? askedMs;
    tenure.prolong(fromMs);
    this.#dueMs = Math.min(this.#dueMs, fromMs + times.renewMs);
    if (grant.asked !== undefined) this.#show({ asked: grant.asked });
  }

  #onDeadline(tenure: Tenure<G>): void {
    const { storeName } = this.#around;
    const trouble = this.#backOff.isOn
      ? `${storeName} did not renew it in time: ${this.#backOff.reason}`
      : null;
    const { cause, detail } = tenure.ending(trouble);
    this.#lose(tenure, cause, detail);
    this.#hurry();
  }

  #lose(tenure: Tenure<G>, cause: Cause, detail: string): void {
    if (this.#tenure !== tenure) return;
    this.#tenure = null;
    tenure.end();
    this.#store.forget?.(tenure.grant);
    this.#freeAtMs = Number.POSITIVE_INFINITY;
    this.#dueMs = this.#around.clock.now();
    this.#show({ leader: null, token: null, held: null, cause, detail, asked: null });
  }

  #onReading(reading: Reading): void {
    const nowMs = this.#around.clock.now();
    const { leader, token, freeInMs, value, version } = reading;
    if (leader !== null) this.#asideUntilMs = 0;
    const before = this.#standing;
    const hasRunOut = nowMs >= this.#freeAtMs;
    this.#freeAtMs = freeInMs === null ? Number.POSITIVE_INFINITY : nowMs + freeInMs;
    const asideMs = this.#wants ? this.#asideUntilMs : 0;
    this.#dueMs = Math.min(this.#dueMs, nextLookMs(this.#around, this.#freeAtMs, asideMs));
    this.#show({ leader, isKnown: true, token, value, version, ...explain(before, reading, hasRunOut) });
  }

  /** The result is unknown. We keep calling; the last reading stays valid for as long as its lease. */
  #onFailure(error: unknown): void {
    const { clock, times, random, storeName } = this.#around;
    const nowMs = clock.now();
    const longestMs = this.#tenure === null ? Math.max(FIRST_MS, times.retryMs) : times.renewMs / 4;
    // Hints that came meanwhile are ignored: they may come with every attempt.
    this.#dueMs = this.#backOff.onFailure(error, nowMs, longestMs, random());
    if (this.#tenure !== null || this.#store.isOpening?.()) return;
    const isKnown = this.#freeAtMs !== Number.POSITIVE_INFINITY && nowMs < this.#freeAtMs;
    const unknown = isKnown ? {} : { leader: null, token: null };
    const detail = `${storeName} is unavailable: ${this.#backOff.reason}`;
    this.#show({ ...unknown, cause: 'store-unreachable', detail });
  }

  #show(news: Partial<Standing>): void {
    const before = this.#standing;
    const after: Standing = { ...before, ...news };
    if (isSame(before, after)) return;
    this.#standing = after;
    this.#listeners.tell(after);
  }
}
