import { Election, type Leadership } from '../src/election/index.ts';
import { openEngine } from '../src/engines/open.ts';
import type { Contender } from './contenders.ts';

/** A candidate on a store, with Caucus. */
export async function ours(url: string, name: string, leaseMs: number): Promise<Contender> {
  const engine = await openEngine(url, { leaseMs });
  const election = new Election(name, engine, { drainMs: 0 });
  let leadership: Leadership | null = null;
  const over = new AbortController();
  return {
    async lead() {
      try {
        leadership = await election.campaign({ signal: over.signal });
        return true;
      } catch (error) {
        if (!over.signal.aborted) throw error;
        return false;
      }
    },
    release: async () => leadership!.resign(),
    async close() {
      over.abort();
      await election.close().catch(() => {});
      await engine.close();
    },
  };
}
