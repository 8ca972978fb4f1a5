import type { Effect, Json, Outcome } from '../core/index.ts';
import type { Clock } from './clock.ts';

/** How long to wait before a record that could not be saved is tried again. */
const RETRY_MS = 1000;

/** What a command is answered whose effect could not be told, since the barrier is shut. */
export const BARRED: Outcome = {
  status: 'failed',
  reason: 'the disk took no record, so no other member can be told',
  effect: 'indefinite',
};

/**
 * Nothing that depends on a record leaves before it is durable. Saving is synchronous, so usually there is nothing to wait for;
 * when it fails, the barrier stays shut until the newest record is on the disk.
 */
export class Barrier {
  readonly #clock: Clock;
  readonly #save: (record: Json) => void;
  readonly #onChange: () => void;
  #wanted: { readonly record: Json } | null = null;
  #cancelRetry: (() => void) | null = null;
  /** Why it is shut, or null. */
  illness: string | null = null;

  constructor(clock: Clock, save: (record: Json) => void, onChange: () => void) {
    this.#clock = clock;
    this.#save = save;
    this.#onChange = onChange;
  }

  get isOpen(): boolean {
    return this.#wanted === null;
  }

  save(record: Json): void {
    const wasOpen = this.isOpen;
    try {
      this.#save(record);
      this.#wanted = null;
      this.illness = null;
      this.stop();
    } catch (error) {
      this.#wanted = { record };
      this.illness = error instanceof Error ? error.message : String(error);
      this.#cancelRetry ??= this.#clock.set(this.#clock.now() + RETRY_MS, () => this.#retry());
    }
    if (wasOpen !== this.isOpen) this.#onChange();
  }

  /** Gives up trying. */
  stop(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = null;
  }

  #retry(): void {
    this.#cancelRetry = null;
    if (this.#wanted !== null) this.save(this.#wanted.record);
  }
}

/** Does it leave the member, and so have to wait for what was saved before it? */
export function isOutward({ type }: Effect): boolean {
  return type === 'send' || type === 'report' || type === 'answer';
}
