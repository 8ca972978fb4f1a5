/**
 * A replica of a partition, in a process of its own, for trials in which replicas are killed and added: `shard-replica.ts PLAN`. It says
 * on its standard output which shards it begins and ends to work on, with the time of the clock that all processes of the machine
 * share. Each work appends to one file, right after `assert()`: the order of its lines is the order in which they acted.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ShardWork } from '../../src/election/index.ts';
import { openEngine } from '../../src/engines/open.ts';
import { type JoinOptions, join } from '../../src/member/index.ts';

export interface ShardPlan {
  readonly partition: string;
  readonly shards: number;
  /** The store, or what makes it a member. */
  readonly engine?: { readonly url: string; readonly options: object };
  readonly member?: JoinOptions;
  /** Where works write, and how often; null: they do not. */
  readonly writes: { readonly file: string; readonly everyMs: number } | null;
}

const plan = JSON.parse(process.argv[2]!) as ShardPlan;
let lines: object[] = [];
/** Many shards begin at one moment. */
const nowMs = (): number => performance.timeOrigin + performance.now();
const say = (what: object): void => {
  if (lines.length === 0)
    setImmediate(() => {
      process.stdout.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      lines = [];
    });
  lines.push(what);
};
const shutdown = new AbortController();
process.once('SIGTERM', () => shutdown.abort());
process.stdin.on('end', () => process.exit(0)).resume();

const { shards } = plan;
const place =
  plan.engine === undefined
    ? await join(plan.member!)
    : await openEngine(plan.engine.url, plan.engine.options);
const partition = place.partition(plan.partition, { shards });

const work: ShardWork = async ({ shard, token, signal, assert, ended }) => {
  say({ is: 'began', shard, token: String(token), atMs: nowMs() });
  if (plan.writes === null) await ended;
  else
    while (!signal.aborted) {
      assert();
      appendFileSync(plan.writes.file, `${shard} ${token}\n`);
      await sleep(plan.writes.everyMs, undefined, { signal }).catch(() => {});
    }
  say({ is: 'ended', shard, token: String(token) });
};

say({ is: 'up', atMs: nowMs() });
await partition.own(work, { signal: shutdown.signal });
await place.close();
process.exit(0);
