/**
 * A replica of a partition, in a process of its own, for trials in which replicas are killed and added: `shard-replica.ts PLAN`. It says
 * on its standard output which shards it begins and ends to work on, with the time of the clock that all processes of the machine
 * share. Each work appends to one file, right after `assert()`: the order of its lines is the order in which they acted.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OnceOutcome, ShardOccasion, ShardWork } from '../../src/election/index.ts';
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
  /** A schedule in place of works that go on: each run writes when it begins and ends, and takes so long. */
  readonly schedule?: { readonly line: string; readonly file: string; readonly runMs: number };
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

/** One line per event, which the system appends as a whole. */
function scheduled({ line, file, runMs }: NonNullable<ShardPlan['schedule']>): ShardWork {
  return async ({ shard, token, schedule }) => {
    say({ is: 'began', shard, token: String(token), atMs: nowMs() });
    const note = (what: string, occasion: unknown): void =>
      appendFileSync(file, `${what} ${shard} ${occasion} ${token}\n`);
    const run = async ({ occasion, signal }: ShardOccasion): Promise<void> => {
      note('begin', occasion);
      await sleep(runMs, undefined, { signal });
      note('end', occasion);
    };
    const onRun = ({ outcome, occasion }: OnceOutcome): void => {
      if (outcome === 'done') note('recorded', occasion);
    };
    await schedule(line, run, { catchUp: 'all', onRun });
    say({ is: 'ended', shard, token: String(token) });
  };
}

say({ is: 'up', atMs: nowMs() });
const own = plan.schedule === undefined ? work : scheduled(plan.schedule);
await partition.own(own, { signal: shutdown.signal });
await place.close();
process.exit(0);
