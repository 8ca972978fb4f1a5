import { compareIds, type Delay, type MemberId } from '../core/index.ts';
import type { Decide } from './decision.ts';
import type { PeerOptions } from './options.ts';

/**
 * When one peer is dialled: repeatedly, until a connection to it is open.
 *
 * The member with the smaller id dials at once. The other waits a moment and then dials as well, since one of the two
 * directions may be blocked. Delays double with each failure, and half of each is random, so that members which lost
 * the same peer at the same moment do not dial it at the same moment.
 */
export class Dialling {
  /** The name of its timer. */
  readonly timer: string;

  readonly #peer: MemberId;
  readonly #options: PeerOptions;
  readonly #decide: Decide;
  readonly #firstMs: number;
  #failures = 0;
  #isUnderWay = false;
  #isPlanned = false;
  /** Counts the calls of `stop`: an attempt from before the last one no longer counts. */
  #stops = 0;

  constructor(own: MemberId, peer: MemberId, options: PeerOptions, decide: Decide) {
    this.#peer = peer;
    this.timer = `dial ${JSON.stringify(peer)}`;
    this.#options = options;
    this.#decide = decide;
    this.#firstMs = compareIds(own, peer) < 0 ? 0 : options.yieldMs;
  }

  get attempt(): number {
    return this.#stops;
  }

  /** Is this attempt still current? */
  isWanted(attempt: number): boolean {
    return attempt === this.#stops;
  }

  /** Begins to dial, for the first time or at a new URL. */
  start(): void {
    this.#failures = 0;
    this.#after(this.#firstMs);
  }

  /** A connection was lost. After failures the delay keeps growing, unless the connection lasted. */
  again(wasLasting: boolean): void {
    if (wasLasting) this.#failures = 0;
    this.#after(this.#failures === 0 ? this.#firstMs + this.#options.redialMs : this.#backOff());
  }

  /**
   * An attempt whose connection is already open continues: the other side may know of it, and it may be the one that
   * stays.
   */
  stop(): void {
    this.#stops++;
    this.#cancel();
  }

  onTimer(): void {
    this.#isPlanned = false;
    this.#isUnderWay = true;
    this.#decide({ type: 'dial', peer: this.#peer });
  }

  /**
   * The attempt has opened a connection. However the greeting ends, another attempt follows unless dialling was
   * stopped.
   */
  onOpen(): void {
    this.#isUnderWay = false;
    this.#after(this.#options.helloMs + 2 * this.#options.probeMs);
  }

  onRest(): void {
    this.#isUnderWay = false;
    this.#failures = 0;
    this.#after(this.#options.restRecheckMs);
    this.#decide({ type: 'use-rest', peer: this.#peer });
  }

  /** The attempt failed. Without a reason, it was already logged. */
  onFailed(reason: string | null, delayMs: Delay | null = null): void {
    this.#isUnderWay = false;
    this.#failures++;
    this.#after(delayMs ?? this.#backOff());
    this.#decide({ type: 'unreachable', peer: this.#peer, reason });
  }

  #after(delayMs: Delay): void {
    this.#cancel();
    this.#isPlanned = true;
    this.#decide({ type: 'set-timer', timer: this.timer, delayMs });
  }

  #cancel(): void {
    if (this.#isPlanned) this.#decide({ type: 'cancel-timer', timer: this.timer });
    this.#isPlanned = false;
    if (this.#isUnderWay) this.#decide({ type: 'abort-dial', peer: this.#peer });
    this.#isUnderWay = false;
  }

  #backOff(): Delay {
    const [leastMs, mostMs] = this.#options.backOffMs;
    let fullMs = leastMs;
    for (let i = 1; i < this.#failures && fullMs < mostMs; i++) fullMs *= 2;
    fullMs = Math.min(fullMs, mostMs);
    return [fullMs / 2, fullMs];
  }
}
