/** Every bug that is planted in `src/peers` falls to what is known to catch it; the machine as it is stands before all of them. */
import { describe, expect, it } from 'vitest';
import { Peers } from '../../src/peers/index.ts';
import { quorum } from '../../src/protocols/quorum/index.ts';
import { drawStorm, runStorm } from '../../src/simulation/index.ts';
import { tryKiller } from './hunting.ts';
import { mutants } from './mutants.ts';
import { load } from './mutate.ts';

const PATIENCE_MS = 120_000;

describe('a planted bug is caught:', () => {
  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
    '%s',
    async (_, mutant) => {
      expect(tryKiller(await load(mutant), quorum, mutant)).not.toBeNull();
    },
    PATIENCE_MS,
  );
});

describe('the machine as it is', () => {
  const asItIs = { Peers, drawStorm, runStorm };

  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
    'shows nothing to what catches: %s',
    (_, mutant) => {
      expect(tryKiller(asItIs, quorum, mutant)).toBeNull();
    },
  );

  it('is told of deaths that are true, in the seeds that have connections', () => {
    let proofs = 0;
    for (let seed = 7; seed < 400; seed += 8) {
      const trace = (line: object): void => {
        const { input } = line as { input?: { type: string; proof?: boolean } };
        if (input?.type === 'peer-gone' && input.proof === true) proofs++;
      };
      expect(runStorm(drawStorm(quorum, seed), quorum, { trace }).failure, `seed ${seed}`).toBeNull();
    }
    expect(proofs).toBeGreaterThan(100);
  });
});

describe('the planted bugs', () => {
  it('each have a name of their own', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(39);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });
});
