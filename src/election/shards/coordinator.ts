import {
  emptyTable,
  liveSlots,
  nextTable,
  type Register,
  readTable,
  resized,
  SPREAD_SLOTS,
  type Table,
  writeRegister,
  writeTable,
} from '../../shards/index.ts';
import { onceAborted } from '../aborts.ts';
import type { Election } from '../election.ts';
import { CaucusError } from '../errors.ts';
import type { Leadership } from '../leadership.ts';
import { problemOf } from '../work.ts';
import type { Bell } from './bell.ts';
import type { Slot, Slots } from './slots.ts';

/** How soon a publication that was refused, or a slot that could not be taken, is tried again. */
const AGAIN_MS = 50;
const SWEEP_AGAIN_MS = 500;

interface Around {
  readonly main: Election;
  readonly slots: Slots;
  readonly bell: Bell;
  readonly size: number;
  /** How long the first replica waits for others before shards are assigned for the first time. */
  readonly settleMs: number;
  pause(ms: number, signals: readonly AbortSignal[]): Promise<void>;
  tell(problem: string): void;
}

/**
 * Keeps the table while this replica leads the election of the partition. It reads what the sessions say, asks the rules for the next
 * table, and publishes it. A session whose slot has no leader may only be unheard of. So the coordinator is elected in that slot itself,
 * which proves that the session has ended, and says so there.
 */
export class Coordinator {
  readonly #around: Around;
  readonly #leadership: Leadership;
  readonly #sweeps = new Map<Slot, AbortController>();
  #settling: 'waiting' | 'over' | null = null;

  constructor(around: Around, leadership: Leadership) {
    this.#around = around;
    this.#leadership = leadership;
  }

  /** Returns when the leadership has ended, or cannot be used any more. */
  async run(): Promise<void> {
    const { main, bell, size } = this.#around;
    const { signal } = this.#leadership;
    const forget = onceAborted([signal], () => bell.ring());
    try {
      let table = readTable(await main.current(this.#leadership), 'the published value');
      while (this.#leadership.isValid()) {
        const changed = bell.next;
        this.#openSlots(table?.sessions.length ?? 0);
        const known = table ?? emptyTable(size);
        this.#sweep(known);
        const next = this.#next(known);
        if (next === null || next === table) {
          await changed;
          continue;
        }
        const isPublished = await this.#publish(next);
        if (isPublished === null) return;
        if (isPublished) table = next;
      }
    } finally {
      forget();
      for (const stop of this.#sweeps.values()) stop.abort();
    }
  }

  /** All that replicas may try first, all of the table, and one after the last that is held. */
  #openSlots(known: number): void {
    const { slots } = this.#around;
    const isHeld = ({ leader, register }: Slot): boolean => leader !== null || register?.name != null;
    const held = slots.all.filter(isHeld).map(({ index }) => index + 2);
    const count = Math.max(SPREAD_SLOTS, known, ...held);
    for (let index = 0; index < count; index++) slots.at(index);
  }

  /** Null if it cannot be said yet. */
  #next(table: Table): Table | null {
    const { slots, size } = this.#around;
    if (!slots.all.every(({ isKnown }) => isKnown)) return null;
    const hasReplicas = liveSlots(table, this.#registers).length > 0;
    const isFirst = table.shards.every(({ token }) => token === 0);
    if (isFirst && hasReplicas && !this.#isSettled()) return null;
    const isOther = table.shards.length !== size && !hasReplicas;
    return nextTable(isOther ? resized(table, size) : table, this.#registers);
  }

  /** Replicas that start together should get their shares at once: else the first one owns everything for a moment. */
  #isSettled(): boolean {
    const { settleMs, pause, bell } = this.#around;
    if (this.#settling === null) {
      this.#settling = 'waiting';
      void pause(settleMs, [this.#leadership.signal]).then(() => {
        this.#settling = 'over';
        bell.ring();
      });
    }
    return this.#settling === 'over';
  }

  get #registers(): readonly (Register | null)[] {
    const registers: (Register | null)[] = [];
    for (const { index, register } of this.#around.slots.all) registers[index] = register;
    return Array.from(registers, (each) => each ?? null);
  }

  /** False if it was refused and may be tried again; null if it is not known whether it was published. */
  async #publish(table: Table): Promise<boolean | null> {
    const { main, pause, tell } = this.#around;
    try {
      await main.record(this.#leadership, writeTable(table));
      return true;
    } catch (error) {
      if (!(error instanceof CaucusError) || error.code === 'E_UNSUPPORTED') throw error;
      if (!this.#leadership.isValid()) return null;
      // A late publication of this leadership must not replace a later one, so there is none.
      if (error.outcome === 'indefinite') return null;
      // Members refuse while another change of their register is under way.
      if (error.code !== 'E_REFUSED') tell(`the table of shards could not be published: ${error.message}`);
      await pause(AGAIN_MS, [this.#leadership.signal]);
      return false;
    }
  }

  /** A session whose slot has no leader has ended, or is not heard of for a moment. */
  #sweep(table: Table): void {
    const live = liveSlots(table, this.#registers);
    for (const slot of this.#around.slots.all) {
      const stop = this.#sweeps.get(slot);
      if (slot.isTaken) stop?.abort();
      else if (stop === undefined && slot.isFree && live.includes(slot.index)) void this.#takeOver(slot);
    }
  }

  async #takeOver(slot: Slot): Promise<void> {
    const { bell, size, pause, tell } = this.#around;
    const stop = new AbortController();
    this.#sweeps.set(slot, stop);
    const work = async (held: Leadership): Promise<void> => {
      const vacant = writeRegister({ token: held.token, name: null, size, released: [] });
      await slot.election.record(held, vacant);
    };
    try {
      await slot.election.lead(work, { signal: stop.signal });
    } catch (error) {
      const isOver = error instanceof CaucusError && ['E_CLOSED', 'E_LEADERSHIP_LOST'].includes(error.code);
      if (!isOver) tell(`the session in slot ${slot.index} could not be ended: ${problemOf(error)}`);
      await pause(SWEEP_AGAIN_MS, [stop.signal, this.#leadership.signal]);
    } finally {
      this.#sweeps.delete(slot);
      bell.ring();
    }
  }
}
