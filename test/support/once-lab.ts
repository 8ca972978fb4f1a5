/** Crews of three replicas on one store, which are killed, stopped and ended while they work. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../src/core/index.ts';
import { Crew, type CrewPlan, type CrewVerdict } from './once-crew.ts';

const LONGEST_WAIT_MS = 240_000;
/** Schedules that catch up may have much to do when the faults end, on a busy machine. */
const LONGEST_CATCH_UP_MS = 600_000;
const BETWEEN_FAULTS_MS = [2000, 5000] as const;
const READ_JOURNAL_MS = 20;
const READ_RECORD_MS = 250;
/** How long a replica that works is waited for, before another one is harmed. */
const LONGEST_IDLE_MS = 3000;

export class OnceLab {
  readonly #crews: readonly Crew[];
  readonly #seed: number;
  readonly #reading: Promise<unknown>;
  #isOver = false;

  constructor(plans: readonly CrewPlan[], seed: number) {
    this.#seed = seed;
    this.#crews = plans.map((plan) => new Crew(plan));
    this.#reading = Promise.all([
      this.#reads(READ_JOURNAL_MS, async (crew) => crew.readJournal()),
      this.#reads(READ_RECORD_MS, (crew) => crew.readRecord()),
    ]);
  }

  /** Harms a replica of each crew, by preference one that works, again and again. */
  async harm(forMs: number): Promise<void> {
    await Promise.all(
      this.#crews.map((crew) => this.#until(() => crew.last !== '', crew, 'a first occasion')),
    );
    const untilMs = performance.now() + forMs;
    await Promise.all(this.#crews.map((crew) => this.#harmUntil(untilMs, crew)));
  }

  /** Waits until an occasion after the last fault is recorded, ends all replicas in order, and says what was seen. */
  async judge(): Promise<readonly CrewVerdict[]> {
    const from = new Date().toISOString();
    await Promise.all(
      this.#crews.map((crew) =>
        this.#until(() => crew.last > from, crew, 'an occasion after the last fault', LONGEST_CATCH_UP_MS),
      ),
    );
    await this.close();
    return this.#crews.map((crew) => crew.judge());
  }

  async close(): Promise<void> {
    await Promise.all(this.#crews.map((crew) => crew.close()));
    this.#isOver = true;
    await this.#reading;
  }

  /** Again and again: of what is recorded, the last runs are kept. */
  async #reads(everyMs: number, read: (crew: Crew) => Promise<void>): Promise<void> {
    for (let isLast = false; !isLast; ) {
      isLast = this.#isOver;
      await Promise.all(this.#crews.map(read));
      await sleep(everyMs);
    }
  }

  async #harmUntil(untilMs: number, crew: Crew): Promise<void> {
    const random = new Random(this.#seed, crew.plan.driver);
    while (performance.now() < untilMs) {
      await sleep(random.between(...BETWEEN_FAULTS_MS));
      const victim = random.chance(0.8) ? await this.#working(crew, random) : random.pick(crew.names)!;
      const fault = random.pick(['kill -9', 'kill -9', 'SIGSTOP', 'SIGTERM'])!;
      crew.faults[fault] = (crew.faults[fault] ?? 0) + 1;
      if (fault === 'SIGSTOP') {
        crew.signal(victim, 'SIGSTOP');
        await sleep(random.between(500, 4000));
        crew.signal(victim, 'SIGCONT');
      } else {
        await crew.end(victim, fault === 'SIGTERM' ? 'SIGTERM' : 'SIGKILL');
        crew.start(victim);
      }
      if (!crew.plan.catchesUp) await this.#recovery(crew, victim);
    }
  }

  /** A replica in the middle of its work. */
  async #working(crew: Crew, random: Random): Promise<string> {
    const untilMs = performance.now() + LONGEST_IDLE_MS;
    while (crew.busy.length === 0 && performance.now() < untilMs) await sleep(READ_JOURNAL_MS);
    const victim = random.pick(crew.busy.length > 0 ? crew.busy : crew.names)!;
    await sleep(random.between(0, 200));
    return victim;
  }

  /**
   * A replica that does not catch up knows only what fired since it started. Until one of these is recorded, the others
   * alone know what was due before, so none of them is harmed.
   */
  async #recovery(crew: Crew, victim: string): Promise<void> {
    const fired = crew.nextFired(victim);
    await this.#until(
      () => crew.last >= (fired() ?? '~'),
      crew,
      `an occasion that ${victim} fired after its fault`,
    );
  }

  async #until(
    isSo: () => boolean,
    { plan }: Crew,
    what: string,
    longestMs = LONGEST_WAIT_MS,
  ): Promise<void> {
    const untilMs = performance.now() + longestMs;
    while (!isSo()) {
      if (performance.now() > untilMs)
        throw new Error(`${plan.driver}: no sign of ${what} within ${longestMs / 1000} s`);
      await sleep(50);
    }
  }
}
