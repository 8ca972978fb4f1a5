/** Members that start knowing only seeds: addresses are not ids, and a registration has to travel. */
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/core/index.ts';
import { type Exploration, Explorer, type Exploring } from '../../src/exploration/index.ts';
import { draw } from '../../src/protocols/draw/index.ts';
import { play } from '../support/play.ts';
import { randomStart } from '../support/random-starts.ts';

const seeds = ['host-1', 'host-2', 'host-3'];

describe('voters that know only seeds', () => {
  it('find each other and elect one of them', () => {
    const { final, messages } = play({ protocol: 'draw', members: 3, seeds });
    expect(final.agreed).toBe(true);
    expect(messages.byType.register).toBeGreaterThan(0);
  });

  it('know a voter that has registered with one of them', () => {
    // The third knows the first alone, which is no seed of the second.
    const members = [{ id: 1 }, { id: 2 }, { id: 3, startMs: 5000 }];
    const { final } = play({ protocol: 'draw', members, seeds: ['host-1'], untilMs: 20_000 });
    expect(final.agreed).toBe(true);
  });

  it('wait, one by one, until another answers', () => {
    const { claims } = play({ protocol: 'draw', members: 1, seeds: ['host-1', 'host-9'], untilMs: 60_000 });
    expect(claims).toEqual([]);
  });

  it('with quorum certify no leader before they know how many they are', () => {
    const told = { protocol: 'draw', members: 3, seeds, untilMs: 30_000 };
    expect(play({ ...told, options: { quorum: true } }).claims).toEqual([]);
    expect(play({ ...told, options: { quorum: true, voters: 3 } }).final.agreed).toBe(true);
    // One of the four is missing, so there is no first leader.
    expect(play({ ...told, options: { quorum: true, voters: 4 } }).claims).toEqual([]);
  });

  it('with quorum have a leader later with a majority, and one address may be taken by another voter', () => {
    const events = [
      { atMs: 10_000, do: 'crash', member: 1 },
      { atMs: 20_000, do: 'restart', member: 2, address: 'host-1' },
    ];
    const scenario = { protocol: 'draw', members: 3, seeds, options: { quorum: true, voters: 3 } };
    const { final, violations } = play({ ...scenario, untilMs: 60_000, events });
    expect(violations.filter(({ claimed }) => claimed)).toEqual([]);
    expect(final.agreed).toBe(true);
  });

  // `npx tsx verify/voters.ts --only simulated` plays 1,000 of them.
  it('with quorum keep their promises in random starts, and settle', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const { violations, final } = play(randomStart(seed), seed);
      expect(
        violations.filter(({ claimed }) => claimed),
        `seed ${seed}`,
      ).toEqual([]);
      expect(final.agreed, `seed ${seed}`).toBe(true);
    }
  });
});

describe('the explorer', () => {
  it('finds no broken promise among voters that know only addresses', () => {
    const protocol = draw.create({
      timing: readSettings(draw.timing, {}, 'timing'),
      options: readSettings(draw.options, { quorum: true, voters: 2 }, 'options'),
    });
    const members = [1, 2].map((id) => ({ id, finds: true }));
    const bounds = { terms: 1, counters: { election: 1, round: 1 }, draws: ['1', '2'], crashes: 0 };
    const { violations, states, sometimes } = explored({ protocol, members, bounds, maxStates: 500 });
    expect(violations).toEqual([]);
    expect(states).toBeGreaterThan(100);
    expect(sometimes).toBeDefined();
  });
});

function explored(exploring: Exploring): Exploration {
  const explorer = new Explorer(exploring);
  explorer.advance(1_000_000);
  return explorer.result();
}
