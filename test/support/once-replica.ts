/**
 * A replica of a service with node-cron or NestJS, in a process of its own, for trials in which replicas are killed and stopped:
 * `once-replica.ts PLAN`. Its work writes to a journal when it begins and when it ends.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Election,
  type Engine,
  type OnceContext,
  type TransactionContext,
} from '../../src/election/index.ts';
import { openEngine } from '../../src/engines/open.ts';
import { type AnyJoinOptions, join } from '../../src/member/index.ts';
import { journalLine } from './once-journal.ts';

export interface ReplicaPlan {
  readonly driver: 'node-cron' | 'nestjs';
  readonly name: string;
  readonly election: string;
  /** The store, or what makes it a member. */
  readonly engine?: { readonly url: string; readonly options: object };
  readonly member?: AnyJoinOptions;
  readonly line: string;
  readonly journal: string;
  /** With PostgreSQL and NestJS: results go to the table `results`, in the transaction that records the occasion. */
  readonly isTransacted: boolean;
  /** How long the work takes at most. */
  readonly busyMs: number;
}

const plan = JSON.parse(process.argv[2]!) as ReplicaPlan;
process.stdin.on('end', () => process.exit(0)).resume();

type Place = Engine & { close(): Promise<void> };

const place: Place = await (plan.engine === undefined
  ? join(plan.member!)
  : openEngine(plan.engine.url, plan.engine.options));

function write(what: 'fired' | 'begin' | 'end', occasion: string, token = 0n, attempt = 0): void {
  appendFileSync(plan.journal, journalLine({ what, occasion, token, attempt, replica: plan.name }));
}

async function work(context: OnceContext): Promise<void> {
  const { token, attempt, signal } = context;
  const occasion = String(context.occasion);
  write('begin', occasion, token, attempt);
  if (plan.isTransacted)
    await (context as TransactionContext).transaction.query(
      'INSERT INTO results (occasion, token) VALUES ($1, $2)',
      [occasion, String(token)],
    );
  await sleep(Math.random() * plan.busyMs, undefined, { signal });
  write('end', occasion, token, attempt);
}

/**
 * As a service with node-cron ends: its tasks stop, what waits is called off, and the run that is under way has `drainMs` to end
 * and to be recorded. Without that limit the last member to end would wait for ever: there is no majority that could record it.
 */
async function withNodeCron(): Promise<() => Promise<void>> {
  const { default: cron } = await import('node-cron');
  const { ElectionCoordinator } = await import('../../src/adapters/node-cron/index.ts');
  const shutdown = new AbortController();
  const election = new Election(plan.election, place);
  const { signal } = shutdown;
  const coordinator = new ElectionCoordinator(election, { signal, drainMs: 5000, maxAttempts: 1000 });
  const running = new Set<string>();
  const runCoordinator = {
    shouldRun(key: string, ttlMs: number): Promise<boolean> {
      write('fired', key.slice(key.indexOf(':') + 1));
      return coordinator.shouldRun(key, ttlMs);
    },
    async onComplete(key: string): Promise<void> {
      await coordinator.onComplete(key);
      running.delete(key);
    },
  };
  const task = cron.schedule(
    plan.line,
    async ({ date }) => {
      running.add(`report:${date.toISOString()}`);
      await work(coordinator.context('report')!);
    },
    { name: 'report', distributed: true, runCoordinator, suppressMissedWarning: true },
  );
  return async () => {
    await task.stop();
    shutdown.abort();
    while (running.size > 0) await sleep(10);
    await place.close();
  };
}

async function withNest(): Promise<() => Promise<void>> {
  await import('reflect-metadata');
  const { NestFactory } = await import('@nestjs/core');
  const { ScheduleModule } = await import('@nestjs/schedule');
  const { CaucusModule, LeaderCron } = await import('../../src/adapters/nestjs/index.ts');
  class Reports {
    report(context: OnceContext): Promise<void> {
      return work(context);
    }
  }
  const options = {
    catchUp: 'all' as const,
    maxAttempts: 1000,
    election: plan.election,
    ...(plan.isTransacted ? { transaction: { idleMs: 3000 } } : {}),
  };
  const descriptor = Object.getOwnPropertyDescriptor(Reports.prototype, 'report')!;
  LeaderCron(plan.line, options)(Reports.prototype, 'report', descriptor);
  const root = {
    module: class Root {},
    imports: [await CaucusModule.forRoot({ engine: place }), ScheduleModule.forRoot()],
    providers: [Reports],
  };
  const app = await NestFactory.createApplicationContext(root, { logger: ['error', 'warn'] });
  return async () => {
    await app.close();
    await place.close();
  };
}

// Each loads only what it needs, so that it starts soon.
const close = plan.driver === 'node-cron' ? await withNodeCron() : await withNest();
process.once('SIGTERM', () => void close().then(() => process.exit(0)));
