/**
 * What leaves a process: messages, reports and answers. `save` is a barrier: an effect that follows a record leaves
 * only after that record is durable, and in the order in which the protocol pushed it. Three more rules:
 *
 * - Stopping never waits for a disk. A report that ends a leadership, or the lease under which it acts, takes effect
 *   at once. The rest of that report (for example the new term) waits for the disk, since a crash may still undo it.
 * - A renewed lease does wait. Until its report leaves, the process acts on the lease that it has shown.
 * - A disk that refuses a record shuts the barrier. Messages behind it are dropped (the network may lose any
 *   message), a command that was carried out is answered with "failed, perhaps done", and the newest report is kept
 *   until this record or a newer one is durable. The record is retried every second, and replaced by every newer one.
 *   An older record is never retried: it would replace the newer one on the disk. Example: record 7 is being synced when
 *   record 8 is given to the disk; the sync fails, and 8 becomes durable. What waited for 7 leaves with what waited for 8.
 */
import type { Effect, Input, Json, Outcome, View } from '../core/index.ts';
import type { HostPorts } from './ports.ts';
import type { Timer } from './timers.ts';

/** An input and the effects of its step. */
export interface Origin {
  readonly input: Input | null;
  readonly effects: readonly Effect[];
}

/** A view, and by what it came about: a slow disk may hold it up while other inputs are taken. */
interface Report {
  readonly type: 'report';
  readonly view: View;
  /**
   * The timer that bounds the lease of the view, as it ran when the protocol reported; undefined if none ran. A later
   * step may cancel it while the report waits: the protocol has renewed the lease, and this one still holds.
   */
  readonly lease: Readonly<Timer> | undefined;
  /** Null if the outbox itself ends a leadership: what came of the input follows behind the barrier. */
  readonly by: Origin | null;
}

export type Outward = Extract<Effect, { type: 'send' | 'call' | 'answer' }> | Report;

/** The host itself: functions for each election would take more memory than all else of an election at rest. */
export interface OutboxHost {
  /** Lets the effect leave the process. */
  emit(effect: Outward): void;
  /** The view that the process shows now. */
  readonly view: View;
  /** The barrier opened and released something, or it shut. With a slow disk this happens outside of a step. */
  onBarrier(): void;
}

interface Barrier {
  readonly type: 'barrier';
  isDurable: boolean;
  /** The disk refused its record when a newer one was on its way, which replaces it. */
  isReplaced: boolean;
}

type Waiting = Outward | Barrier;

/** Delay before a record that the disk refused is saved again. */
export const DISK_RETRY_MS = 1000;

const BARRED: Outcome = {
  status: 'failed',
  reason: 'the disk refused the record, so no other member can be told',
  effect: 'indefinite',
};

export class Outbox {
  /** Why the disk refuses records, or null. */
  illness: string | null = null;

  readonly #ports: Pick<HostPorts, 'clock' | 'save'>;
  readonly #host: OutboxHost;
  #line: Waiting[] = [];
  /** How many records were given to the disk: only the last one is the newest. */
  #saves = 0;
  /** The newest record, if the disk refused it. */
  #refused: { readonly record: Json } | null = null;
  /** The newest report, kept until the disk accepts records again. */
  #heldBack: Report | null = null;
  #cancelRetry: (() => void) | null = null;
  #isStopped = false;

  constructor(ports: Pick<HostPorts, 'clock' | 'save'>, host: OutboxHost) {
    this.#ports = ports;
    this.#host = host;
  }

  /** Does anything wait for the disk? */
  get isHolding(): boolean {
    return this.#line.length > 0 || this.#refused !== null;
  }

  save(record: Json): void {
    if (this.#isStopped) return;
    const barrier: Barrier = { type: 'barrier', isDurable: false, isReplaced: false };
    this.#saves += 1;
    const number = this.#saves;
    this.#refused = null;
    this.#line.push(barrier);
    if (this.#heldBack !== null) this.#line.push(this.#heldBack);
    this.#heldBack = null;
    this.#ports.save(record, (failure) => {
      if (this.#isStopped) return;
      if (failure === null) this.#onSaved(barrier);
      else if (number === this.#saves) this.#onRefused(record, failure);
      else this.#onReplaced(barrier);
    });
  }

  push(effect: Outward): void {
    if (this.#isStopped) return;
    if (this.#refused !== null) this.#pushShut(effect);
    else if (this.#line.length === 0) this.#host.emit(effect);
    else if (effect.type === 'report') this.#pushReport(effect);
    else this.#line.push(effect);
  }

  /** After this, nothing leaves and nothing is saved: another process may own the record by now. */
  stop(): void {
    this.#isStopped = true;
    this.#line = [];
    this.#cancelRetry?.();
    this.#cancelRetry = null;
  }

  #onSaved(barrier: Barrier): void {
    if (this.#refused !== null) return; // A newer record was refused since.
    barrier.isDurable = true;
    const wasShut = this.illness !== null;
    this.illness = null;
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    const hasEmitted = this.#letOut();
    if (wasShut || hasEmitted) this.#host.onBarrier();
  }

  #onReplaced(barrier: Barrier): void {
    barrier.isReplaced = true;
    if (this.#letOut()) this.#host.onBarrier();
  }

  /** What waits for nothing any more leaves. Did anything? */
  #letOut(): boolean {
    let hasEmitted = false;
    while (this.#line.length > 0) {
      const first = this.#line[0]!;
      if (first.type === 'barrier' && !this.#isOpen(first)) break;
      this.#line.shift();
      if (first.type === 'barrier') continue;
      this.#host.emit(first);
      hasEmitted = true;
    }
    if (this.#line.length === 0) this.#line = []; // An array that was emptied keeps its memory.
    return hasEmitted;
  }

  /** Is the record of the first barrier durable, or a newer one that replaces it? */
  #isOpen({ isDurable, isReplaced }: Barrier): boolean {
    return isDurable || (isReplaced && this.#line.some((each) => each.type === 'barrier' && each.isDurable));
  }

  #onRefused(record: Json, failure: string): void {
    const wasShut = this.illness !== null;
    this.illness = failure;
    this.#refused = { record };
    const waiting = this.#line;
    this.#line = [];
    for (const effect of waiting) if (effect.type !== 'barrier') this.#pushShut(effect);
    const { clock } = this.#ports;
    this.#cancelRetry ??= clock.set(clock.after(DISK_RETRY_MS), () => this.#retry());
    if (!wasShut) this.#host.onBarrier();
  }

  #retry(): void {
    this.#cancelRetry = null;
    if (this.#refused !== null) this.save(this.#refused.record);
  }

  #pushShut(effect: Outward): void {
    if (effect.type === 'report') {
      if (!mayAct(effect)) this.#stopActing(effect);
      this.#heldBack = effect;
    } else if (effect.type === 'answer') {
      const { outcome } = effect;
      this.#host.emit({ ...effect, outcome: outcome.status === 'done' ? BARRED : outcome });
    }
  }

  #pushReport(report: Report): void {
    if (!mayAct(report)) {
      // Reports still in line are older than this one.
      this.#line = this.#line.filter((each) => each.type !== 'report');
      this.#stopActing(report);
    }
    this.#line.push(report);
  }

  #stopActing({ view: { role, lease } }: Report): void {
    const view = this.#host.view;
    if (view.role !== 'leader') return;
    const stopped = role === 'leader' ? { ...view, lease } : { ...view, role, leader: null, lease: null };
    this.#host.emit({ type: 'report', view: stopped, lease: undefined, by: null });
  }
}

/** Does this report let the process act, or go on acting? */
function mayAct({ view, lease }: Report): boolean {
  return view.role === 'leader' && (view.lease === null || lease !== undefined);
}

/** A record that is to be saved. */
export type Save = Extract<Effect, { type: 'save' }>;

export function lastSaveIn(effects: readonly Effect[]): Save | null {
  for (let i = effects.length - 1; i >= 0; i--) {
    const effect = effects[i]!;
    if (effect.type === 'save') return effect;
  }
  return null;
}
