import type { Clock } from '../../election/index.ts';
import type { LeaseTimes } from '../lease/settings.ts';
import type { Client } from './client.ts';
import { type GrantAnswer, type KeepAliveAnswer, revisionOf } from './wire.ts';

/** The shortest delay after a failed renewal. */
const BACK_OFF_MS = 100;
/**
 * An etcd that takes longer than this for a renewal may have been unavailable, and may not know yet what happened
 * meanwhile.
 */
const LATE_MS = 500;

/** An election that has a key under the lease, or wants one. */
export interface SessionUser {
  /** The lease has expired, and with it every key attached to it. */
  onSessionLost(): void;
}

/** A key that could not be removed. */
export interface Debt {
  readonly isLeaving: boolean;
  finishLeaving(signal: AbortSignal): Promise<void>;
}

/**
 * One etcd lease, to which the keys of many of our elections are attached. The first election that needs a renewal renews
 * it for all of them; while candidates wait in a queue, the session renews by itself. Without users it expires.
 */
export class Session {
  /** The lease id, as etcd's API writes it and as keys do. */
  readonly lease: string;
  readonly leaseHex: string;
  /** When the last renewal that etcd confirmed was sent: the lease counts from then. */
  sentMs: number;
  /** The store's revision at that renewal. */
  revision: bigint;
  isLost = false;
  /** The last renewal was confirmed late, or after failures: etcd's answer may be outdated. */
  isShaky = false;

  readonly #client: Client;
  readonly #clock: Clock;
  readonly #times: LeaseTimes;
  readonly #users = new Set<SessionUser>();
  readonly #debts = new Set<Debt>();
  #inFlight: { readonly sentMs: number; readonly done: Promise<void> } | null = null;
  #failures = 0;
  #stopTimer: () => void = () => {};

  private constructor(client: Client, clock: Clock, times: LeaseTimes, sentMs: number, answer: GrantAnswer) {
    this.#client = client;
    this.#clock = clock;
    this.#times = times;
    this.lease = answer.ID;
    this.leaseHex = BigInt(answer.ID).toString(16);
    this.sentMs = sentMs;
    this.revision = revisionOf(answer.header);
  }

  /** etcd counts whole seconds, so the lease is rounded up: no other participant may act before it expires. */
  static async open(client: Client, clock: Clock, times: LeaseTimes, signal: AbortSignal): Promise<Session> {
    const sentMs = clock.now();
    const TTL = `${Math.ceil(times.leaseMs / 1000)}`;
    const answer = await client.call<GrantAnswer>('/v3/lease/grant', { TTL }, signal);
    if (Number(answer.TTL) * 1000 < times.leaseMs)
      throw new Error(`it grants a lease of ${answer.TTL} s only, where ${TTL} s were asked for`);
    return new Session(client, clock, times, sentMs, answer);
  }

  get size(): number {
    return this.#users.size;
  }

  has(user: SessionUser): boolean {
    return this.#users.has(user);
  }

  join(user: SessionUser): void {
    if (this.isLost || this.#users.has(user)) return;
    this.#users.add(user);
    if (this.#users.size === 1) this.#setTimer();
  }

  part(user: SessionUser): void {
    this.#users.delete(user);
    if (this.#users.size === 0) this.#stopTimer();
  }

  /** The removal is retried after every renewal, for as long as other elections keep the lease alive. */
  owe(debt: Debt): void {
    this.#debts.add(debt);
  }

  /**
   * Makes sure that a renewal sent at this time or later is confirmed. Rejects if it is not, or if the lease is lost.
   */
  async renewSince(sinceMs: number): Promise<void> {
    if (this.isLost) throw new Error('the lease has expired');
    if (this.sentMs >= sinceMs) return;
    if (this.#inFlight === null || this.#inFlight.sentMs < sinceMs) this.#send();
    await this.#inFlight!.done;
    if (this.isLost) throw new Error('the lease has expired');
  }

  /** etcd told one of the elections that the lease is lost. */
  lose(): void {
    if (this.isLost) return;
    this.isLost = true;
    this.#stopTimer();
    const users = [...this.#users];
    this.#users.clear();
    for (const user of users) user.onSessionLost();
  }

  /** Revokes the lease, with every key attached to it. If that fails, it expires by itself. */
  async end(): Promise<void> {
    this.#users.clear();
    this.#stopTimer();
    if (this.isLost) return;
    this.isLost = true;
    const body = { ID: this.lease };
    await this.#inTime((signal) => this.#client.call('/v3/lease/revoke', body, signal)).catch(() => {});
  }

  #send(): void {
    const sentMs = this.#clock.now();
    const done = this.#inTime((signal) => this.#keepAlive(sentMs, signal)).finally(() => {
      if (this.#inFlight?.done === done) this.#inFlight = null;
      this.#setTimer();
    });
    done.catch(() => {}); // Waiting callers get the error; there may be none.
    this.#inFlight = { sentMs, done };
  }

  async #keepAlive(sentMs: number, signal: AbortSignal): Promise<void> {
    const hasFailed = this.#failures > 0;
    this.#failures += 1;
    const body = { ID: this.lease };
    const answer = await this.#client.call<KeepAliveAnswer>('/v3/lease/keepalive', body, signal);
    this.#failures = 0;
    if (Number(answer.TTL ?? 0) <= 0) return this.lose();
    this.isShaky = hasFailed || this.#clock.now() - sentMs > LATE_MS;
    this.sentMs = Math.max(this.sentMs, sentMs);
    this.revision = revisionOf(answer.header);
    for (const debt of this.#debts) void this.#pay(debt);
  }

  async #pay(debt: Debt): Promise<void> {
    await this.#inTime((signal) => debt.finishLeaving(signal)).catch(() => {});
    if (!debt.isLeaving) this.#debts.delete(debt);
  }

  #setTimer(): void {
    this.#stopTimer();
    if (this.isLost || this.#users.size === 0) return;
    const { renewMs } = this.#times;
    const nowMs = this.#clock.now();
    const backOffMs = Math.min(BACK_OFF_MS * 2 ** (this.#failures - 1), renewMs / 4);
    const dueMs = this.#failures > 0 ? nowMs + backOffMs : this.sentMs + renewMs;
    this.#stopTimer = this.#clock.after(Math.max(0, dueMs - nowMs), () => {
      if (this.#inFlight === null) this.#send();
    });
  }

  async #inTime<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const { callMs } = this.#times;
    const stop = this.#clock.after(callMs, () =>
      controller.abort(new Error(`no answer within ${Math.round(callMs)} ms`)),
    );
    try {
      return await act(controller.signal);
    } finally {
      stop();
    }
  }
}
