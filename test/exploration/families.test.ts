/**
 * Each way in which `quorum` was once broken is found by the explorer as soon as the rule that stands against it is taken
 * away, and with that rule there is nothing to find within the same bounds. `npm run verify` does the same within the full bounds.
 */
import { describe, expect, it } from 'vitest';
import { quorum } from '../../src/protocols/quorum/index.ts';
import { load } from '../quorum/mutate.ts';
import { exploreFamily, families } from './families.ts';

/** Half a minute for the longest where the machine is busy with nothing else. */
const PATIENCE_MS = 600_000;

describe.each(Object.entries(families))('%s', (name, family) => {
  it(
    'is found where the rule against it is taken away',
    async () => {
      const planted = await load({ name: `family ${name}`, patches: family.planted });
      const { found } = exploreFamily(family, planted, family.quick);
      expect(found).toContain(family.properties[0]);
    },
    PATIENCE_MS,
  );

  it(
    'cannot happen today',
    () => {
      expect(exploreFamily(family, quorum, family.quick)).toMatchObject({ found: [], complete: true });
    },
    PATIENCE_MS,
  );
});
