/**
 * What leaves a process: messages, reports and answers. `save` is a barrier: nothing that stands after a record leaves before
 * that record is durable, in the order in which the protocol asked for it. Two rules beside that:
 *
 * - Stopping never waits for a disk. A report that gives up a leadership takes effect at once; what else it tells waits, since a
 *   crash may still undo it.
 * - A disk that refuses a record shuts the barrier. Messages that stand behind it are dropped (the network may lose any), a
 *   command that was carried out is answered with "failed, perhaps done", and the newest report is kept until a record, that one
 *   or a newer, is durable. The disk is tried again every second, and with every newer record.
 */
import type { Effect, Json, Outcome, View } from '../core/index.ts';
import type { HostClock } from './clock.ts';

export type Outward = Extract<Effect, { type: 'send' | 'report' | 'answer' }>;

export interface OutboxPorts {
  readonly clock: HostClock;
  /** Makes a record durable, and calls `done`, perhaps before it returns: with null, or with why it failed. */
  save(record: Json, done: (failure: string | null) => void): void;
  /** It leaves. */
  emit(effect: Outward): void;
  /** What the process shows at the moment. */
  view(): View;
  /** The barrier has opened and let something out, or has shut: perhaps outside of a step, when a slow disk is done. */
  changed(): void;
}

type Waiting = Outward | { readonly type: 'barrier'; isDurable: boolean };

/** How long to wait before a record that could not be saved is tried again. */
const RETRY_MS = 1000;

const BARRED: Outcome = {
  status: 'failed',
  reason: 'the disk took no record, so no other member can be told',
  effect: 'indefinite',
};

export class Outbox {
  /** Why the disk refuses records, or null. */
  illness: string | null = null;

  readonly #ports: OutboxPorts;
  #line: Waiting[] = [];
  /** The newest record that the disk has refused. */
  #refused: { readonly record: Json } | null = null;
  /** What is to be told once the disk takes records again. */
  #heldBack: View | null = null;
  #cancelRetry: (() => void) | null = null;
  #isStopped = false;

  constructor(ports: OutboxPorts) {
    this.#ports = ports;
  }

  save(record: Json): void {
    if (this.#isStopped) return;
    const barrier = { type: 'barrier' as const, isDurable: false };
    const wasShut = this.#refused !== null;
    this.#refused = null;
    this.#line.push(barrier);
    if (this.#heldBack !== null) this.#line.push({ type: 'report', view: this.#heldBack });
    this.#heldBack = null;
    this.#ports.save(record, (failure) => {
      if (this.#isStopped) return;
      if (failure === null) this.#onSaved(barrier, wasShut);
      else this.#onRefused(record, failure, wasShut);
    });
  }

  push(effect: Outward): void {
    if (this.#isStopped) return;
    if (this.#refused !== null) this.#pushShut(effect);
    else if (this.#line.length === 0) this.#ports.emit(effect);
    else if (effect.type === 'report') this.#pushReport(effect.view);
    else this.#line.push(effect);
  }

  /** Nothing leaves any more, and nothing is saved: another process may write the record by now. */
  stop(): void {
    this.#isStopped = true;
    this.#line = [];
    this.#cancelRetry?.();
    this.#cancelRetry = null;
  }

  #onSaved(barrier: { isDurable: boolean }, wasShut: boolean): void {
    if (this.#refused !== null) return; // A newer record was refused since.
    barrier.isDurable = true;
    this.illness = null;
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    let hasEmitted = false;
    while (this.#line.length > 0) {
      const first = this.#line[0]!;
      if (first.type === 'barrier' && !first.isDurable) break;
      this.#line.shift();
      if (first.type === 'barrier') continue;
      this.#ports.emit(first);
      hasEmitted = true;
    }
    if (wasShut || hasEmitted) this.#ports.changed();
  }

  #onRefused(record: Json, failure: string, wasShut: boolean): void {
    this.illness = failure;
    this.#refused = { record };
    const waiting = this.#line;
    this.#line = [];
    for (const effect of waiting) if (effect.type !== 'barrier') this.#pushShut(effect);
    const { clock } = this.#ports;
    this.#cancelRetry ??= clock.set(clock.after(RETRY_MS), () => this.#retry());
    if (!wasShut) this.#ports.changed();
  }

  #retry(): void {
    this.#cancelRetry = null;
    if (this.#refused !== null) this.save(this.#refused.record);
  }

  #pushShut(effect: Outward): void {
    if (effect.type === 'report') {
      this.#stopActing(effect.view);
      this.#heldBack = effect.view;
    } else if (effect.type === 'answer') {
      const { outcome } = effect;
      this.#ports.emit({ ...effect, outcome: outcome.status === 'done' ? BARRED : outcome });
    }
  }

  #pushReport(view: View): void {
    if (view.role !== 'leader') {
      // What was about to be told before is out of date.
      this.#line = this.#line.filter((each) => each.type !== 'report');
      this.#stopActing(view);
    }
    this.#line.push({ type: 'report', view });
  }

  #stopActing({ role }: View): void {
    const view = this.#ports.view();
    if (view.role !== 'leader' || role === 'leader') return;
    this.#ports.emit({ type: 'report', view: { ...view, role, leader: null, lease: null } });
  }
}
