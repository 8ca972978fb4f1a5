/** What every engine, and members, do with shards. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type OwnedShard,
  Partition,
  type PartitionObservation,
  type PartitionOptions,
} from '../../election/index.ts';
import type { LeaseEngineOptions } from '../lease/lease-engine.ts';
import type { Participant } from './kit.ts';
import type { Requirement } from './requirement.ts';
import { aborted, CALM_MS, type Stage } from './stage.ts';

const SHARDS = 16;
const WITHIN_MS = 60_000;

/** All that replicas of one case own, and whether two of them may act on one shard at the same time. */
class Ledger {
  readonly #all = new Map<number, OwnedShard[]>();

  begin(mine: OwnedShard): void {
    const before = this.#all.get(mine.shard) ?? [];
    for (const other of before) {
      assert.equal(other.isValid(), false, `only one replica may act on shard ${mine.shard}`);
      assert.ok(
        mine.token > other.token,
        `token ${mine.token} of shard ${mine.shard} is above ${other.token}`,
      );
    }
    this.#all.set(mine.shard, [...before, mine]);
  }

  tokensOf(shard: number): readonly bigint[] {
    return (this.#all.get(shard) ?? []).map(({ token }) => token);
  }
}

class Replica {
  readonly engine: Participant;
  readonly partition: Partition;
  readonly stop = new AbortController();
  readonly ended: Promise<void>;
  /** Why `own` has ended, if it failed. */
  failure: unknown = null;

  constructor(
    engine: Participant,
    name: string,
    options: Partial<PartitionOptions>,
    work: (mine: OwnedShard) => unknown,
  ) {
    this.engine = engine;
    this.partition = new Partition(name, engine, { shards: SHARDS, ...options });
    this.ended = this.partition.own(work, { signal: this.stop.signal });
    this.ended.catch((error: unknown) => {
      this.failure = error;
    });
  }

  leave(): Promise<void> {
    this.stop.abort();
    return this.ended;
  }
}

class Fleet {
  readonly ledger = new Ledger();
  readonly #stage: Stage;
  readonly #options: LeaseEngineOptions;

  constructor(stage: Stage, options: LeaseEngineOptions = { leaseMs: CALM_MS }) {
    this.#stage = stage;
    this.#options = options;
  }

  async join(
    options: Partial<PartitionOptions> = {},
    work: (mine: OwnedShard) => unknown = ({ signal }) => aborted(signal, 10 * WITHIN_MS),
  ): Promise<Replica> {
    const engine = await this.#stage.participant(this.#options);
    return new Replica(engine, this.#stage.name, options, (mine) => {
      this.ledger.begin(mine);
      return work(mine);
    });
  }
}

/** Waits until this replica sees the partition in this state; fails with the last one seen. */
async function sees(
  replica: Replica,
  what: string,
  fits: (observation: PartitionObservation) => boolean,
): Promise<PartitionObservation> {
  const { partition } = replica;
  let last: PartitionObservation | undefined;
  for await (const observation of partition.observe({ signal: AbortSignal.timeout(WITHIN_MS) })) {
    last = observation;
    if (fits(observation)) return observation;
  }
  const found = JSON.stringify(last, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  const message = `${partition.self}: expected ${what} within ${WITHIN_MS} ms, last seen: ${found}`;
  throw new Error(message, { cause: replica.failure });
}

/** Every shard has one of these owners, and no replica has two more than another. */
function isBalanced(replicas: readonly Replica[]): (observation: PartitionObservation) => boolean {
  const names = replicas.map(({ engine }) => engine.name);
  return ({ owners, moving, replicas: seen }) => {
    const counts = names.map((name) => owners.filter((owner) => owner?.name === name).length);
    const sum = counts.reduce((total, count) => total + count, 0);
    const isEven = Math.max(...counts) - Math.min(...counts) <= 1;
    return seen.length === names.length && moving === 0 && sum === owners.length && isEven;
  };
}

/** Waits until the works run where the table says. */
async function works(replicas: readonly Replica[]): Promise<void> {
  const untilMs = performance.now() + WITHIN_MS;
  for (;;) {
    const owned = replicas.flatMap(({ partition }) => partition.owned).sort((a, b) => a - b);
    if (owned.length === SHARDS && owned.every((shard, i) => shard === i)) return;
    const failed = replicas.find(({ failure }) => failure !== null);
    if (failed !== undefined || performance.now() > untilMs)
      throw new Error(`expected each shard to be owned once, found ${owned}`, { cause: failed?.failure });
    await sleep(5);
  }
}

export const shardRequirements: readonly Requirement[] = [
  {
    name: 'shards are spread over three replicas, move to a fourth only as far as needed, and back when it leaves',
    needs: ['publish'],
    async play(stage) {
      const fleet = new Fleet(stage);
      const three = [await fleet.join(), await fleet.join(), await fleet.join()];
      const before = await sees(three[0]!, 'three equal replicas', isBalanced(three));
      await works(three);
      const fourth = await fleet.join();
      const all = [...three, fourth];
      const after = await sees(three[1]!, 'four equal replicas', isBalanced(all));
      await works(all);
      const kept = before.owners.filter((owner, i) => owner!.name === after.owners[i]!.name);
      assert.equal(kept.length, SHARDS - SHARDS / 4, 'the shards that have not moved to the fourth replica');
      for (const [shard, owner] of after.owners.entries()) {
        const hasMoved = owner!.name !== before.owners[shard]!.name;
        assert.equal(owner!.token > before.owners[shard]!.token, hasMoved, `the token of shard ${shard}`);
      }
      const mine = after.owners.findIndex((owner) => owner!.name === fourth.engine.name);
      assert.deepEqual(three[1]!.partition.owner(mine), after.owners[mine], 'what owner() says');
      await fourth.leave();
      assert.deepEqual(fourth.partition.owned, [], 'what a replica owns that has left');
      const last = await sees(three[2]!, 'three equal replicas again', isBalanced(three));
      await works(three);
      for (const [shard, owner] of after.owners.entries())
        if (owner!.name !== fourth.engine.name)
          assert.deepEqual(last.owners[shard], owner, `shard ${shard} of a replica that stayed`);
      assert.ok(last.owners[mine]!.token > after.owners[mine]!.token, 'the token of a shard that moved back');
    },
  },
  {
    name: 'a shard moves only after its work has stopped',
    needs: ['publish'],
    async play(stage) {
      const fleet = new Fleet(stage);
      const busy = new Set<number>();
      const work = async ({ shard, signal, assert: check }: OwnedShard): Promise<void> => {
        assert.equal(busy.has(shard), false, `no work on shard ${shard} begins beside another`);
        busy.add(shard);
        check();
        await aborted(signal, 10 * WITHIN_MS);
        assert.throws(check, { code: 'E_LEADERSHIP_LOST' });
        await sleep(20);
        busy.delete(shard);
      };
      const first = await fleet.join({}, work);
      await sees(first, 'one replica with all shards', isBalanced([first]));
      const second = await fleet.join({}, work);
      await sees(first, 'two equal replicas', isBalanced([first, second]));
      await works([first, second]);
      await first.leave();
      await sees(second, 'the other with all shards', isBalanced([second]));
      await works([second]);
      await second.leave();
      assert.equal(busy.size, 0, 'works that run when all replicas have left');
    },
  },
  {
    name: 'the shards of a replica that vanishes go to the others, with greater tokens, once it may not act any more',
    needs: ['publish', 'crash', 'expire'],
    async play(stage) {
      const fleet = new Fleet(stage, {});
      const all = [await fleet.join(), await fleet.join(), await fleet.join()];
      await sees(all[0]!, 'three equal replicas', isBalanced(all));
      await works(all);
      const { coordinator } = await sees(all[0]!, 'a coordinator', (seen) => seen.coordinator !== null);
      for (const isCoordinator of [false, true]) {
        const victim = all.find(({ engine }) => (engine.name === coordinator) === isCoordinator)!;
        const lost = [...victim.partition.owned];
        await stage.crash(victim.engine);
        all.splice(all.indexOf(victim), 1);
        await sees(all[0]!, 'the others with all shards', isBalanced(all));
        await works(all);
        for (const shard of lost)
          assert.ok(fleet.ledger.tokensOf(shard).length > 1, `shard ${shard} was owned again`);
      }
    },
  },
  {
    name: 'work that throws ends its replica, and the others get its shards',
    needs: ['publish'],
    async play(stage) {
      const fleet = new Fleet(stage);
      const other = await fleet.join();
      await sees(other, 'one replica with all shards', isBalanced([other]));
      const broken = await fleet.join({}, () => {
        throw new Error('no paper');
      });
      await assert.rejects(broken.ended, /^Error: no paper$/);
      await sees(other, 'the other with all shards', isBalanced([other]));
      await works([other]);
      await assert.rejects(
        other.partition.own(() => {}),
        { code: 'E_REFUSED' },
      );
      await other.partition.close();
      await assert.rejects(other.ended, { code: 'E_CLOSED' });
      assert.deepEqual(other.partition.owned, [], 'what a closed partition owns');
    },
  },
];
