/** What every engine does with work that is done once for each occasion. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OnceWork } from '../../election/index.ts';
import type { Requirement } from './requirement.ts';
import { aborted } from './stage.ts';

export const onceRequirements: readonly Requirement[] = [
  {
    name: 'the work of an occasion is done by one of three participants, and never again',
    needs: ['publish'],
    async play(stage) {
      const all = await Promise.all(Array.from({ length: 3 }, () => stage.calm()));
      const began: string[] = [];
      const work: OnceWork<void> = async ({ occasion, token }) => {
        began.push(`${occasion} ${token}`);
        await sleep(5);
      };
      for (let occasion = 1; occasion <= 3; occasion++) {
        const ends = await Promise.all(all.map(({ election }) => election.once(occasion, work)));
        const outcomes = ends.map(({ outcome }) => outcome).sort();
        assert.deepEqual(
          outcomes,
          ['already-done', 'already-done', 'done'],
          `what the three heard of ${occasion}`,
        );
        const recorded = new Set(ends.map(({ by, token }) => `${by} ${token}`));
        assert.equal(recorded.size, 1, `all heard of the same run: ${[...recorded]}`);
        assert.equal(began.length, occasion, `one beginning for each occasion: ${began}`);
      }
      for (const { election } of all) {
        const { outcome } = await election.once(3, work);
        assert.equal(outcome, 'already-done', 'a later call for the same occasion');
      }
      const fresh = await stage.calm();
      assert.equal(
        (await fresh.election.once(2, work)).outcome,
        'already-done',
        'for a participant that came later',
      );
      await assert.rejects(fresh.election.once(0, work), /occasion: expected an occasion after 3/);
      assert.equal(began.length, 3, 'the work has begun three times in all');
    },
  },
  {
    name: 'what a participant had begun when it vanished is run again, with a greater token',
    needs: ['publish', 'crash', 'expire'],
    async play(stage) {
      const [a, b] = [await stage.join(), await stage.join()];
      const begun: { by: string; token: bigint; attempt: number }[] = [];
      let isBegun = (): void => {};
      const first = new Promise<void>((resolve) => {
        isBegun = resolve;
      });
      const vanished = a.election.once('2026-11-16', async ({ token, attempt, signal }) => {
        begun.push({ by: 'a', token, attempt });
        isBegun();
        await aborted(signal);
        throw signal.reason;
      });
      vanished.catch(() => {});
      await first;
      const next = b.election.once('2026-11-16', ({ token, attempt }) => {
        begun.push({ by: 'b', token, attempt });
      });
      await stage.crash(a.engine);
      const { outcome, by } = await next;
      assert.deepEqual({ outcome, by }, { outcome: 'done', by: b.engine.name }, 'the other one has done it');
      assert.deepEqual(
        begun.map((each) => `${each.by} ${each.attempt}`),
        ['a 1', 'b 2'],
        'the attempts, in order',
      );
      assert.ok(begun[1]!.token > begun[0]!.token, 'the second attempt has a greater token');
    },
  },
  {
    name: 'work that fails is tried again, then recorded as failed for all',
    needs: ['publish'],
    async play(stage) {
      const [a, b] = [await stage.calm(), await stage.calm()];
      const attempts: number[] = [];
      const work: OnceWork<never> = ({ attempt }) => {
        attempts.push(attempt);
        throw new Error('no paper');
      };
      const options = { retries: 1, backOffMs: 1 };
      const failed = await a.election.once(1, work, options);
      assert.deepEqual([failed.outcome, failed.run.error], ['failed', 'no paper'], 'the end of the occasion');
      const known = await b.election.once(1, work, options);
      assert.deepEqual(
        [known.outcome, known.run.outcome],
        ['already-failed', 'failed'],
        'what the other hears',
      );
      assert.deepEqual(attempts, [1, 2], 'the attempts');
    },
  },
];
