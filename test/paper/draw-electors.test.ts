/** Who counts with `quorum` where voters find each other: see src/protocols/draw/electors.ts. */
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/core/index.ts';
import { DrawMesh } from '../support/draw-mesh.ts';

const FIVE = ['a', 'b', 'c', 'd', 'e'];

/** Steps until all of them follow one leader among them, or too many have passed. */
function settles(mesh: DrawMesh, ids: readonly string[], steps = 60_000): boolean {
  for (let i = 0; i < steps; i++) {
    mesh.step();
    const leaders = new Set(ids.map((id) => mesh.view(id)?.leader ?? null));
    const [leader] = leaders;
    if (leaders.size === 1 && leader !== null && ids.includes(String(leader))) return true;
  }
  return false;
}

describe('the number of voters is changed', () => {
  it('by restarts in any order and at any moment: never do two lead with one number, and it ends with a leader', () => {
    const stuck: number[] = [];
    for (let seed = 1; seed <= 200; seed++) {
      const random = new Random(seed, 'changes');
      const mesh = new DrawMesh(seed, FIVE);
      mesh.loss = random.pick([0, 0.1, 0.3])!;
      for (let i = 0; i < 40; i++) {
        const id = random.pick(FIVE)!;
        if (random.chance(0.25)) mesh.crash(id);
        else mesh.start(id, random.pick([3, 4, 5])!);
        for (let left = random.below(600); left > 0; left--) mesh.step();
      }
      mesh.loss = 0;
      for (const id of FIVE) mesh.start(id, 5);
      if (!settles(mesh, FIVE)) stuck.push(seed);
      expect(mesh.shared, `seed ${seed}`).toEqual([]);
    }
    expect(stuck).toEqual([]);
  });
});
