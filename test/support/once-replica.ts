/**
 * A replica with a schedule, in a process of its own, for trials in which replicas are killed and stopped:
 * `once-replica.ts PLAN`. It says on its standard output what its work begins and ends, and what became of each occasion.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Election, type OnceWork, type TransactionContext } from '../../src/election/index.ts';
import { openEngine } from '../../src/engines/open.ts';
import { type AnyJoinOptions, join } from '../../src/member/index.ts';

export interface ReplicaPlan {
  readonly election: string;
  /** The store, or what makes it a member. */
  readonly engine?: { readonly url: string; readonly options: object };
  readonly member?: AnyJoinOptions;
  readonly line: string;
  /** With PostgreSQL: results go to the table `results`, in the transaction that records the occasion. */
  readonly isTransacted: boolean;
  /** How long the work takes at most. */
  readonly busyMs: number;
}

const plan = JSON.parse(process.argv[2]!) as ReplicaPlan;
const say = (what: object): void => {
  process.stdout.write(`${JSON.stringify(what)}\n`);
};
const shutdown = new AbortController();
process.once('SIGTERM', () => shutdown.abort());
process.stdin.on('end', () => process.exit(0)).resume();

const place = await (async () => {
  if (plan.engine !== undefined) {
    const engine = await openEngine(plan.engine.url, plan.engine.options);
    return { election: new Election(plan.election, engine), close: () => engine.close() };
  }
  const member = await join(plan.member!);
  return { election: member.election(plan.election), close: () => member.close() };
})();

const work: OnceWork<void> = async (context) => {
  const { occasion, token, attempt, signal } = context;
  say({ is: 'began', occasion, token: String(token), attempt });
  if (plan.isTransacted)
    await (context as TransactionContext).transaction.query(
      'INSERT INTO results (occasion, token) VALUES ($1, $2)',
      [occasion, String(token)],
    );
  await sleep(Math.random() * plan.busyMs, undefined, { signal });
  say({ is: 'ended', occasion, token: String(token) });
};
/** The record tells what a replica did that was killed before it could say so. */
const told = new Set<unknown>();
const tellRecorded = (): void => {
  for (const run of place.election.runs.runs) {
    if (told.has(run.occasion)) continue;
    told.add(run.occasion);
    say({ is: 'run', outcome: `already-${run.outcome}`, run });
  }
};

say({ is: 'up', name: place.election.self });
await place.election.schedule(plan.line, work, {
  catchUp: 'all',
  maxAttempts: 1000,
  signal: shutdown.signal,
  ...(plan.isTransacted ? { transaction: { idleMs: 3000 } } : {}),
  onRun: ({ outcome, run }) => {
    told.add(run.occasion);
    say({ is: 'run', outcome, run });
    tellRecorded();
  },
});
await place.close();
process.exit(0);
