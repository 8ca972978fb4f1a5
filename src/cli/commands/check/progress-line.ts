import type { Progress } from '../../../exploration/index.ts';
import { duration, grouped } from '../../../story/index.ts';

const REDRAW_MS = 100;
const CLEAR = '\r\x1b[2K';
/** An end is estimated from what happened in so long a time. */
const TREND_MS = 30_000;

/**
 * How far a check has got, on standard error: a line that is drawn again and again on a terminal, or with `everyS` a new
 * line every so many seconds, also in a file.
 */
export class ProgressLine {
  readonly #everyS: number | null;
  #shownMs = 0;
  /** What was to go at the beginning of the trend, and what was then estimated. */
  #trend = { atMs: 0, states: 0, frontier: 0 };
  #speed: number | null = null;
  #leftMs: number | null = null;

  constructor(everyS: number | null) {
    this.#everyS = everyS;
  }

  show(progress: Progress, passedMs: number): void {
    const { stderr } = process;
    if (this.#everyS === null && !stderr.isTTY) return;
    const everyMs = this.#everyS === null ? REDRAW_MS : this.#everyS * 1000;
    if (passedMs - this.#shownMs < everyMs) return;
    this.#shownMs = passedMs;
    this.#follow(progress, passedMs);
    const line = this.#line(progress, passedMs);
    if (this.#everyS !== null) stderr.write(`${line}\n`);
    else stderr.write(CLEAR + line.slice(0, (stderr.columns ?? 80) - 1));
  }

  clear(): void {
    if (process.stderr.isTTY && this.#everyS === null) process.stderr.write(CLEAR);
  }

  /**
   * The end is where nothing is left to check, if that goes on to shrink as it did. As long as it grows, the end is unknown.
   */
  #follow({ states, frontier }: Progress, atMs: number): void {
    const passedMs = atMs - this.#trend.atMs;
    if (passedMs < TREND_MS) return;
    const shrunk = this.#trend.frontier - frontier;
    this.#speed = ((states - this.#trend.states) * 1000) / passedMs;
    this.#leftMs = shrunk > 0 ? (frontier / shrunk) * passedMs : null;
    this.#trend = { atMs, states, frontier };
  }

  #line({ states, frontier, transitions }: Progress, passedMs: number): string {
    const speed = this.#speed ?? (states * 1000) / Math.max(passedMs, 1);
    const end = this.#leftMs === null ? 'end not in sight' : `some ${duration(this.#leftMs)} left`;
    const { rss } = process.memoryUsage();
    return [
      `${grouped(states)} states, ${grouped(frontier)} to go, ${grouped(transitions)} transitions`,
      `${grouped(Math.round(speed))} states/s`,
      `${grouped(Math.round(rss / 1e6))} MB`,
      `${duration(passedMs)}, ${end}`,
    ].join(' · ');
  }
}
