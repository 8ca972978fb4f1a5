import type { Command, Outcome, View, Why } from '../core/index.ts';
import type { Held, SeatHost } from '../election/index.ts';
import type { ProtocolHost } from '../host/index.ts';
import type { Host } from '../simulation/index.ts';
import type { TestWorld } from './test-world.ts';

/** The election of a simulated member, for one life of its process. */
export class TestHost implements SeatHost {
  readonly name: string;
  readonly protocol: string;
  readonly commands: readonly Command['type'][];
  readonly #world: TestWorld;
  readonly #process: Host;
  /** Keeps the state of this life when the member starts again. */
  readonly #running: ProtocolHost;
  readonly #listeners = new Set<() => void>();
  #isOver = false;

  constructor(election: string, world: TestWorld, process: Host, running: ProtocolHost) {
    this.name = election;
    this.protocol = world.protocol.name;
    this.commands = world.commands;
    this.#world = world;
    this.#process = process;
    this.#running = running;
  }

  get view(): View {
    return this.#running.view;
  }

  get held(): Held | null {
    return this.#running.held;
  }

  get explanation(): Why {
    return this.#running.explanation;
  }

  get isCurrent(): boolean | null {
    return this.#running.isCurrent;
  }

  /** A command of a process that has ended is never answered. */
  order(command: Command, why?: Why): Promise<Outcome> {
    if (this.#isOver) return new Promise(() => {});
    return this.#world.ask(this.#process, command, why);
  }

  refusal(command: Command): string | null {
    return this.#running.refusal(command);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notifies of a possible change. A paused process is not notified. */
  tell(): void {
    if (this.#isOver || this.#process.paused) return;
    for (const listener of [...this.#listeners]) listener();
  }

  /** The process has ended: no more notifications. */
  end(): void {
    this.#isOver = true;
    this.#listeners.clear();
  }
}
