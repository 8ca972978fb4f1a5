/** The share of time that may be spent on drawing is one in this many. */
const SHARE = 4;

/** Draws soon after a change, once for several changes, and less often if it takes long. */
export class Easel {
  readonly #draw: () => void;
  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #restMs = 0;
  #doneMs = 0;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  request(): void {
    if (this.#frame !== 0 || this.#timer !== undefined) return;
    const waitMs = this.#doneMs + this.#restMs - performance.now();
    if (waitMs <= 16) this.#frame = requestAnimationFrame(this.#work);
    else this.#timer = setTimeout(this.#work, waitMs);
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#frame = 0;
    this.#timer = undefined;
  }

  readonly #work = (): void => {
    this.stop();
    const beganMs = performance.now();
    this.#draw();
    this.#doneMs = performance.now();
    this.#restMs = (this.#doneMs - beganMs) * SHARE;
  };
}
