/**
 * The promises of bully under attack: everything the simulated world can do to it at once, with publications in
 * between, watched from outside after every single step.
 */
import { describe, expect, it } from 'vitest';
import { type MemberId, type Outcome, Random, type TraceLine } from '../../src/core/index.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { agreement, readScenario, World } from '../../src/simulation/index.ts';
import { CALM_MS, chaos } from '../support/chaos.ts';

type Event = { atMs: number; do: string; [field: string]: unknown };

const HELD = ['coordinator/ack', 'coordinator', 'heartbeat', 'election', 'publish/ack', 'publish/commit'];

/** Adds to the harsh run: publications, commands, disk faults before crashes, stale messages, clocks, evidence. */
function attackOf(base: object, seed: number): { events: Event[]; untilMs: number } {
  const random = new Random(seed, 'attack');
  const events: Event[] = [];
  const some = (most: number, make: (atMs: number) => readonly Event[]) => {
    for (let i = random.below(most + 1); i > 0; i--) events.push(...make(random.between(0, CALM_MS - 1)));
  };
  const soon = (atMs: number, mostMs: number) => Math.min(CALM_MS - 1, atMs + random.between(1, mostMs));
  for (let i = 0; i < 25; i++) {
    const member = random.chance(0.2) ? 'random' : 'leader';
    events.push({ atMs: random.between(0, CALM_MS - 1), do: 'publish', value: `value ${i}`, member });
  }
  some(3, (atMs) => [
    { atMs, do: random.pick(['resign', 'campaign'])!, member: random.pick(['leader', 'random']) },
  ]);
  some(4, (atMs) => {
    const member = random.between(1, 3);
    const fault = random.pick(['lose-unsynced', 'torn', 'stall', 'full', 'none']);
    const what = random.pick(['crash', 'restart'])!;
    return [
      { atMs, do: 'disk', member, fault },
      { atMs: soon(atMs, 4000), do: what, member },
    ];
  });
  some(5, (atMs) => [
    { atMs, do: 'hold', type: random.pick(HELD), count: random.between(1, 30) },
    { atMs: soon(atMs, 8000), do: 'release', count: 1000 },
  ]);
  some(2, (atMs) => [
    { atMs, do: 'evidence', member: 'followers', peer: 'leader', gone: true, proof: random.chance(0.5) },
  ]);
  some(2, (atMs) => [{ atMs, do: 'clock', member: 'random', rate: random.pick([0.5, 0.9, 1.1, 2, 5]) }]);
  some(2, (atMs) => [{ atMs, do: 'restart', member: random.pick(['leader', 'random', 'all']) }]);
  const calm: Event[] = [
    { atMs: CALM_MS, do: 'network', reorder: 0 },
    { atMs: CALM_MS, do: 'disk', member: 'all', fault: 'none' },
    { atMs: CALM_MS, do: 'clock', member: 'all', rate: 1 },
    // Orders to hold outlast the faults, until they have had their messages.
    ...[0, 1000, 2000, 4000, 8000].map((ms) => ({ atMs: CALM_MS + ms, do: 'release', count: 10_000 })),
  ];
  const scenario = chaos(base, seed, true) as { events: Event[]; untilMs: number };
  const syncMs = [0.1, random.pick([1, 5, 30])!];
  return {
    ...scenario,
    disk: { syncMs },
    events: [...scenario.events, ...events, ...calm],
  } as typeof scenario;
}

/** Looks on from outside and keeps what must never be seen to change. */
class Onlooker {
  readonly problems: string[] = [];
  readonly outcomes: Record<string, number> = {};
  #world: World | null = null;
  readonly #open = new Map<number, { member: MemberId; value: unknown }>();
  readonly #valueOf = new Map<number, unknown>();
  readonly #versionOf = new Map<unknown, number>();
  readonly #versions = new Map<MemberId, number>();
  readonly #done: { version: number; term: number | null }[] = [];
  readonly #never = new Set<unknown>();
  readonly #termOf = new Map<MemberId, number>();

  watch(scenario: object, seed: number): World {
    const read = readScenario(scenario, catalogue);
    const world = new World(read, seed, { freeze: true, trace: (line) => this.#hear(line) });
    this.#world = world;
    const limit = read.options.quorum ? (read.options.maxInFlight as number) : Number.POSITIVE_INFINITY;
    while (world.step(read.untilMs * 1000)) this.#look(world, limit);
    this.#judge(world);
    return world;
  }

  #hear(line: TraceLine): void {
    if ('input' in line && line.input.type === 'command') {
      const { id, command } = line.input;
      this.#open.set(id, { member: line.member, value: command.type === 'publish' ? command.value : null });
    }
    if (!('event' in line)) return;
    const { event } = line;
    if (event.do === 'answer') this.#answered(event.command as number, event as unknown as Outcome);
    if (event.do === 'crash') {
      for (const [id, { member }] of this.#open) if (member === event.member) this.#open.delete(id);
    }
  }

  #answered(id: number, outcome: Outcome): void {
    const asked = this.#open.get(id);
    if (asked === undefined) return void this.problems.push(`command ${id} was answered twice`);
    this.#open.delete(id);
    const kind = outcome.status === 'failed' ? outcome.effect : outcome.status;
    this.outcomes[kind] = (this.outcomes[kind] ?? 0) + 1;
    if (asked.value === null) return;
    if (kind === 'refused' || kind === 'definite') this.#never.add(asked.value);
    if (kind !== 'done') return;
    const version = this.#versionOf.get(asked.value);
    if (version === undefined) this.problems.push(`${asked.value} was done and never seen`);
    else this.#done.push({ version, term: this.#world!.hosts.get(asked.member)!.view.term });
  }

  #look(world: World, limit: number): void {
    for (const { id, alive, view, running } of world.hosts.values()) {
      if (!alive) continue;
      const { version, value, role, term } = view;
      if ((running!.state as { flying: unknown[] }).flying.length > limit)
        this.problems.push(`${id} sends too much at once`);
      if (role === 'none') continue; // Its first word is still on the way.
      const before = this.#versions.get(id) ?? 0;
      if (version < before) this.problems.push(`${id} went back from version ${before} to ${version}`);
      this.#versions.set(id, version);
      if (version > 0) {
        const known = this.#valueOf.get(version) ?? value;
        if (known !== value) this.problems.push(`version ${version} is ${known} and ${value}`);
        this.#valueOf.set(version, value);
        this.#versionOf.set(value, version);
      }
      if (role !== 'leader' || term === null || this.#termOf.get(id) === term) continue;
      this.#termOf.set(id, term);
      const lost = this.#done.find((done) => done.term! < term && done.version > version);
      if (lost) this.problems.push(`${id} leads ${term} without version ${lost.version} of ${lost.term}`);
    }
  }

  #judge(world: World): void {
    for (const value of this.#never) {
      if (this.#versionOf.has(value)) this.problems.push(`${value} certainly did not happen, and was seen`);
    }
    for (const violation of world.violations) {
      if (violation.claimed) this.problems.push(`${violation.property}: ${violation.detail}`);
    }
    if (!agreement(world).agreed) this.problems.push('no agreement in the end');
    const final = [...world.hosts.values()].map((host) => host.view.version);
    if (new Set(final).size > 1) this.problems.push(`versions differ in the end: ${final}`);
    const newest = Math.max(0, ...this.#done.map((done) => done.version));
    if (final[0]! < newest) this.problems.push(`version ${newest} was done and is lost`);
    if (this.#open.size > 0) this.problems.push(`${this.#open.size} commands were never answered`);
  }
}

const SEEDS = 250;
const elections = [
  { protocol: 'bully' },
  { protocol: 'bully', options: { quorum: true } },
  { protocol: 'bully', options: { quorum: true, maxInFlight: 1 } },
  { protocol: 'bully', options: { quorum: true, missedHeartbeatTolerance: 0 }, members: 4 },
];

describe('under attack', () => {
  for (const election of elections) {
    it(`${JSON.stringify(election)} keeps its promises, ${SEEDS} seeds`, () => {
      const outcomes: Record<string, number> = {};
      for (let seed = 1; seed <= SEEDS; seed++) {
        const onlooker = new Onlooker();
        onlooker.watch(attackOf(election, seed), seed);
        expect(onlooker.problems, `seed ${seed}`).toEqual([]);
        for (const [kind, count] of Object.entries(onlooker.outcomes)) {
          outcomes[kind] = (outcomes[kind] ?? 0) + count;
        }
      }
      // The attack is worth something only if all this happened.
      for (const kind of ['done', 'definite', 'indefinite', 'refused'])
        expect(outcomes[kind]).toBeGreaterThan(10);
    });
  }
});
