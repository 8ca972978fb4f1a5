import { systemBoot } from './boot-clock.ts';

/** A larger jump of the wall clock against the monotonic clock is a sleep, not a small correction. */
const SLEEP_MS = 1000;
/**
 * The wall clock has a resolution of 1 ms, so the difference between the two clocks varies by that from reading to
 * reading.
 */
const NOISE_MS = 2;
/**
 * If the two readings around a wall clock reading are further apart than this, the process was interrupted and reads
 * again.
 */
const APART_MS = 0.5;
const READINGS = 3;
/**
 * When there are more, the two oldest are merged under the later date. That can end a lease too early, never too
 * late.
 */
const MOST_KEPT = 64;

/**
 * The time since the machine was started goes on while it sleeps, and is not corrected as the wall clock is. Linux
 * tells it in steps of 10 ms, and reading it takes some microseconds.
 */
const BOOT_STEP_MS = 10;
/** So much more than the monotonic clock shows is a sleep: three steps, since two readings differ by one at most. */
const SHORT_SLEEP_MS = 3 * BOOT_STEP_MS;
/** It is read at most this often: a protocol may look at the clock thousands of times a second. */
const BOOT_EVERY_MS = 1;

/**
 * Detects that the machine was suspended. The monotonic clock may stop during suspension, so a lease would look as
 * fresh after a night as before. The time since the machine was started and the wall clock continue.
 *
 * On Linux the time since the start decides: it is ahead of the monotonic clock by exactly the time that the machine
 * slept. A guest whose host stopped it misses that time on both clocks, and only its wall clock is set later. So
 * everywhere, a wall clock that moves ahead by a second counts as a sleep too. One that is set forward looks the same:
 * that costs a leadership, but breaks no guarantee.
 *
 * Both kinds of sleep are counted in `sleeps`. A shorter jump of the wall clock may be a correction, so it does not end
 * every lease. But twenty sleeps of 0.9 s are longer than a lease of 15 s, so `missedMsSince` adds up all jumps.
 */
export class SleepWatch {
  /** How many times the machine slept. */
  sleeps = 0;
  /** How long the last sleep took. */
  sleptMs = 0;
  /** The monotonic clock as it was last read. */
  nowMs = 0;
  readonly #monotonic: () => number;
  readonly #wall: () => number;
  readonly #boot: (() => number) | null;
  /** The last one, in one object: the clock is read several times for each message. */
  readonly #reading: Reading = { aheadMs: 0, readMs: 0, nowMs: 0, apartMs: 0 };
  #aheadMs: number;
  /** How far the time since the start is ahead of the monotonic clock; null before the first usable reading. */
  #bootAheadMs: number | null = null;
  #bootReadAtMs = Number.NEGATIVE_INFINITY;
  /** Has it told anything but whole seconds? Where it does not, it is not used. */
  #isBootFine = false;
  /** Time that the monotonic clock missed, and when that was found. */
  #missed: { readonly foundAtMs: number; readonly ms: number }[] = [];

  /** `boot`: milliseconds since the machine was started, its sleeps included; null if that is not known. */
  constructor(
    monotonic: () => number = () => performance.now(),
    wall: () => number = () => Date.now(),
    boot: (() => number) | null = systemBoot,
  ) {
    this.#monotonic = monotonic;
    this.#wall = wall;
    this.#boot = boot;
    this.#read(wall);
    this.#aheadMs = this.#reading.aheadMs;
    this.#lookAtBoot(this.#reading.nowMs);
  }

  /** Checks now, and returns how many sleeps there were. */
  look(): number {
    this.#read(this.#wall);
    const { aheadMs, nowMs } = this.#reading;
    const movedMs = aheadMs - this.#aheadMs;
    // Both clocks are looked at together after a sleep: one sleep that was found twice would end two leases.
    if (Math.abs(movedMs) > NOISE_MS || nowMs - this.#bootReadAtMs >= BOOT_EVERY_MS) this.#lookAtBoot(nowMs);
    // Differences within the noise do not move the reference, so that slow drift is still found.
    if (Math.abs(movedMs) <= NOISE_MS) return this.sleeps;
    this.#aheadMs = aheadMs;
    if (movedMs < 0) return this.sleeps;
    this.#keep(nowMs, movedMs);
    if (movedMs > SLEEP_MS) this.#onSleep(movedMs);
    return this.sleeps;
  }

  /**
   * An interruption between the two readings makes the time since the start look shorter, never longer, so it is no
   * sleep. The reading that later ones are compared with must be without one.
   */
  #lookAtBoot(nowMs: number): void {
    if (this.#boot === null) return;
    this.#bootReadAtMs = nowMs;
    this.#read(this.#boot);
    const { aheadMs, readMs, apartMs } = this.#reading;
    this.#isBootFine ||= Math.round(readMs) % 1000 !== 0;
    if (!this.#isBootFine) return;
    if (this.#bootAheadMs === null) {
      if (apartMs <= APART_MS) this.#bootAheadMs = aheadMs;
      return;
    }
    const sleptMs = aheadMs - this.#bootAheadMs;
    if (sleptMs <= SHORT_SLEEP_MS) return;
    this.#bootAheadMs = aheadMs;
    this.#onSleep(sleptMs);
  }

  #onSleep(sleptMs: number): void {
    this.sleeps += 1;
    this.sleptMs = sleptMs;
  }

  /** Checks now, and returns how much more time passed since `fromMs` than the monotonic clock shows. */
  missedMsSince(fromMs: number): number {
    this.look();
    return this.#missed.reduce((sum, { foundAtMs, ms }) => (foundAtMs < fromMs ? sum : sum + ms), 0);
  }

  #keep(foundAtMs: number, ms: number): void {
    this.#missed.push({ foundAtMs, ms });
    if (this.#missed.length <= MOST_KEPT) return;
    const [first, second] = this.#missed.splice(0, 2);
    this.#missed.unshift({ foundAtMs: second!.foundAtMs, ms: first!.ms + second!.ms });
  }

  /** An interruption between the readings of the two clocks looks like a difference, so the closest pair counts. */
  #read(clock: () => number): void {
    const best = this.#reading;
    best.apartMs = Number.POSITIVE_INFINITY;
    for (let readings = 0; readings < READINGS && best.apartMs > APART_MS; readings++) {
      const beforeMs = this.#monotonic();
      const readMs = clock();
      const nowMs = this.#monotonic();
      const apartMs = nowMs - beforeMs;
      this.nowMs = nowMs;
      if (apartMs >= best.apartMs) continue;
      best.aheadMs = readMs - nowMs;
      best.readMs = readMs;
      best.nowMs = nowMs;
      best.apartMs = apartMs;
    }
  }
}

/** Another clock beside the monotonic one. */
interface Reading {
  aheadMs: number;
  readMs: number;
  /** The monotonic clock after the reading. */
  nowMs: number;
  /** How far apart the readings before and after it were. */
  apartMs: number;
}
