/** The random search for messages that do lasting harm, in a small version. `npx tsx verify/hostile.ts` runs the large one. */
import { expect, it } from 'vitest';
import { search } from '../../verify/hostile.ts';

it('finds no message after which two act, or the cluster does not recover', async () => {
  const said: string[] = [];
  const found = await search({ messages: 600, seed: 7, say: (line) => said.push(line) });
  expect(found.overlaps, said.join('\n')).toEqual([]);
  expect(found.problems, said.join('\n')).toEqual([]);
  const sent = found.sent.reduce((sum, { byLink, byPost }) => sum + byLink + byPost, 0);
  expect(sent).toBeGreaterThan(550);
});
