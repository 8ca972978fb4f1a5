/** Whose majority counts with `quorum`, where voters find each other: src/protocols/draw/electors.ts. */
import { describe, expect, it } from 'vitest';
import { Random, readSettings } from '../../src/core/index.ts';
import { draw } from '../../src/protocols/draw/index.ts';
import { DrawMesh } from '../support/draw-mesh.ts';

const FIVE = ['a', 'b', 'c', 'd', 'e'];

/** Steps until all of them follow one leader among them. False if that takes too long. */
function settles(mesh: DrawMesh, ids: readonly string[], steps = 8000): boolean {
  for (let i = 0; i < steps; i++) {
    mesh.step();
    const leaders = new Set(ids.map((id) => mesh.view(id)?.leader ?? null));
    const [leader] = leaders;
    if (leaders.size === 1 && leader !== null && ids.includes(String(leader))) return true;
  }
  return false;
}

function run(mesh: DrawMesh, steps: number): void {
  for (let i = 0; i < steps; i++) mesh.step();
}

function startAll(mesh: DrawMesh, ids: readonly string[], voters: number): void {
  for (const id of ids) mesh.start(id, voters);
}

describe('the first leader', () => {
  it('is found although one voter more was started than was told, in any order and with any cut', () => {
    const four = FIVE.slice(0, 4);
    for (let seed = 1; seed <= 60; seed++) {
      const random = new Random(seed, 'one more');
      const mesh = new DrawMesh(seed, four);
      mesh.loss = random.pick([0, 0.1, 0.3])!;
      for (const id of four) {
        mesh.start(id, 3);
        run(mesh, random.below(60));
        if (random.chance(0.5)) mesh.cuts.add(`${random.pick(four)} ${random.pick(four)}`);
      }
      run(mesh, random.below(600));
      mesh.loss = 0;
      mesh.cuts.clear();
      expect(settles(mesh, four), `seed ${seed}`).toBe(true);
      expect(mesh.shared, `seed ${seed}`).toEqual([]);
    }
  });

  it('has a token above those of earlier processes, if voters keep no record', () => {
    const protocol = draw.create({
      timing: readSettings(draw.timing, {}, 'timing'),
      options: readSettings(draw.options, { quorum: true, voters: 2 }, 'options'),
    });
    const addresses = { own: 'http://a', peers: [], seeds: [], isPartial: true };
    const state = protocol.init({ id: 'a', members: ['a'], settings: {}, addresses });
    protocol.step(state, { type: 'start', saved: null, incarnation: 1, life: 'x', spent: 5000 }, []);
    expect(state).toMatchObject({ election: 5000, newest: 5000 });
  });
});

describe('the number of voters is changed by restarts', () => {
  it('in any order and at any moment: never do two lead with one number, and a leader is found', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = new Random(seed, 'changes');
      const mesh = new DrawMesh(seed, FIVE);
      mesh.loss = random.pick([0, 0.05, 0.2])!;
      let told = 5;
      for (let i = 0; i < 40; i++) {
        const id = random.pick(FIVE)!;
        if (random.chance(0.15)) told = random.pick([3, 4, 5])!;
        const what = random.fraction();
        if (what < 0.15) mesh.crash(id);
        else if (what < 0.6) mesh.start(id, random.chance(0.8) ? told : random.pick([3, 4, 5])!);
        else if (what < 0.8) mesh.cuts.add(`${id} ${random.pick(FIVE)}`);
        else mesh.cuts.clear();
        run(mesh, random.below(400));
      }
      mesh.loss = 0;
      mesh.cuts.clear();
      startAll(mesh, FIVE, 5);
      expect(settles(mesh, FIVE), `seed ${seed}`).toBe(true);
      expect(mesh.shared, `seed ${seed}`).toEqual([]);
    }
  });

  it('a voter that came later counts from then on', () => {
    const mesh = new DrawMesh(1, FIVE);
    startAll(mesh, FIVE.slice(0, 4), 4);
    expect(settles(mesh, FIVE.slice(0, 4))).toBe(true);
    mesh.start('e', 4);
    expect(settles(mesh, FIVE)).toBe(true);
    expect(mesh.view('e')?.electors).toEqual(['a', 'b', 'c', 'd']);
    startAll(mesh, FIVE, 5);
    expect(settles(mesh, FIVE)).toBe(true);
    for (const id of FIVE) expect(mesh.view(id)?.electors).toEqual(FIVE);
  });

  it('and back, before a leader of the new number: the old electors are in force again', () => {
    const mesh = new DrawMesh(1, FIVE);
    const four = FIVE.slice(0, 4);
    startAll(mesh, four, 4);
    expect(settles(mesh, four)).toBe(true);
    startAll(mesh, four, 5);
    run(mesh, 2000);
    expect(four.map((id) => mesh.view(id)?.leader)).toEqual([null, null, null, null]);
    startAll(mesh, ['a', 'b', 'c'], 4);
    // A majority of the four is enough, as before.
    expect(settles(mesh, ['a', 'b', 'c'])).toBe(true);
  });
});

describe('voters that were told different numbers', () => {
  it('found nothing while they hear each other, and say why', () => {
    const mesh = new DrawMesh(1, FIVE);
    startAll(mesh, ['a', 'b'], 2);
    startAll(mesh, ['c', 'd', 'e'], 3);
    run(mesh, 5000);
    expect([...mesh.leaders]).toEqual([]);
    expect(mesh.view('c')?.lack).toMatchObject({ type: 'same-count' });
  });

  it('found nothing beside electors that are in force', () => {
    const mesh = new DrawMesh(1, FIVE);
    startAll(mesh, ['a', 'b'], 2);
    expect(settles(mesh, ['a', 'b'])).toBe(true);
    startAll(mesh, ['c', 'd', 'e'], 3);
    run(mesh, 5000);
    for (const id of ['c', 'd', 'e']) {
      expect(mesh.view(id)?.leader).toBeNull();
      expect(mesh.view(id)?.lack).toEqual({ type: 'same-count', disputes: ['a', 'b'] });
    }
    startAll(mesh, ['c', 'd', 'e'], 2);
    expect(settles(mesh, FIVE)).toBe(true);
  });

  it('are forgotten once they are silent', () => {
    const mesh = new DrawMesh(1, FIVE);
    startAll(mesh, FIVE.slice(1), 4);
    mesh.start('a', 3);
    run(mesh, 3000);
    expect([...mesh.leaders]).toEqual([]);
    mesh.crash('a');
    expect(settles(mesh, FIVE.slice(1), 40_000)).toBe(true);
  });
});
