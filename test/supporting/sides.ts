/** What the two processes of world.ts have of an election, and their clock. */
import type { Rested, RestRequest } from '../../src/core/index.ts';
import type { HostClock, Rest } from '../../src/host/index.ts';
import type { World } from './world.ts';

export const TIMES: { readonly heartbeatMs: number; readonly promiseMs: number; readonly leaseMs: number } = {
  heartbeatMs: 10,
  promiseMs: 20,
  leaseMs: 20,
};
export class Clock implements HostClock {
  readonly #world: World;
  readonly sleeps: number = 0;
  readonly sleptMs: number = 0;
  alarms: { atMs: number; run: () => void }[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  now(): number {
    return this.#world.nowMs;
  }
  wallNow(): number {
    return this.#world.nowMs;
  }
  after(delayMs: number): number {
    return this.#world.nowMs + Math.max(1, delayMs);
  }
  set(atMs: number, run: () => void): () => void {
    const alarm = { atMs, run };
    this.alarms.push(alarm);
    return () => {
      this.alarms = this.alarms.filter((each) => each !== alarm);
    };
  }
  runDue(): void {
    for (;;) {
      const next = this.alarms.filter((each) => each.atMs <= this.now()).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) return;
      this.alarms = this.alarms.filter((each) => each !== next);
      next.run();
    }
  }
}

/** An election on the process that leads it. */
export class Leading {
  readonly #world: World;
  leads = false;
  hasLapsed = false;
  /** It woke, and has not sent a heartbeat of its own since. */
  isRoused = false;
  term = 0;
  round = 0;
  answered = 0;
  sent: readonly { readonly round: number; readonly sentAtMs: number }[] = [];
  lease: { readonly round: number; readonly sentAtMs: number } | null = null;
  rest: Rest | null = null;

  constructor(world: World) {
    this.#world = world;
  }

  get mayAct(): boolean {
    if (!this.leads) return false;
    const endsAtMs =
      this.rest !== null ? this.rest.lease!.endsAtMs : (this.lease?.sentAtMs ?? -Infinity) + TIMES.leaseMs;
    return this.#world.nowMs < endsAtMs;
  }

  timer(): { endsAtMs: number; lengthMs: number; sleeps: number } {
    return { endsAtMs: this.lease!.sentAtMs + TIMES.leaseMs, lengthMs: TIMES.leaseMs, sleeps: 0 };
  }
  accepts(): boolean {
    return false;
  }
  carried(round: number, answeredBy: (id: number) => number): number {
    return [round, answeredBy(2), answeredBy(3)].sort((a, b) => b - a)[1]!;
  }
  begin(rest: Rest): void {
    this.rest = rest;
  }
  wake(): void {
    if (this.rest === null) return;
    const rested = this.rest.end() as Extract<Rested, { as: 'leader' }>;
    this.rest = null;
    this.isRoused = true;
    this.round = rested.round;
    this.sent = rested.open;
    this.lease = rested.lease;
    this.answered = Math.max(this.answered, rested.answered[2] ?? 0);
    if (!this.mayAct) this.leads = false;
  }
  onAnswer(round: number): void {
    this.wake();
    if (!this.mayAct) {
      this.leads = false; // The host does not use a lease again that has ended.
      return;
    }
    this.answered = Math.max(this.answered, round);
    const carries = this.sent.find((each) => each.round === this.answered);
    if (carries !== undefined && carries.round > this.lease!.round) this.lease = carries;
  }
}

/** An election on the process that votes. */
export class Voting {
  readonly #world: World;
  readonly #name: string;
  term = 0;
  follows: string | null = null;
  promise: { readonly life: string; readonly round: number; readonly heardAtMs: number } | null = null;
  /** After a start it helps no candidate for as long as it may have promised. */
  freeAtMs: number = Number.NEGATIVE_INFINITY;
  rest: Rest | null = null;

  constructor(world: World, name: string) {
    this.#world = world;
    this.#name = name;
  }

  get isBound(): boolean {
    const { nowMs } = this.#world;
    return nowMs < this.freeAtMs || nowMs < this.#heardAtMs + TIMES.promiseMs;
  }
  isBoundTo(life: string): boolean {
    return this.isBound && (this.promise?.life === life || this.#world.nowMs < this.freeAtMs);
  }
  get #heardAtMs(): number {
    if (this.rest !== null) return this.#world.voter.heardAtMs(1, this.#name)!;
    return this.promise?.heardAtMs ?? Number.NEGATIVE_INFINITY;
  }

  /** It leads nothing, so it has no lease. */
  timer(): undefined {}
  carried(): number {
    return 0;
  }
  accepts({ life, mark, round }: RestRequest): boolean {
    if (this.rest !== null || this.follows !== life || mark !== String(this.term)) return false;
    return this.promise?.life === life && this.promise.round < round && this.isBound;
  }
  begin(rest: Rest): void {
    this.rest = rest;
  }
  wake(): void {
    if (this.rest === null) return;
    const { heard } = this.rest.end() as Extract<Rested, { as: 'follower' }>;
    this.rest = null;
    this.promise = { life: this.promise!.life, round: heard.round, heardAtMs: heard.sentAtMs };
  }
}
