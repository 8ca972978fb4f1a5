/**
 * A module, not a program: job-failover.ts runs it. It is a service of which several replicas run. The leader does a job once a minute; each write carries the leader's token, so that
 * the store can refuse one that comes too late.
 */
import type { Election } from 'caucus';

export interface JobStore {
  /** Throws if a newer token was seen. */
  write(token: bigint, minute: number, by: string): void;
}

/** The clock, so that a test can pass its own. */
export interface Timer {
  now(): number;
  sleep(ms: number, options: { signal: AbortSignal }): Promise<void>;
}

const MINUTE_MS = 60_000;

export async function jobService(
  election: Election,
  store: JobStore,
  { now, sleep }: Timer,
  shutdown: AbortSignal,
): Promise<void> {
  await election.lead(
    async ({ token, signal, assert }) => {
      for (;;) {
        await sleep(MINUTE_MS - (now() % MINUTE_MS), { signal });
        const minute = Math.floor(now() / MINUTE_MS);
        await sleep(200, { signal }); // The job itself.
        assert();
        store.write(token, minute, election.self);
      }
    },
    { signal: shutdown },
  );
}
