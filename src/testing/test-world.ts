import type { Command, Effect, Input, Json, MemberId, Outcome, Why } from '../core/index.ts';
import { type Host, type Scenario, World, type WorldOptions } from '../simulation/index.ts';

/** The events that a test cluster needs from its world. */
export interface Audience {
  started(host: Host): void;
  stopped(id: MemberId): void;
  paused(id: MemberId): void;
  resumed(id: MemberId): void;
  reported(id: MemberId): void;
  answered(): void;
}

/** The simulated world, with programs of a user beside its members: it notifies them and takes their commands. */
export class TestWorld extends World {
  readonly #audience: Audience;
  readonly #answers = new Map<number, (outcome: Outcome) => void>();
  #commandsGiven = 0;

  constructor(scenario: Scenario, seed: number, options: WorldOptions, audience: Audience) {
    super(scenario, seed, options);
    this.#audience = audience;
  }

  /** Never settles if the member's process ends first, as in reality. */
  ask(host: Host, command: Command, why?: Why): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#answers.set(this.#commandsGiven + 1, resolve);
      this.command(host, command, why);
    });
  }

  override command(host: Host, command: Command, why?: Why): void {
    this.#commandsGiven += 1;
    super.command(host, command, why);
  }

  override answered(host: Host, command: number, outcome: Outcome): void {
    super.answered(host, command, outcome);
    const resolve = this.#answers.get(command);
    if (resolve === undefined) return;
    this.#answers.delete(command);
    resolve(outcome);
    this.#audience.answered();
  }

  override stepped(host: Host, input: Input, effects: readonly Effect[]): void {
    super.stepped(host, input, effects);
    // A second process of a member runs the protocol alone: the program under test is in the first.
    if (input.type !== 'start' || host.isTwin) return;
    this.#audience.started(host);
  }

  override reviewed(host: Host): void {
    super.reviewed(host);
    if (!host.isTwin) this.#audience.reported(host.id);
  }

  override note(event: { readonly do: string; readonly [field: string]: Json }): void {
    super.note(event);
    const { do: what, member } = event as { do: string; member?: MemberId };
    if (member === undefined) return;
    if (what === 'crash') this.#audience.stopped(member);
    else if (what === 'pause') this.#audience.paused(member);
    else if (what === 'resume') this.#audience.resumed(member);
  }
}
