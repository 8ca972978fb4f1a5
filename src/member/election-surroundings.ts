import type { Change } from '../api/index.ts';
import type { Effect, Input, MemberId, Message } from '../core/index.ts';
import type { Clock } from './clock.ts';
import type { Saves } from './election-saves.ts';
import type { Pace } from './pace.ts';
import type { Recorder } from './recorder.ts';
import type { SenderBudgets } from './sender-budgets.ts';
import type { ElectionsAround, Surroundings } from './surroundings.ts';

/** What all elections of a member share. */
export interface SharedSurroundings {
  readonly around: ElectionsAround;
  readonly budgets: SenderBudgets;
  /** Undefined: what campaigns waits for no other one. */
  readonly pace: Pace | undefined;
}

/** What one election needs from its member. A class, since a member may have thousands: they share its functions. */
export class ElectionSurroundings implements Surroundings {
  readonly earlier: readonly Change[];
  readonly mayRest: Surroundings['mayRest'];
  readonly restHeardAtMs: Surroundings['restHeardAtMs'];
  readonly save: Surroundings['save'];
  readonly saveSoon: Surroundings['saveSoon'];
  readonly settle: Surroundings['settle'];
  readonly blocks: Surroundings['blocks'];
  readonly #shared: SharedSurroundings;
  readonly #name: string;
  readonly #recorder: Recorder | null;

  constructor(
    shared: SharedSurroundings,
    name: string,
    recorder: Recorder | null,
    earlier: readonly Change[],
    resting: Pick<Surroundings, 'mayRest' | 'restHeardAtMs'>,
    { save, saveSoon, settle, blocks }: Saves,
  ) {
    this.#shared = shared;
    this.#name = name;
    this.#recorder = recorder;
    this.earlier = earlier;
    this.mayRest = resting.mayRest;
    this.restHeardAtMs = resting.restHeardAtMs;
    this.save = save;
    this.saveSoon = saveSoon;
    this.settle = settle;
    this.blocks = blocks;
  }

  get clock(): Clock {
    return this.#shared.around.clock;
  }

  get budgets(): SenderBudgets {
    return this.#shared.budgets;
  }

  get pace(): Pace | undefined {
    return this.#shared.pace;
  }

  isVoter(id: MemberId): boolean {
    return this.#shared.around.isVoter(id);
  }

  send(to: MemberId, message: Message, at?: string): void {
    this.#shared.around.send(to, this.#name, message, at);
  }

  call(at: string, message: Message, to?: MemberId): void {
    this.#shared.around.call?.(this.#name, at, message, to);
  }

  stepped(input: Input, effects: readonly Effect[]): void {
    this.#recorder?.step(this.clock.wallNow(), input, effects);
  }
}
