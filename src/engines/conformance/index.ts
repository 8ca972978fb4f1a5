/**
 * What every engine does, as cases that any test runner can run: those of this package and anybody else's.
 *
 *     for (const { name, skip, run } of conformance(kit)) (skip === null ? it : it.skip)(name, run);
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Election } from '../../election/index.ts';
import type { Case, EngineKit } from './kit.ts';
import { aborted, Stage, seen, won } from './stage.ts';

export type { Case, EngineKit, Participant } from './kit.ts';

type Ability = keyof NonNullable<EngineKit['cannot']>;

interface Requirement {
  readonly name: string;
  readonly needs?: Ability;
  play(stage: Stage): Promise<void>;
}

export function conformance(kit: EngineKit): Case[] {
  return requirements.map(({ name, needs, play }) => ({
    name,
    skip: (needs !== undefined && kit.cannot?.[needs]) || null,
    async run() {
      const stage = new Stage(kit, `conformance-${randomBytes(6).toString('hex')}`);
      try {
        await play(stage);
      } finally {
        await stage.close();
      }
    },
  }));
}

const requirements: readonly Requirement[] = [
  {
    name: 'nobody leads until somebody stands, and an observer sees that',
    async play(stage) {
      const { election } = await stage.join();
      await seen(election, 'nobody', ({ leader, detail }) => leader === null && detail === 'nobody leads');
      assert.equal(election.leader(), null);
    },
  },
  {
    name: 'whoever stands alone leads, and everybody is told',
    async play(stage) {
      const [a, b] = [await stage.join(), await stage.join()];
      const leadership = await won(a.election);
      assert.equal(leadership.isValid(), true);
      assert.ok(leadership.token > 0n, 'a token above 0');
      assert.deepEqual(a.election.leader(), { name: a.engine.name, token: leadership.token });
      await seen(
        b.election,
        'the leader and its token',
        ({ leader, token, isSelf }) =>
          leader === a.engine.name && token === leadership.token && isSelf === false,
      );
      assert.deepEqual(b.election.leader(), a.election.leader());
    },
  },
  {
    name: 'of five that stand one leads at a time, and tokens only grow',
    async play(stage) {
      const all = await Promise.all(Array.from({ length: 5 }, () => stage.join()));
      let acting = 0;
      const tokens: bigint[] = [];
      await Promise.all(
        all.map(async ({ election }) => {
          for (let turn = 0; turn < 2; turn++) {
            const leadership = await won(election, 60_000);
            acting += 1;
            assert.equal(acting, 1, 'one that acts');
            tokens.push(leadership.token);
            await sleep(5);
            assert.equal(leadership.isValid(), true);
            acting -= 1;
            await leadership.resign();
          }
        }),
      );
      assert.equal(tokens.length, 10);
      assert.deepEqual(
        tokens,
        tokens.toSorted((x, y) => Number(x - y)),
      );
      assert.equal(new Set(tokens).size, 10, 'each token once');
    },
  },
  {
    name: 'a release wakes those who wait',
    needs: 'wake',
    async play(stage) {
      const a = await stage.patient();
      const leadership = await won(a.election);
      const b = await stage.patient();
      await seen(b.election, 'the leader', ({ leader }) => leader === a.engine.name);
      const next = won(b.election);
      await leadership.resign();
      assert.ok((await next).token > leadership.token, 'a greater token');
    },
  },
  {
    name: 'an observer that stands for nothing sees a leader come and go',
    needs: 'wake',
    async play(stage) {
      const [a, watcher] = [await stage.join(), await stage.patient()];
      await seen(watcher.election, 'nobody', ({ detail }) => detail === 'nobody leads');
      const leadership = await won(a.election);
      await seen(watcher.election, 'the leader', ({ leader }) => leader === a.engine.name);
      await leadership.resign();
      assert.equal(leadership.isValid(), false);
      await a.election.close();
      await seen(watcher.election, 'nobody', ({ leader }) => leader === null);
    },
  },
  {
    name: 'a leadership is renewed for as long as it is wanted',
    async play(stage) {
      const [a, b] = [await stage.join(), await stage.join()];
      const leadership = await won(a.election);
      const calledOff = new AbortController();
      const other = b.election.campaign({ signal: calledOff.signal }).then(
        () => 'won',
        () => 'did not win',
      );
      await sleep(3 * stage.kit.leaseMs);
      assert.equal(leadership.isValid(), true);
      calledOff.abort();
      assert.equal(await other, 'did not win');
    },
  },
  {
    name: 'a leader that vanishes is replaced when its lease is over, not before, with a greater token',
    needs: 'crash',
    async play(stage) {
      const [a, b] = [await stage.join(), await stage.join()];
      const leadership = await won(a.election);
      await seen(b.election, 'the leader', ({ leader }) => leader === a.engine.name);
      const next = won(b.election, 60_000);
      await stage.kit.crash(a.engine);
      const successor = await next;
      assert.equal(leadership.isValid(), false, 'the old one is no longer valid when the new one is');
      assert.ok(successor.token > leadership.token, 'a greater token');
    },
  },
  {
    name: 'a leader that cannot renew stops before anybody else may act, and says why',
    needs: 'expire',
    async play(stage) {
      const a = await stage.join();
      const leadership = await won(a.election);
      await stage.kit.crash(a.engine);
      await aborted(leadership.signal);
      const reason = leadership.signal.reason as { code?: string };
      assert.equal(reason.code, 'E_LEADERSHIP_LOST');
      assert.throws(() => leadership.assert(), /no longer leading/);
    },
  },
  {
    name: 'a process that comes back under its old name does not inherit what it held',
    needs: 'crash',
    async play(stage) {
      const name = `again-${randomBytes(4).toString('hex')}`;
      const a = await stage.join({ name });
      const leadership = await won(a.election);
      await stage.kit.crash(a.engine);
      const again = await stage.join({ name });
      const successor = await won(again.election, 60_000);
      assert.equal(leadership.isValid(), false);
      assert.ok(successor.token > leadership.token, 'a greater token');
    },
  },
  {
    name: 'the work is done again after every loss, and has stopped before another begins',
    async play(stage) {
      const all = await Promise.all(Array.from({ length: 3 }, () => stage.join()));
      const done = new AbortController();
      let working = 0;
      let turns = 0;
      const workers = all.map(({ election }) =>
        election.lead(
          async ({ signal }) => {
            working += 1;
            assert.equal(working, 1, 'one that works');
            turns += 1;
            if (turns === 6) done.abort();
            else void election.resign();
            await aborted(signal);
            await sleep(5);
            working -= 1;
          },
          { signal: done.signal },
        ),
      );
      const results = await Promise.allSettled(workers);
      assert.equal(turns, 6);
      for (const result of results) {
        assert.equal(result.status, 'rejected');
        assert.equal((result as PromiseRejectedResult).reason, done.signal.reason);
      }
    },
  },
  {
    name: 'a campaign that is called off wins nothing',
    async play(stage) {
      const [a, b] = [await stage.join(), await stage.join()];
      const leadership = await won(a.election);
      const calledOff = new AbortController();
      const campaign = b.election.campaign({ signal: calledOff.signal });
      calledOff.abort();
      await assert.rejects(campaign);
      await leadership.resign();
      await seen(b.election, 'nobody', ({ leader }) => leader === null);
      const third = await stage.join();
      await won(third.election);
    },
  },
  {
    name: 'a value is published, and outlives the leader that did',
    needs: 'publish',
    async play(stage) {
      const [a, b] = [await stage.join(), await stage.join()];
      const leadership = await won(a.election);
      const first = await leadership.publish({ at: 'http://a' });
      const second = await leadership.publish({ at: 'http://a', ready: true });
      assert.ok(second > first, 'a greater version');
      const value = { at: 'http://a', ready: true };
      const read = await seen(b.election, 'the value', ({ version }) => version === second);
      assert.deepEqual(read.value, value);
      await assert.rejects(b.election.publish('not mine to say'), { code: 'E_NOT_LEADER' });
      await leadership.resign();
      await a.election.close();
      const next = await won(b.election);
      assert.deepEqual(b.election.value, value);
      assert.ok((await next.publish('new')) > second, 'a greater version');
    },
  },
  {
    name: 'elections do not know of each other, over one engine',
    async play(stage) {
      const [a, b] = [await stage.participant(), await stage.participant()];
      const names = ['x', 'y', 'z'].map((each) => `${stage.name}-${each}`);
      const held = await Promise.all(names.map((name) => won(new Election(name, a))));
      const others = names.map((name) => new Election(name, b));
      for (const election of others) await seen(election, 'the leader', ({ leader }) => leader === a.name);
      await held[1]!.resign();
      await won(others[1]!);
      assert.deepEqual(
        held.map((each) => each.isValid()),
        [true, false, true],
      );
    },
  },
  {
    name: 'an engine that is closed holds nothing and takes nothing',
    async play(stage) {
      const [a, b] = [await stage.join(), await stage.join()];
      const leadership = await won(a.election);
      await a.engine.close();
      assert.equal(leadership.isValid(), false);
      await leadership.resign(); // It learns that the work has stopped.
      assert.throws(() => a.engine.seat('another'), { code: 'E_CLOSED' });
      await won(b.election);
    },
  },
];
