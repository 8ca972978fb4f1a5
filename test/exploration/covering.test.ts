/**
 * The search that leaves out what another state covers leaves nothing out: whatever the search that looks at every single state
 * comes to is covered by a state that the other has kept. Where members go in circles, that is less than obvious.
 */
import { describe, expect, it } from 'vitest';
import { type Property, type Protocol, readSettings } from '../../src/core/index.ts';
import { explore } from '../../src/exploration/index.ts';
import { type Bounds, DEFAULT_BOUNDS } from '../../src/exploration/model/bounds.ts';
import { clusterOf } from '../../src/exploration/model/cluster.ts';
import { Learned, type Lessons, NO_LESSONS } from '../../src/exploration/model/lessons.ts';
import { BreadthFirst } from '../../src/exploration/search/breadth-first.ts';
import { CoverStore } from '../../src/exploration/search/cover-store.ts';
import { Covering } from '../../src/exploration/search/covering.ts';
import { representative, type Space, spaceOf } from '../../src/exploration/search/space.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { quorum } from '../../src/protocols/quorum/index.ts';
import { epochProtocol } from '../support/bent.ts';
import { tenancy } from '../support/tenancy.ts';

const ALL: readonly Property[] = ['S1', 'S2', 'S3', 'S4', 'S6', 'S9', 'S10', 'R1'];

interface Searched {
  readonly space: Space;
  readonly covering: Covering;
}

function searched(protocol: Protocol, members: number, some: Partial<Bounds>): Searched {
  const bounds = { ...DEFAULT_BOUNDS, ...some };
  const setups = Array.from({ length: members }, (_, i) => ({ id: i + 1, settings: { priority: 1 } }));
  const cluster = clusterOf(protocol, setups, false);
  // Of two states that are mirror images, either may have been kept; so they are not taken for one here.
  for (let lessons: Lessons = { ...NO_LESSONS, asymmetry: 'not asked for' }; ; ) {
    try {
      const space = spaceOf(cluster, bounds, [], new Set(ALL), lessons);
      const covering = new Covering(space);
      while (covering.advance(1000));
      return { space, covering };
    } catch (error) {
      if (!(error instanceof Learned)) throw error;
      lessons = error.lessons;
    }
  }
}

/** All states that those stand for which were kept: with each member anywhere in its loop. */
function kept({ space, covering }: Searched): CoverStore {
  const all = new CoverStore(space.model);
  const state = new Int32Array(space.model.width);
  for (let index = 0; index < covering.states.size; index++) {
    covering.states.read(index, state);
    space.settling.settle(state);
    const loops = [...space.settling.loops];
    const places = loops.reduce<number[][]>(
      (ways, { locals }) => ways.flatMap((way) => locals.map((local) => [...way, local])),
      [[]],
    );
    for (const each of places) {
      state.set(each);
      all.add(representative(space, state), -1, 0);
    }
  }
  return all;
}

/** How many of the first states that are reached one by one nothing covers. */
function uncovered(found: Searched, most: number): { looked: number; uncovered: number } {
  const each = new BreadthFirst(found.space);
  while (each.states.size < most && each.advance(100));
  const all = kept(found);
  const state = new Int32Array(found.space.model.width);
  let count = 0;
  for (let index = 0; index < each.states.size; index++) {
    each.states.read(index, state);
    if (all.add(state, -1, 0)) count += 1;
  }
  return { looked: each.states.size, uncovered: count };
}

const elections: readonly [name: string, protocol: Protocol, members: number, bounds: Partial<Bounds>][] = [
  ['epoch, one crash', epochProtocol(), 3, { terms: 2, crashes: 1 }],
  ['a lease, one crash', tenancy(), 3, { crashes: 1, counters: { round: 2 } }],
  ['quorum, two members', quorumProtocol(), 2, { terms: 1, crashes: 1 }],
  ['quorum, two members, one disk lost', quorumProtocol(), 2, { terms: 1, crashes: 1, amnesia: 1 }],
  ['quorum, three members', quorumProtocol(), 3, { terms: 1, crashes: 0, timers: 5 }],
];

function quorumProtocol(): Protocol {
  const timing = readSettings(quorum.timing, {}, 'timing');
  const options = readSettings(quorum.options, {}, 'options');
  return quorum.create({ timing, options });
}

describe('every state is covered by one that was kept:', () => {
  it.each(elections)('%s', (_, protocol, members, bounds) => {
    const found = uncovered(searched(protocol, members, bounds), 20_000);
    expect(found.looked).toBeGreaterThan(100);
    expect(found.uncovered).toBe(0);
  });
});

it('checks every state separately where the loops of a member take longer than that', () => {
  const { create, timing, options } = catalogue.draw!;
  const protocol = create({
    timing: readSettings(timing, {}, 'timing'),
    options: readSettings(options, {}, 'options'),
  });
  const members = [1, 2, 3].map((id) => ({ id, settings: {} }));
  const found = explore({ protocol, members, bounds: { terms: 2, crashes: 0 }, maxStates: 100, samples: 0 });
  expect(found).toMatchObject({ covering: false, complete: false, violations: [] });
  expect(found.states).toBeGreaterThan(50);
});
