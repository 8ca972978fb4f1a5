import { machineNowMs } from './clock.ts';

/** When the command must get SIGTERM, and when it must be dead, by the clock of the machine. */
export interface Deadline {
  readonly termAtMs: number;
  readonly killAtMs: number;
}

/** No deadline. Messages between processes are JSON, which has no Infinity. */
const NEVER_MS = Number.MAX_SAFE_INTEGER;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const NO_DEADLINE: Deadline = { termAtMs: NEVER_MS, killAtMs: NEVER_MS };

/** Calls `onTerm` and `onKill` at their moments, at once if they have passed. Every deadline replaces the last. */
export class Alarm {
  readonly #onTerm: () => void;
  readonly #onKill: () => void;
  #deadline: Deadline = NO_DEADLINE;
  #timer: NodeJS.Timeout | undefined;
  #asked = false;

  constructor(onTerm: () => void, onKill: () => void) {
    this.#onTerm = onTerm;
    this.#onKill = onKill;
  }

  set(deadline: Deadline): void {
    this.#deadline = deadline;
    this.#look();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#deadline = NO_DEADLINE;
    this.#asked = false;
  }

  #look(): void {
    clearTimeout(this.#timer);
    const { termAtMs, killAtMs } = this.#deadline;
    const nowMs = machineNowMs();
    if (nowMs >= killAtMs) {
      this.clear();
      this.#onKill();
      return;
    }
    if (nowMs >= termAtMs && !this.#asked) {
      this.#asked = true;
      this.#onTerm();
    }
    const nextMs = this.#asked ? killAtMs : Math.min(termAtMs, killAtMs);
    this.#timer = setTimeout(() => this.#look(), Math.min(nextMs - nowMs, LONGEST_TIMER_MS));
  }
}
