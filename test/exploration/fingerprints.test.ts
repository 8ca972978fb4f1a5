/**
 * A search that knows states by their fingerprints comes to the same as one that compares states in full, and exchanging
 * members leaves out nothing but mirror images.
 */
import { describe, expect, it } from 'vitest';
import { type Property, type Protocol, readSettings } from '../../src/core/index.ts';
import { type Bounds, type Exploration, explore } from '../../src/exploration/index.ts';
import { DEFAULT_BOUNDS } from '../../src/exploration/model/bounds.ts';
import { clusterOf } from '../../src/exploration/model/cluster.ts';
import { Learned, type Lessons, NO_LESSONS } from '../../src/exploration/model/lessons.ts';
import { BreadthFirst } from '../../src/exploration/search/breadth-first.ts';
import { collisionProbability, Fingerprints } from '../../src/exploration/search/fingerprints.ts';
import { type Space, spaceOf } from '../../src/exploration/search/space.ts';
import { quorum } from '../../src/protocols/quorum/index.ts';
import { epochBugs, epochProtocol } from '../support/bent.ts';

const ALL: readonly Property[] = ['S1', 'S2', 'S3', 'S4', 'S6', 'S9', 'S10', 'R1'];
const three = [1, 2, 3].map((id) => ({ id, settings: { priority: 1 } }));
const inFlight = (most: number) => ({ drops: 1, duplicates: 0, inFlight: most });

function quorumProtocol(): Protocol {
  const timing = readSettings(quorum.timing, {}, 'timing');
  const options = readSettings(quorum.options, {}, 'options');
  return quorum.create({ timing, options });
}

const elections: [name: string, protocol: Protocol, bounds: Partial<Bounds>][] = [
  ['epoch, any network', epochProtocol(), { terms: 2, crashes: 1 }],
  ['epoch, few messages', epochProtocol(), { terms: 2, crashes: 1, network: inFlight(3) }],
  ['epoch, one disk lost', epochProtocol(), { terms: 1, crashes: 1, amnesia: 1 }],
  ['quorum, few messages', quorumProtocol(), { terms: 1, crashes: 0, network: inFlight(2) }],
  ...Object.entries(epochBugs).map(([name, { protocol, bounds }]): (typeof elections)[number] => [
    `epoch, ${name}`,
    protocol,
    bounds,
  ]),
];

describe('fingerprints', () => {
  it.each(elections)('lead to the same as whole states: %s', (_, protocol, bounds) => {
    const check = (fingerprints: boolean): Exploration =>
      explore({ protocol, members: three, bounds, covering: false, fingerprints, samples: 20 });
    const { fingerprints: none, ...whole } = check(false);
    const { fingerprints, ...short } = check(true);
    expect(none).toBe(null);
    expect(fingerprints!.bits).toBe(64);
    expect(fingerprints!.collisionProbability).toBeLessThan(1e-9);
    expect(short).toEqual(whole);
  });

  it('differ for a million states that differ little', () => {
    const set = new Fingerprints(8);
    const state = new Int32Array(8);
    const added = [0, 0];
    for (let again = 0; again < 2; again++) {
      for (let i = 0; i < 1 << 20; i++) {
        for (let k = 0; k < 8; k++) state[k] = (i >> (3 * k)) & 7;
        if (set.add(state)) added[again]! += 1;
      }
    }
    expect({ added, size: set.size }).toEqual({ added: [1 << 20, 0], size: 1 << 20 });
  });

  it('of a hundred million states are probably all different', () => {
    expect(collisionProbability(100_000_000)).toBeLessThan(3e-4);
    expect(collisionProbability(1)).toBe(0);
  });
});

describe('with members exchanged, of each set of mirror images one is checked:', () => {
  it.each(elections.slice(0, 4))('%s', (_, protocol, bounds) => {
    const space = spaceFor(protocol, { ...DEFAULT_BOUNDS, ...bounds });
    const { quotient } = space;
    const reduced = statesOf(space, (state) => state);
    const every = statesOf({ ...space, quotient: null }, (state) => {
      quotient!.canonical(state);
      return quotient!.found;
    });
    expect(every.looked).toBeGreaterThan(4 * reduced.looked);
    expect(every.texts).toEqual(reduced.texts);
    expect(reduced.texts.size).toBe(reduced.looked);
    expect(every.broken).toEqual(reduced.broken);
  });
});

function spaceFor(protocol: Protocol, bounds: Bounds): Space {
  const cluster = clusterOf(protocol, three, true);
  for (let lessons: Lessons = NO_LESSONS; ; ) {
    try {
      const space = spaceOf(cluster, bounds, [], new Set(ALL), lessons);
      statesOf(space, (state) => state); // All lessons are learned on the way.
      return space;
    } catch (error) {
      if (!(error instanceof Learned)) throw error;
      lessons = error.lessons;
    }
  }
}

/** All states as texts, each after this change, and what is broken in them. */
function statesOf(
  space: Space,
  change: (state: Int32Array) => Int32Array,
): { looked: number; texts: ReadonlySet<string>; broken: readonly string[] } {
  const search = new BreadthFirst(space);
  while (search.advance(10_000));
  const texts = new Set<string>();
  const state = new Int32Array(space.model.width);
  for (let index = 0; index < search.states.size; index++) {
    search.states.read(index, state);
    texts.add(change(state).join());
  }
  const broken = search.findings.all.map(({ property, claimed }) => `${property} ${claimed}`).sort();
  return { looked: search.states.size, texts, broken };
}
