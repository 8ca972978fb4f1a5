/**
 * The behaviour that every engine must have, as cases for any test runner. For example:
 *     for (const { name, skip, run } of conformance(kit)) (skip === null ? it : it.skip)(name, run);
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Election, type LeadershipLost } from '../../election/index.ts';
import { casesOf } from './cases.ts';
import type { Case, EngineKit } from './kit.ts';
import { onceRequirements } from './once.ts';
import type { Requirement } from './requirement.ts';
import { shardRequirements } from './shards.ts';
import { aborted, CALM_MS, hasNoLeader, isGreater, seen, won } from './stage.ts';

export type { Case, EngineKit, Participant } from './kit.ts';

export function conformance(kit: EngineKit): Case[] {
  return casesOf(kit, [...requirements, ...onceRequirements, ...shardRequirements]);
}

/** The cases about shards alone, which members have to pass too. */
export function shardConformance(kit: EngineKit): Case[] {
  return casesOf(kit, shardRequirements);
}

const requirements: readonly Requirement[] = [
  {
    name: 'there is no leader until a participant stands, and an observer sees that',
    async play(stage) {
      const { election } = await stage.join();
      await seen(election, 'no leader', hasNoLeader);
      await sleep(stage.kit.leaseMs / 2);
      assert.equal(election.leader(), null, 'there is no leader as long as no participant stands');
    },
  },
  {
    name: 'a single candidate is elected, and observers are told',
    async play(stage) {
      const [a, b] = [await stage.join(), await stage.join()];
      const leadership = await won(a.election);
      assert.equal(leadership.isValid(), true, 'the winner may act');
      assert.ok(leadership.token > 0n, `expected a token above 0, found ${leadership.token}`);
      const itself = { name: a.engine.name, token: leadership.token };
      assert.deepEqual(a.election.leader(), itself, 'the winner sees itself as the leader, with its token');
      await seen(
        b.election,
        'the leader and its token',
        ({ leader, token, isSelf }) =>
          leader === a.engine.name && token === leadership.token && isSelf === false,
      );
      assert.deepEqual(b.election.leader(), itself, 'the other sees the same leader and token');
    },
  },
  {
    name: 'of five candidates one leads at a time, and tokens only grow',
    async play(stage) {
      const all = await Promise.all(Array.from({ length: 5 }, () => stage.join()));
      let acting = 0;
      const tokens: bigint[] = [];
      await Promise.all(
        all.map(async ({ election }) => {
          for (let turn = 0; turn < 2; turn++) {
            const leadership = await won(election, 60_000);
            acting += 1;
            assert.equal(acting, 1, 'one acts at a time');
            tokens.push(leadership.token);
            await sleep(5);
            assert.equal(leadership.isValid(), true, 'the winner of 5 ms ago may act');
            acting -= 1;
            await leadership.resign();
          }
        }),
      );
      assert.equal(tokens.length, 10, 'all five have led twice');
      const sorted = tokens.toSorted((x, y) => Number(x - y));
      assert.deepEqual(tokens, sorted, `tokens in the order in which they were won: ${tokens}`);
      assert.equal(new Set(tokens).size, 10, `each token once: ${tokens}`);
    },
  },
  {
    name: 'a release wakes the candidates that wait',
    needs: ['wake'],
    async play(stage) {
      const a = await stage.patient();
      const leadership = await won(a.election);
      const b = await stage.patient();
      await seen(b.election, 'the leader', ({ leader }) => leader === a.engine.name);
      const next = won(b.election);
      await leadership.resign();
      isGreater((await next).token, leadership.token, 'token');
    },
  },
  {
    name: 'an observer that is no candidate sees a leader come and go',
    needs: ['wake'],
    async play(stage) {
      const [a, watcher] = [await stage.calm(), await stage.patient()];
      await seen(watcher.election, 'no leader', hasNoLeader);
      const leadership = await won(a.election);
      await seen(watcher.election, 'the leader', ({ leader }) => leader === a.engine.name);
      await leadership.resign();
      assert.equal(leadership.isValid(), false, 'a leader that has resigned may not act');
      await a.election.close();
      await seen(watcher.election, 'no leader', hasNoLeader);
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
      assert.equal(leadership.isValid(), true, 'the leader may still act after three leases');
      calledOff.abort();
      assert.equal(await other, 'did not win', 'the campaign of another candidate meanwhile');
    },
  },
  {
    name: 'a leader that vanishes is replaced when its lease is over, not before, with a greater token',
    needs: ['crash'],
    async play(stage) {
      const [a, b] = [await stage.join(), await stage.join()];
      const leadership = await won(a.election);
      await seen(b.election, 'the leader', ({ leader }) => leader === a.engine.name);
      const next = won(b.election, 60_000);
      await stage.crash(a.engine);
      const successor = await next;
      assert.equal(leadership.isValid(), false, 'the old one is no longer valid when the new one is');
      isGreater(successor.token, leadership.token, 'token');
    },
  },
  {
    name: 'a leader that cannot renew stops before any other participant may act, and says why',
    needs: ['expire', 'crash'],
    async play(stage) {
      const a = await stage.join();
      const leadership = await won(a.election);
      await stage.crash(a.engine);
      await aborted(leadership.signal);
      const { code } = leadership.signal.reason as { code?: string };
      assert.equal(code, 'E_LEADERSHIP_LOST', 'the reason of its signal is a LeadershipLost');
      assert.throws(() => leadership.assert(), /no longer leading/);
    },
  },
  {
    name: 'a process that comes back under its old name does not inherit what it held',
    needs: ['crash'],
    async play(stage) {
      const name = `again-${randomBytes(4).toString('hex')}`;
      const a = await stage.join({ name });
      const leadership = await won(a.election);
      await stage.crash(a.engine);
      const again = await stage.join({ name });
      const successor = await won(again.election, 60_000);
      assert.equal(leadership.isValid(), false, 'what it held before is no longer valid');
      isGreater(successor.token, leadership.token, 'token');
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
            assert.equal(working, 1, 'one works at a time');
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
      assert.equal(turns, 6, 'the work was done six times');
      for (const result of results) {
        assert.equal(result.status, 'fulfilled', 'lead() resolves when its signal is aborted');
        const { value } = result as PromiseFulfilledResult<unknown>;
        assert.equal(value, undefined, 'lead() resolves with undefined when its signal is aborted');
      }
    },
  },
  {
    name: 'a request to resign reaches the leader at once, and has no effect on later leaders',
    needs: ['ask'],
    async play(stage) {
      const [a, b] = [await stage.patient(), await stage.patient()];
      const operator = await stage.calm();
      const before: bigint[] = [];
      const tookMs: number[] = [];
      let leadership = await won(a.election);
      for (const [turn, successor] of [b, a, b, a].entries()) {
        const { token } = leadership;
        const { leader } = await seen(operator.election, 'the leader', (now) => now.token === token);
        // A participant that has resigned on request stands aside until it has seen another leader.
        await seen(successor.election, 'the leader', (now) => now.token === token);
        for (const old of before) await operator.election.askToResign({ reason: 'too late', token: old });
        const next = won(successor.election);
        const askedAtMs = performance.now();
        await operator.election.askToResign({ reason: `turn ${turn}` });
        await aborted(leadership.signal);
        tookMs.push(performance.now() - askedAtMs);
        const { cause, detail } = leadership.signal.reason as LeadershipLost;
        const asked = { cause: 'resigned', detail: `its resignation was requested: turn ${turn}` };
        assert.deepEqual({ cause, detail }, asked, 'the work is told that it was asked to, and why');
        assert.equal(
          operator.election.leader()?.name,
          leader,
          'the leader keeps it until the work has stopped',
        );
        await leadership.resign();
        leadership = await next;
        isGreater(leadership.token, token, 'token');
        before.push(token);
      }
      const quickest = Math.min(...tookMs);
      assert.ok(quickest < CALM_MS / 6, `it was heard after ${Math.round(quickest)} ms at best`);
    },
  },
  {
    name: 'a campaign that is aborted wins nothing',
    async play(stage) {
      const [a, b] = [await stage.join(), await stage.join()];
      const leadership = await won(a.election);
      const calledOff = new AbortController();
      const campaign = b.election.campaign({ signal: calledOff.signal });
      calledOff.abort();
      await assert.rejects(campaign, 'a campaign rejects when its signal is aborted');
      await leadership.resign();
      await seen(b.election, 'no leader', hasNoLeader);
      const third = await stage.join();
      await won(third.election);
    },
  },
  {
    name: 'a value is published, and outlives the leader that published it',
    needs: ['publish'],
    async play(stage) {
      const [a, b] = [await stage.join(), await stage.join()];
      const leadership = await won(a.election);
      const first = await leadership.publish({ at: 'http://a' });
      const second = await leadership.publish({ at: 'http://a', ready: true });
      isGreater(second, first, 'version');
      const value = { at: 'http://a', ready: true };
      const read = await seen(b.election, 'the value', ({ version }) => version === second);
      assert.deepEqual(read.value, value, 'the others see the value that was published last');
      await assert.rejects(b.election.publish('not mine to say'), { code: 'E_NOT_LEADER' });
      await leadership.resign();
      await a.election.close();
      const next = await won(b.election);
      assert.deepEqual(b.election.value, value, 'the next leader sees the value of the last one');
      isGreater(await next.publish('new'), second, 'version');
    },
  },
  {
    name: 'elections on one engine do not affect each other',
    async play(stage) {
      const [a, b] = [await stage.participant(), await stage.participant()];
      const names = ['x', 'y', 'z'].map((each) => `${stage.name}-${each}`);
      const held = await Promise.all(names.map((name) => won(new Election(name, a))));
      const others = names.map((name) => new Election(name, b));
      for (const election of others) await seen(election, 'the leader', ({ leader }) => leader === a.name);
      await held[1]!.resign();
      await won(others[1]!);
      const valid = held.map((each) => each.isValid());
      assert.deepEqual(valid, [true, false, true], 'only the election that was resigned is lost');
    },
  },
  {
    name: 'an election is open once on an engine: a second one is refused until the first is closed',
    async play(stage) {
      const { engine, election } = await stage.join();
      const leadership = await won(election);
      assert.throws(() => new Election(stage.name, engine), { code: 'E_REFUSED' });
      assert.equal(leadership.isValid(), true, 'the first one leads on');
      const closing = election.close();
      assert.equal(leadership.isValid(), false, 'a leader may not act while its election is being closed');
      assert.throws(() => new Election(stage.name, engine), { code: 'E_REFUSED' });
      await leadership.resign(); // Confirms that the work has stopped.
      await closing;
      const again = await won(new Election(stage.name, engine));
      isGreater(again.token, leadership.token, 'token');
    },
  },
  {
    name: 'all callers that wait at an engine that is closed are told, after the work there has stopped',
    async play(stage) {
      const [a, b] = [await stage.participant(), await stage.join()];
      const [worked, waited] = [new Election(`${stage.name}-x`, a), new Election(stage.name, a)];
      await won(b.election);
      let isWorking = false;
      const led = worked.lead(async ({ signal }) => {
        isWorking = true;
        await aborted(signal);
        await sleep(50);
        isWorking = false;
      });
      await seen(worked, 'itself', ({ isSelf }) => isSelf);
      await seen(waited, 'the leader', ({ leader }) => leader === b.engine.name);
      const campaign = waited.campaign();
      const causes: string[] = [];
      const observed = (async () => {
        for await (const { cause } of waited.observe()) causes.push(cause);
      })();
      const told = Promise.all(
        [led, campaign].map((each) => assert.rejects(each, { code: 'E_CLOSED' }, 'callers are told')),
      );
      await a.close();
      assert.equal(isWorking, false, 'the work has stopped');
      await told;
      await observed;
      assert.equal(causes.at(-1), 'closed', 'the last that is observed');
      await assert.rejects(waited.campaign(), { code: 'E_CLOSED' }, 'a later campaign is refused');
    },
  },
  {
    name: 'a closed engine holds no leadership and takes none',
    async play(stage) {
      const [a, b] = [await stage.join(), await stage.join()];
      const leadership = await won(a.election);
      await a.engine.close();
      assert.equal(leadership.isValid(), false, 'no leader of a closed engine may act');
      await leadership.resign(); // Confirms that the work has stopped.
      assert.throws(() => a.engine.seat('another'), { code: 'E_CLOSED' });
      await won(b.election);
    },
  },
];
