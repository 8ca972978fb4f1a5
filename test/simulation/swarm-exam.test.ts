/** A cluster at rest sits an exam: somebody is cut off and comes back, then the leader. */
import { describe, expect, it } from 'vitest';
import type { Definition, Message } from '../../src/core/index.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { quorum } from '../../src/protocols/quorum/index.ts';
import {
  drawStorm,
  type Failure,
  runStorm,
  type Shrunk,
  type Storm,
  scenarioOf,
  shrink,
} from '../../src/simulation/index.ts';
import { calmMsOf, untilMsOf } from '../../src/simulation/swarm/storm.ts';
import { faulty } from '../support/faulty.ts';

const seeds = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

/** A new term at every timeout, whether anybody would vote or not. */
const restless = faulty(quorum, (state, input) => {
  const s = state as { term: number; role: string };
  if (input.type === 'timer' && input.timer === 'election' && s.role === 'pre-candidate') s.term += 1;
});

/** Never notices that nobody answers. */
const proud = faulty(quorum, (_, input) => input.type !== 'timer' || input.timer !== 'quorum');

/** Waits for ever for a leader that it has once heard. */
const loyal = faulty(quorum, (state, input) => {
  const { leader } = state as { leader: unknown };
  return leader === null || input.type !== 'timer' || input.timer !== 'election';
});

/** Says that it reaches a majority without having tried. */
const eager = faulty(quorum, (state, input, out) => {
  if (input.type !== 'message' || input.message.type !== 'transfer/ask') return true;
  const { disk, start, life } = state as { disk: string; start: number; life: string };
  const { by, term } = input.message as Message & { by: { life: string }; term: number };
  const ready = { type: 'transfer/ready', by: { disk, start, life }, to: by.life, term };
  out.push({ type: 'send', to: input.from, message: ready as Message });
  return false;
});

const calm: Storm = {
  ...drawStorm(quorum, 1),
  options: {},
  timing: { timeoutMs: [150, 300] },
  members: [{ id: 1 }, { id: 2 }, { id: 3 }],
  network: {},
  syncMs: null,
  calmLatencyMs: [1, 10],
  timeoutMs: 300,
  faults: [],
  stopMs: 1000,
};

function failuresOf(definition: Definition): (Failure | null)[] {
  return seeds(12).map((seed) => runStorm({ ...calm, seed }, definition).failure);
}

describe('the exam', () => {
  it('is for protocols that promise something of a cluster at rest', () => {
    for (const definition of Object.values(catalogue)) {
      expect(drawStorm(definition, 1).exam, definition.name).toBe(definition.name === 'quorum');
    }
    const modest: Definition = {
      ...quorum,
      create: (config) => ({ ...quorum.create(config), liveness: [] }),
    };
    expect(drawStorm(modest, 1).exam).toBe(false);
  });

  it('comes after the calm, and is part of the scenario', () => {
    const { events, untilMs } = scenarioOf(calm) as {
      events: { atMs: number; do: string }[];
      untilMs: number;
    };
    expect(events.map((event) => event.do)).toEqual(['cut', 'heal', 'cut', 'heal']);
    expect(events[0]!.atMs).toBe(calmMsOf(calm));
    expect(untilMs).toBe(untilMsOf(calm));
    expect(scenarioOf({ ...calm, exam: false })).toMatchObject({ events: [], untilMs: calmMsOf(calm) });
  });

  it('has a third trial where one member is preferred to all others', () => {
    const ranked = (...priorities: number[]): Storm => ({
      ...calm,
      members: priorities.map((priority, i) => ({ id: i + 1, priority })),
    });
    const eventsOf = (storm: Storm) =>
      scenarioOf(storm).events as { do: string; from?: unknown; to?: unknown }[];
    expect(eventsOf(ranked(1, 1, 3, 2, 1)).slice(4)).toMatchObject([
      { do: 'cut', from: 3, to: 'all' },
      { do: 'heal', from: 3, to: 'leader' },
      { do: 'heal' },
    ]);
    expect(eventsOf(ranked(1, 3, 3, 1, 1))).toHaveLength(4);
    expect(untilMsOf(ranked(1, 2))).toBeGreaterThan(untilMsOf(ranked(1, 1)));
  });

  it('fails a member that takes over from a leader although it reaches no majority (L4)', () => {
    const five = (seed: number): Storm => ({
      ...calm,
      seed,
      options: { preferAfter: 2 },
      members: [{ id: 1 }, { id: 2 }, { id: 3, priority: 2 }, { id: 4 }, { id: 5 }],
    });
    for (const seed of seeds(6)) {
      expect(runStorm(five(seed), quorum).failure).toBe(null);
      expect(runStorm(five(seed), eager).failure).toMatchObject({ property: 'L4' });
      // Of three, the leader and the preferred member are a majority: it may take over.
      const three = { ...five(seed), members: [{ id: 1 }, { id: 2 }, { id: 3, priority: 2 }] };
      expect(runStorm(three, quorum).failure).toBe(null);
    }
  });

  it('is not for a cluster in which a disk was copied: some may take its member for the copy', () => {
    const twin = { atMs: 500, do: 'twin', member: 1, disk: 'copied' } as const;
    const { failure } = runStorm({ ...calm, faults: [twin] }, proud);
    expect(failure).toBe(null);
    expect(runStorm({ ...calm, faults: [{ ...twin, disk: 'empty' }] }, proud).failure?.property).toBe('L5');
  });

  it('is passed by quorum', () => {
    expect(failuresOf(quorum)).toEqual(seeds(12).map(() => null));
  });

  it('fails whoever deposes a leader that a majority hears (L4)', () => {
    const failed = failuresOf(restless).filter((failure) => failure !== null);
    expect(failed.length).toBeGreaterThan(3);
    for (const { property, atMs, detail } of failed) {
      expect(property).toBe('L4');
      expect(atMs).toBeGreaterThan(calmMsOf(calm));
      expect(detail).toMatch(/although a majority heard [123], the leader of term \d+$/);
    }
  });

  it('fails a leader that goes on claiming without a majority (L5)', () => {
    for (const failure of failuresOf(proud)) {
      expect(failure?.property).toBe('L5');
      expect(failure?.detail).toMatch(/^[123] still claims to lead/);
    }
  });

  it('fails a majority that does without a leader (L3)', () => {
    for (const failure of failuresOf(loyal)) {
      expect(failure?.property).toBe('L3');
      expect(failure?.detail).toMatch(/^no member has taken over from [123]/);
    }
  });

  it('asks for no other leader where nobody may lead, or no majority is left', () => {
    const members = [{ id: 1 }, { id: 2, priority: 0 }, { id: 3, priority: 0 }];
    expect(runStorm({ ...calm, members }, loyal).failure).toBe(null);
    expect(runStorm({ ...calm, members: [{ id: 1 }, { id: 2 }] }, loyal).failure).toBe(null);
  });
});

/** The storm of the first seed that fails in this way. */
function firstFailing(definition: Definition, property: string): { storm: Storm; failure: Failure } {
  for (const seed of seeds(50)) {
    const storm = drawStorm(definition, seed);
    const { failure } = runStorm(storm, definition);
    if (failure?.property === property) return { storm, failure };
  }
  throw new Error(`no seed breaks ${property}`);
}

function shrunk(definition: Definition, storm: Storm, failure: Failure): Shrunk {
  const pieces = shrink(storm, failure, definition);
  for (;;) {
    const { value, done } = pieces.next();
    if (done) return value;
  }
}

describe('a storm that fails', () => {
  it('in the exam shrinks to the exam alone', () => {
    const { storm, failure } = firstFailing(proud, 'L5');
    const small = shrunk(proud, storm, failure);
    expect(small.failure.property).toBe('L5');
    expect(small.storm).toMatchObject({ exam: true, endMs: null, faults: [] });
    expect(runStorm(small.storm, proud).failure).toEqual(small.failure);
  });

  it('before it shrinks to a storm without', () => {
    const mute = faulty(quorum, (_, input) => input.type !== 'message' || input.message.type !== 'heartbeat');
    const { storm, failure } = firstFailing(mute, 'L1');
    expect(shrunk(mute, storm, failure).storm.exam).toBe(false);
  });
});
