/**
 * The members of a cluster that balance their elections, each with its own timer and its own late picture of the
 * others, in virtual time: what they do together.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cause, Input, MemberId, Outcome, View } from '../../src/core/index.ts';
import type { Change } from '../../src/host/index.ts';
import { Balance } from '../../src/member/balance.ts';
import { VirtualClock } from '../member/virtual.ts';
import { leastMoves, spreadOf } from './evenness.ts';

const MOVE_EVERY_MS = 200;
const CALM_MS = 3000;
const STEP_MS = 20;

/** One election as one member sees it. */
interface Seen {
  readonly name: string;
  view: View;
  readonly history: Change[];
  command(command: { type: string; to?: MemberId }): Promise<Outcome>;
}

interface Process {
  readonly id: number;
  readonly balance: Balance<Seen>;
  readonly elections: Map<string, Seen>;
  isUp: boolean;
}

class World {
  readonly clock = new VirtualClock();
  readonly leaders = new Map<string, number | null>();
  readonly terms = new Map<string, number>();
  readonly processes: Process[];
  /** When which election began to move. */
  readonly moves: { readonly atMs: number; readonly name: string; readonly to: MemberId }[] = [];
  readonly log: string[] = [];
  readonly #ids: readonly number[];
  readonly #latencyMs: () => number;
  /** By election: tells the member that transferred it that it was done, once it has heard of the new leader. */
  readonly #done = new Map<string, () => void>();
  /** Members that may take over an election; all that are up, if nothing else is said. */
  standing: (name: string, id: number) => boolean = () => true;
  transfers = (_to: MemberId): boolean => true;

  constructor(size: number, latencyMs: () => number) {
    this.#latencyMs = latencyMs;
    this.#ids = Array.from({ length: size }, (_, i) => i + 1);
    this.processes = this.#ids.map((id) => this.#start(id));
  }

  #start(id: number): Process {
    const elections = new Map<string, Seen>();
    const balance = new Balance<Seen>({
      self: id,
      main: 'main',
      clock: this.clock,
      elections: () => elections.values(),
      successors: ({ name }) =>
        this.leaders.get(name) !== id
          ? []
          : this.processes
              .filter((each) => each.isUp && each.id !== id && this.standing(name, each.id))
              .map((each) => each.id),
      wake: () => {},
      isConnected: (other) => this.processes.find((each) => each.id === other)!.isUp,
      log: ({ message }) => void this.log.push(message),
    });
    return { id, balance, elections, isUp: true };
  }

  get counts(): number[] {
    const up = this.processes.filter(({ isUp }) => isUp);
    return up.map(({ id }) => [...this.leaders.values()].filter((leader) => leader === id).length);
  }

  /** This member leads from now on; the others hear of it later. */
  lead(name: string, leader: number, cause: Cause): void {
    const term = (this.terms.get(name) ?? 0) + 1;
    this.terms.set(name, term);
    this.leaders.set(name, leader);
    for (const process of this.processes) {
      const tell = (): void => this.#tell(process, name, leader, term, cause);
      if (process.id === leader) tell();
      else this.clock.set(this.clock.now() + this.#latencyMs(), tell);
    }
  }

  #tell(process: Process, name: string, leader: number, term: number, cause: Cause): void {
    if (!process.isUp) return;
    const seen = process.elections.get(name) ?? this.#open(process, name);
    if ((seen.view.term ?? 0) >= term) return;
    if (seen.view.role === 'leader') this.#done.get(name)?.();
    const entry = { atMs: 0, leader: null, token: null, detail: '' };
    seen.history.push({ ...entry, cause }, { ...entry, leader, cause: 'won' });
    seen.view = { ...seen.view, leader, term, role: leader === process.id ? 'leader' : 'follower' };
    process.balance.changed(seen);
  }

  #open(process: Process, name: string): Seen {
    const view = { role: 'none', leader: null, term: null, lease: null, version: 0, value: null } as const;
    const seen: Seen = {
      name,
      view: { ...view, members: this.#ids },
      history: [],
      command: ({ to }) => this.#transfer(name, to!),
    };
    process.elections.set(name, seen);
    return seen;
  }

  #transfer(name: string, to: MemberId): Promise<Outcome> {
    this.moves.push({ atMs: this.clock.now(), name, to });
    return new Promise((resolve) => {
      this.clock.set(this.clock.now() + 5, () => {
        if (!this.transfers(to))
          return resolve({
            status: 'failed',
            reason: `${to} did not take over in time`,
            effect: 'indefinite',
          });
        this.#done.set(name, () => resolve({ status: 'done' }));
        this.lead(name, to as number, 'transferred');
      });
    });
  }

  /** What it led is taken over by the others, one after the other. */
  kill(id: number, heirs: (index: number) => number): void {
    const process = this.processes.find((each) => each.id === id)!;
    process.isUp = false;
    this.#hear({ type: 'peer-gone', peer: id, proof: true, life: 'life' });
    const orphans = [...this.leaders].filter(([, leader]) => leader === id).map(([name]) => name);
    for (const [index, name] of orphans.entries())
      this.clock.set(this.clock.now() + 10 * index, () => this.lead(name, heirs(index), 'lease-expired'));
  }

  /** It begins anew, and hears from the others who leads. */
  restart(id: number): void {
    this.processes.find((each) => each.id === id)!.balance.close();
    const process = this.#start(id);
    this.processes.splice(id - 1, 1, process);
    this.#hear({ type: 'peer-back', peer: id });
    for (const [name, leader] of this.leaders) {
      const term = this.terms.get(name)!;
      this.clock.set(this.clock.now() + this.#latencyMs(), () =>
        this.#tell(process, name, leader!, term, 'learned'),
      );
    }
  }

  #hear(input: Input): void {
    for (const { isUp, balance } of this.processes) if (isUp) balance.heard(input);
  }

  async advance(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      this.clock.advance(STEP_MS);
      for (let i = 0; i < 4; i++) await null; // Transfers settle as promises.
    }
  }
}

const starts = fc.integer({ min: 2, max: 5 }).chain((size) =>
  fc.record({
    size: fc.constant(size),
    leaders: fc.array(fc.integer({ min: 1, max: size }), { minLength: 1, maxLength: 24 }),
    delays: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 }),
  }),
);

/** The world of a start, whose messages take up to so long. */
function worldOf(
  { size, leaders, delays }: { size: number; leaders: number[]; delays: number[] },
  mostMs: number,
): World {
  let drawn = 0;
  const world = new World(size, () => mostMs * delays[drawn++ % delays.length]!);
  for (const [i, leader] of leaders.entries()) world.lead(`e${i}`, leader, 'started');
  return world;
}

describe('members that balance their elections', () => {
  it('end within one, with as few transfers as can be, one per interval, if they hear of each in time', async () => {
    await fc.assert(
      fc.asyncProperty(starts, async (start) => {
        const world = worldOf(start, 80);
        const least = leastMoves(world.counts);
        await world.advance(CALM_MS + 1000);
        await world.advance(least * MOVE_EVERY_MS * (2 + start.size));
        expect(spreadOf(world.counts)).toBeLessThanOrEqual(1);
        expect(world.moves).toHaveLength(least);
        for (const [i, { atMs }] of world.moves.entries())
          if (i > 0) expect(atMs - world.moves[i - 1]!.atMs).toBeGreaterThanOrEqual(MOVE_EVERY_MS);
      }),
      { numRuns: 100 },
    );
  });

  it('end within one also if what they know is seconds old, and then move nothing', async () => {
    await fc.assert(
      fc.asyncProperty(starts, async (start) => {
        const world = worldOf(start, 2500);
        await world.advance(60_000);
        expect(spreadOf(world.counts)).toBeLessThanOrEqual(1);
        const { length } = world.moves;
        await world.advance(20_000);
        expect(world.moves).toHaveLength(length);
      }),
      { numRuns: 100 },
    );
  });

  it('move nothing soon after a takeover, nor to a member that has just come back', async () => {
    await fc.assert(
      fc.asyncProperty(starts, fc.nat(), async (start, heir) => {
        const world = worldOf(start, 80);
        await world.advance(CALM_MS + 10_000);
        const others = Array.from({ length: start.size - 1 }, (_, i) => i + 1);
        const killed = start.size;
        const orphans = world.counts.at(-1)!;
        const before = world.moves.length;
        world.kill(killed, (index) => others[(heir * index) % others.length]!);
        const takenMs = world.clock.now() + 10 * Math.max(0, orphans - 1);
        await world.advance(CALM_MS + 10_000);
        expect(spreadOf(world.counts)).toBeLessThanOrEqual(1);
        if (orphans > 0)
          for (const { atMs } of world.moves.slice(before))
            expect(atMs).toBeGreaterThanOrEqual(takenMs + CALM_MS);
        const between = world.moves.length;
        const backMs = world.clock.now();
        world.restart(killed);
        const least = leastMoves(world.counts);
        await world.advance(CALM_MS + 15_000);
        expect(spreadOf(world.counts)).toBeLessThanOrEqual(1);
        const moved = world.moves.slice(between);
        expect(moved).toHaveLength(least);
        for (const { atMs, to } of moved) expect([to, atMs >= backMs + CALM_MS]).toEqual([killed, true]);
      }),
      { numRuns: 100 },
    );
  });

  it('give nothing to a member that does not stand, and look again until it does', async () => {
    const world = new World(3, () => 10);
    world.standing = (_, id) => id !== 3;
    for (let i = 0; i < 9; i++) world.lead(`e${i}`, 1, 'started');
    await world.advance(20_000);
    expect(world.counts).toEqual([5, 4, 0]);
    world.standing = () => true;
    await world.advance(5000);
    expect(world.counts).toEqual([3, 3, 3]);
  });

  it('wait after a transfer that failed, and say so', async () => {
    const world = new World(2, () => 10);
    world.transfers = () => false;
    for (let i = 0; i < 4; i++) world.lead(`e${i}`, 1, 'started');
    await world.advance(10_000);
    const gaps = world.moves.slice(1).map(({ atMs }, i) => atMs - world.moves[i]!.atMs);
    expect(gaps.length).toBeGreaterThan(0);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(CALM_MS);
    expect(world.log[0]).toMatch(/could not be transferred to 2 for balance: 2 did not take over in time/);
  });

  it('leave the main election, and those of occasions and partitions, where they are', async () => {
    const world = new World(2, () => 10);
    for (const name of ['main', 'caucus.leases', 'once', 'orders.shards', 'job'])
      world.lead(name, 1, 'started');
    const { elections } = world.processes[0]!;
    for (const [name, mark] of [
      ['once', 'once'],
      ['orders.shards', 'shards'],
    ] as const) {
      const seen = elections.get(name)!;
      seen.view = { ...seen.view, value: { caucus: mark, version: 1 } };
    }
    await world.advance(20_000);
    expect(world.moves).toEqual([]);
  });
});
