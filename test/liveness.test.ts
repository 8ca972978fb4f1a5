import { describe, expect, it } from 'vitest';
import { chaos } from './support/chaos.ts';
import { play } from './support/play.ts';

/** Every classic, with its cures where it has them. */
const elections: readonly { protocol: string; options?: object; timing?: object }[] = [
  { protocol: 'quorum', timing: { timeoutMs: [1500, 3000] } },
  { protocol: 'bully' },
  { protocol: 'bully', options: { prefer: 'lowest' } },
  { protocol: 'bully', options: { quorum: true } },
  { protocol: 'chang-roberts' },
  { protocol: 'draw' },
  { protocol: 'draw', options: { quorum: true } },
  { protocol: 'epoch' },
  { protocol: 'ring' },
  { protocol: 'ring', options: { prefer: 'highest' } },
];

/** `CAUCUS_SEEDS=1000 npx vitest run test/liveness.test.ts` tries each with as many. */
const asked: number | null = process.env.CAUCUS_SEEDS === undefined ? null : Number(process.env.CAUCUS_SEEDS);
/** Of the lesser faults, for the classics. */
const SEEDS = 1000;
/** Of the harsher ones, and of `quorum`: the swarm brings about the same faults and more, in other seeds. */
const FEWER_SEEDS = 250;

describe('after the faults stop, one leader that all agree on', () => {
  for (const election of elections) {
    for (const harsh of [false, true]) {
      const kind = harsh
        ? 'and pauses, partitions, one-way cuts, failing disks'
        : 'loss, duplication, crash and restart';
      const seeds = asked ?? (harsh || election.protocol === 'quorum' ? FEWER_SEEDS : SEEDS);
      it(`${JSON.stringify(election)} under ${kind}, ${seeds} seeds`, () => {
        for (let seed = 1; seed <= seeds; seed++) {
          const scenario = chaos(election, seed, harsh);
          const { final, violations } = play(scenario, seed);
          const repro = `printf '%s' '${JSON.stringify(scenario)}' | npx caucus simulate - --seed ${seed}`;
          expect(final.agreed, `seed ${seed} did not settle: ${repro}`).toBe(true);
          const broken = violations.filter((violation) => violation.claimed);
          expect(broken, `seed ${seed} broke a promise: ${repro}`).toEqual([]);
        }
      });
    }
  }
});
