import { duration, grouped } from '../../story/index.ts';

const BAR_WIDTH = 24;
const REDRAW_MS = 100;
const CLEAR = '\r\x1b[2K';

/** A line on a terminal that shows the progress of many runs. The cursor is never hidden. */
export class Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #total: number;
  readonly #startedMs = performance.now();
  #drawnMs = Number.NEGATIVE_INFINITY;

  constructor(stream: NodeJS.WriteStream, total: number) {
    this.#stream = stream;
    this.#total = total;
  }

  update(done: number): void {
    const nowMs = performance.now();
    if (nowMs - this.#drawnMs < REDRAW_MS) return;
    this.#drawnMs = nowMs;
    this.#stream.write(
      CLEAR + progressLine(done, this.#total, nowMs - this.#startedMs, this.#stream.columns),
    );
  }

  clear(): void {
    this.#stream.write(CLEAR);
  }
}

/** Never as wide as the terminal: a line that wraps could not be cleared. */
export function progressLine(done: number, total: number, passedMs: number, columns = 80): string {
  const full = Math.floor((BAR_WIDTH * done) / total);
  const perMs = passedMs > 0 ? done / passedMs : 0;
  const left = perMs > 0 ? duration((total - done) / perMs) : '?';
  const line = `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${grouped(done)} of ${grouped(total)} runs · ${grouped(Math.round(perMs * 1000))} a second · ${left} left`;
  return line.slice(0, Math.max(0, columns - 1));
}
