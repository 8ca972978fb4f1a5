import type { Change } from '../api/index.ts';
import type { Effect, Input, Json, MemberId, Message, RestOffer } from '../core/index.ts';
import type { Resting } from '../host/index.ts';
import type { Clock } from './clock.ts';
import type { ElectionSaves } from './election-saves.ts';
import type { ElectionSupport } from './election-support.ts';
import type { Pace } from './pace.ts';
import type { Recorder } from './recorder.ts';
import type { SameParts } from './same-parts.ts';
import type { SenderBudgets } from './sender-budgets.ts';
import type { ElectionsAround, Surroundings } from './surroundings.ts';

/** What all elections of a member share. */
export interface SharedSurroundings {
  readonly around: ElectionsAround;
  readonly budgets: SenderBudgets;
  /** Undefined: what campaigns waits for no other one. */
  readonly pace: Pace | undefined;
  readonly support: ElectionSupport;
  readonly same: SameParts;
}

/** What one election needs from its member. A class, since a member may have thousands: they share its functions. */
export class ElectionSurroundings implements Surroundings {
  readonly earlier: readonly Change[];
  protected readonly shared: SharedSurroundings;
  protected readonly name: string;
  readonly #recorder: Recorder | null;
  readonly #saves: ElectionSaves;

  constructor(
    shared: SharedSurroundings,
    name: string,
    recorder: Recorder | null,
    earlier: readonly Change[],
    saves: ElectionSaves,
  ) {
    this.shared = shared;
    this.name = name;
    this.#recorder = recorder;
    this.earlier = earlier;
    this.#saves = saves;
  }

  get clock(): Clock {
    return this.shared.around.clock;
  }

  get budgets(): SenderBudgets {
    return this.shared.budgets;
  }

  get pace(): Pace | undefined {
    return this.shared.pace;
  }

  isVoter(id: MemberId): boolean {
    return this.shared.around.isVoter(id);
  }

  send(to: MemberId, message: Message, at?: string): void {
    this.shared.around.send(to, this.name, message, at);
  }

  call(at: string, message: Message, to?: MemberId): void {
    this.shared.around.call?.(this.name, at, message, to);
  }

  save(record: Json): string | null {
    return this.#saves.save(record);
  }

  saveSoon(record: Json, done: (failure: string | null) => void): void {
    this.#saves.saveSoon(record, done);
  }

  blocks(): boolean {
    return this.#saves.blocks;
  }

  settle(): void {
    this.#saves.settle();
  }

  same<V extends Json>(value: V): V {
    return this.shared.same.of(value);
  }

  stepped(input: Input, effects: readonly Effect[]): void {
    this.#recorder?.step(this.clock.wallNow(), input, effects);
  }
}

/** The same for an election that can rest. */
export class RestingSurroundings extends ElectionSurroundings {
  mayRest(resting: Resting, offer: RestOffer): boolean {
    return this.shared.support.mayRest(this.name, resting, offer);
  }

  restHeardAtMs(peer: MemberId): number | null {
    return this.shared.support.heardAtMs(this.name, peer);
  }
}
