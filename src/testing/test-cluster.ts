import { BadInput, type MemberId, show } from '../core/index.ts';
import { CaucusError, type Election, ProtocolSeat } from '../election/index.ts';
import type { Action, Host, Violation } from '../simulation/index.ts';
import { scenarioFor, type TestClusterOptions } from './options.ts';
import { TestHost } from './test-host.ts';
import { TestProcess } from './test-process.ts';
import { type Audience, TestWorld } from './test-world.ts';
import { ProcessClock, Timeline } from './timeline.ts';

/** Taken before a test framework can replace it with a fake one. */
const { setImmediate } = globalThis;

/** One change of the acting leader. */
export interface Reign {
  readonly atMs: number;
  readonly leader: string | null;
  readonly token: bigint | null;
}

/**
 * A cluster in memory on a virtual clock. Each member has a real `Election`. Time passes only on request, and between
 * any two events the programs under test do everything that they can do without waiting. So a failover takes no real
 * time, and the same seed gives the same history.
 */
export class TestCluster {
  readonly seed: number;
  /** The acting leader from each moment on: null if there was none. */
  readonly history: Reign[] = [];

  readonly #options: TestClusterOptions;
  readonly #world: TestWorld;
  readonly #timeline: Timeline;
  readonly #processes = new Map<MemberId, TestProcess>();
  readonly #toRun: TestProcess[] = [];
  readonly #failures: unknown[] = [];
  /** Something happened that a program may react to. */
  #isDirty = true;
  #isAdvancing = false;
  #isClosing = false;

  constructor(options: TestClusterOptions = {}) {
    const scenario = scenarioFor(options);
    this.#options = options;
    this.seed = scenario.seed ?? 1;
    const audience: Audience = {
      started: (host) => this.#begin(host),
      stopped: (id) => this.#end(id),
      paused: (id) => this.#processes.get(id)?.pause(),
      resumed: (id) => {
        this.#isDirty = true;
        this.#processes.get(id)?.resume();
      },
      reported: (id) => this.#processes.get(id)?.tell(),
      answered: () => {
        this.#isDirty = true;
      },
    };
    this.#world = new TestWorld(scenario, this.seed, {}, audience);
    this.#timeline = new Timeline();
  }

  /** Virtual milliseconds since the beginning. */
  get nowMs(): number {
    return this.#world.nowUs / 1000;
  }

  get ids(): MemberId[] {
    return [...this.#world.hosts.keys()];
  }

  /** All members that may act now and are not paused: at most one, if the protocol keeps its promise. */
  get acting(): MemberId[] {
    return [...this.#world.hosts.values()]
      .filter((host) => host.alive && !host.paused && host.acting)
      .map((host) => host.id);
  }

  /** The member that may act now, or null. */
  get leader(): MemberId | null {
    return this.acting[0] ?? null;
  }

  /** Violations that the simulator found of properties that the protocol promises. */
  get violations(): readonly Violation[] {
    return this.#world.violations.filter((each) => each.claimed);
  }

  /** A hash of everything that happened: equal hashes mean equal runs. */
  get hash(): string {
    return this.#world.hash;
  }

  isUp(id: MemberId): boolean {
    return this.#processes.has(id);
  }

  /** The current process of a member. */
  process(id: MemberId): TestProcess {
    const process = this.#processes.get(id);
    if (process !== undefined) return process;
    if (this.#world.hosts.has(id)) throw new CaucusError('E_REFUSED', `member ${id} does not run`);
    throw new BadInput('member', `one of ${this.ids.join(', ')}`, show(id));
  }

  election(id: MemberId): Election {
    return this.process(id).election;
  }

  /** Kills the process at once; its disk remains. */
  crash(member: MemberId): void {
    this.act({ do: 'crash', member });
  }

  /** Starts the process again, and the program under test in it. `amnesia`: with an empty disk. */
  restart(member: MemberId, { amnesia = false }: { readonly amnesia?: boolean } = {}): void {
    this.act({ do: 'restart', member, amnesia });
  }

  /** Stops the process, as with SIGSTOP, or a long pause of its garbage collector. */
  pause(member: MemberId): void {
    this.act({ do: 'pause', member });
  }

  resume(member: MemberId): void {
    this.act({ do: 'resume', member });
  }

  /** Only members of one group hear each other. A member in no group is isolated. */
  partition(...groups: readonly (readonly MemberId[])[]): void {
    this.act({ do: 'partition', groups });
  }

  cut(from: MemberId, to: MemberId, { oneWay = false }: { readonly oneWay?: boolean } = {}): void {
    this.act({ do: 'cut', from, to, oneWay });
  }

  /** Reconnects all members. */
  heal(): void {
    this.act({ do: 'heal' });
  }

  /** Any other fault of the simulator: see docs/scenarios.md. */
  act(action: Action): void {
    this.#isDirty = true;
    this.#world.act(action);
    this.#remember();
  }

  /** Lets virtual time pass. Rejects if a program under test failed. */
  async advance(ms: number): Promise<void> {
    await this.#run(this.#world.nowUs + Math.round(ms * 1000), () => false);
  }

  /**
   * Lets time pass until the condition holds: it is checked after every event. Rejects if that takes longer than
   * `withinMs`.
   */
  async until(
    isSo: () => boolean,
    { withinMs = 600_000 }: { readonly withinMs?: number } = {},
  ): Promise<void> {
    if (await this.#run(this.#world.nowUs + Math.round(withinMs * 1000), isSo)) return;
    const who = this.leader === null ? 'there is no leader' : `${this.leader} leads`;
    const message = `the condition did not hold within ${withinMs} ms of virtual time (seed ${this.seed}, ${who})`;
    throw new CaucusError('E_TIMEOUT', message);
  }

  /**
   * Lets time pass until the promise has settled, and settles like it: a plain `await` would wait for ever, since
   * time would not pass.
   */
  async when<T>(promise: PromiseLike<T>, options: { readonly withinMs?: number } = {}): Promise<T> {
    let isSettled = false;
    const settled = Promise.resolve(promise).finally(() => {
      isSettled = true;
      this.#isDirty = true;
    });
    settled.catch(() => {}); // Reported below, unless time runs out first.
    await this.until(() => isSettled, options);
    return settled;
  }

  /** Closes all elections in an orderly way. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.act({ do: 'heal' });
    this.act({ do: 'resume', member: 'all' });
    await this.when(
      Promise.allSettled([...this.#processes.values()].map(({ election }) => election.close())),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(untilUs: number, isSo: () => boolean): Promise<boolean> {
    if (this.#isAdvancing) throw new CaucusError('E_REFUSED', 'time already passes: await the earlier call');
    this.#isAdvancing = true;
    this.#isDirty = true; // The caller may have done something to the programs before.
    try {
      for (;;) {
        if (this.#isDirty) await this.#calm();
        if (isSo()) return true;
        if (!this.#next(untilUs)) return false;
      }
    } finally {
      this.#isAdvancing = false;
    }
  }

  /** Runs one event, if one is due by then: the members' events come before the timers of their programs. */
  #next(untilUs: number): boolean {
    const wakeUs = this.#timeline.nextUs;
    const stopUs = Math.min(wakeUs, untilUs);
    if (!this.#world.step(stopUs)) {
      this.#world.nowUs = stopUs;
      if (wakeUs > untilUs) return false;
      this.#isDirty = true;
      this.#timeline.wakeNext();
    }
    this.#remember();
    return true;
  }

  /** Lets the programs under test do what they can do without waiting. */
  async #calm(): Promise<void> {
    while (this.#isDirty) {
      this.#isDirty = false;
      for (const process of this.#toRun.splice(0)) this.#start(process);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    const [failure] = this.#failures.splice(0);
    if (failure !== undefined && !this.#isClosing) throw failure;
  }

  #start(process: TestProcess): void {
    const { run } = this.#options;
    if (run === undefined) return;
    (async () => run(process))().catch((error: unknown) => {
      if (this.#processes.get(process.id) === process) this.#failures.push(error);
    });
  }

  #begin(host: Host): void {
    const { election = 'test', drainMs, answerMs } = this.#options;
    const running = new TestHost(election, this.#world, host, host.running!);
    const idOf = (name: string): MemberId => this.ids.find((id) => String(id) === name) ?? name;
    const seat = new ProtocolSeat(running, String(host.id), 1, idOf);
    seat.watch(() => {
      this.#isDirty = true;
    });
    const clock = new ProcessClock(this.#timeline, host.clock);
    const process = new TestProcess(host.id, running, seat, clock, {
      ...(drainMs === undefined ? {} : { drainMs }),
      ...(answerMs === undefined ? {} : { answerMs }),
    });
    this.#processes.set(host.id, process);
    this.#toRun.push(process);
    this.#isDirty = true;
  }

  #end(id: MemberId): void {
    this.#processes.get(id)?.end();
    this.#processes.delete(id);
  }

  #remember(): void {
    const { leader } = this;
    const term = leader === null ? null : this.#world.hosts.get(leader)!.view.term;
    const token = term === null ? null : BigInt(term);
    const name = leader === null ? null : String(leader);
    const last = this.history.at(-1);
    if ((last?.leader ?? null) === name && (last?.token ?? null) === token) return;
    this.history.push({ atMs: this.nowMs, leader: name, token });
  }
}
