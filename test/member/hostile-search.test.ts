/** The random search for messages that do lasting harm, in a small version. `npx tsx verify/hostile.ts` runs the large one. */
import { expect, it } from 'vitest';
import { search } from '../../verify/hostile.ts';

it.each([
  ['without a secret', false, false],
  ['that has the secret', true, false],
  ['without a secret, among members with deputies,', false, true],
])(
  'finds no message of a liar %s after which two act, or the cluster does not recover',
  async (_who, hasSecret, deputies) => {
    const said: string[] = [];
    const found = await search({
      messages: 600,
      seed: 7,
      hasSecret,
      deputies,
      say: (line) => said.push(line),
    });
    expect(found.overlaps, said.join('\n')).toEqual([]);
    expect(found.problems, said.join('\n')).toEqual([]);
    const sent = found.sent.reduce((sum, { byLink, byPost }) => sum + byLink + byPost, 0);
    expect(sent).toBeGreaterThan(550);
    // With the secret, its messages get in.
    for (const { answers } of found.sent) {
      expect(answers).not.toHaveProperty('401');
      expect(answers).not.toHaveProperty('its proof was refused');
    }
  },
);
