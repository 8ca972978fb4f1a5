import type { Held, Seat, Standing, Why } from '../../election/index.ts';
import { NS_PER_MS, type ToldStanding, toShared } from './sides.ts';

/** A leadership, and the shared memory in which its end is written. */
interface Hold {
  readonly held: Held;
  readonly key: number;
  readonly end: BigInt64Array;
  readonly memory: SharedArrayBuffer;
}

/**
 * A seat of this thread's member that the main thread uses. The main thread may act until the moment in shared memory:
 * the end of the lease, or the moment at which it has not answered for too long, whichever is first. Once it has not,
 * that moment is never moved again, and only then is the leadership released.
 */
export class ServedSeat {
  readonly seat: Seat;
  readonly #tell: (standing: ToldStanding) => void;
  readonly #unwatch: () => void;
  /** Until when the main thread counts as running, on the clock that all threads share. */
  readonly #trustedUntilMs: () => number;
  #hold: Hold | null = null;
  #holds = 0;
  /** The program wants to lead. */
  #wants = false;
  /** The main thread did not answer for too long. */
  #isStalled = false;

  constructor(seat: Seat, trustedUntilMs: () => number, tell: (standing: ToldStanding) => void) {
    this.seat = seat;
    this.#trustedUntilMs = trustedUntilMs;
    this.#tell = tell;
    this.#unwatch = seat.watch((standing) => this.#onStanding(standing));
    this.#onStanding(seat.standing);
  }

  get isHeld(): boolean {
    return this.#hold !== null;
  }

  stand(): void {
    this.#wants = true;
    if (!this.#isStalled) this.seat.stand();
  }

  async withdraw(why?: Why): Promise<void> {
    this.#wants = false;
    await this.seat.withdraw(why);
  }

  async resign(key: number | null, why?: Why): Promise<void> {
    if (key === this.#hold?.key) await this.seat.resign(why);
  }

  /** Writes until when the main thread may act. A renewal of the lease is not told by the seat. */
  renew(): void {
    if (this.#hold === null || this.#isStalled) return;
    const untilMs = Math.min(toShared(this.#hold.held.expiresAtMs), this.#trustedUntilMs());
    Atomics.store(this.#hold.end, 0, BigInt(Math.floor(untilMs * NS_PER_MS)));
  }

  /** The main thread did not answer for too long, so it may not act any more. */
  async onStall(why: Why): Promise<void> {
    if (this.#isStalled) return;
    this.#isStalled = true;
    await this.seat.withdraw(why);
  }

  onAnswer(): void {
    if (!this.#isStalled) return;
    this.#isStalled = false;
    if (this.#wants) this.seat.stand();
  }

  async close(): Promise<void> {
    await this.seat.close();
    this.#unwatch();
  }

  #onStanding(standing: Standing): void {
    const { held } = standing;
    if (held === null) this.#hold = null;
    else if (held !== this.#hold?.held) this.#hold = this.#begin(held);
    this.renew();
    const { leader, token, value, version, isCurrent = true, cause, detail } = standing;
    const hold = this.#hold;
    const told = hold === null ? null : { token: hold.held.token, key: hold.key, end: hold.memory };
    this.#tell({ leader, token, value, version, isCurrent, cause, detail, held: told });
  }

  #begin(held: Held): Hold {
    this.#holds += 1;
    const memory = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
    return { held, key: this.#holds, memory, end: new BigInt64Array(memory) };
  }
}
