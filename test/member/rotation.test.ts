/** The secret of a cluster is replaced while its leader writes, in a short version. `npx tsx verify/rotation.ts` runs the long one. */
import { expect, it } from 'vitest';
import { rotate } from '../../verify/rotation.ts';

it('no connection is lost, the leader stays, no write is refused, and the old secret is of no use', async () => {
  const found = await rotate({ seconds: 1, say: () => {} });
  expect(found.complaints).toEqual([]);
  expect([found.tokens, found.refusedWrites]).toEqual([1, 0]);
  expect(found.rotations).toBeGreaterThan(0);
  expect(found.writes).toBeGreaterThan(10);
  expect(found.refusals).toBeGreaterThan(2);
});
