import type { Json } from '../../../../src/core/index.ts';
import { explained } from '../../../../src/protocols/explained.ts';
import type { Run } from './run.ts';

type Table = Readonly<Record<string, Json>>;

/** Slow enough to watch: messages are visible in flight. The pace of each protocol matches it. */
const NETWORK: Table = { latencyMs: [100, 350] };

/** Many candidates need longer timeouts, or they split the votes for ever. */
function withRoom(timing: Table, members: number): Table {
  const { timeoutMs } = timing;
  if (members <= 9 || !Array.isArray(timeoutMs)) return timing;
  return { ...timing, timeoutMs: [timeoutMs[0]!, (timeoutMs[1] as number) + 150 * members] };
}

/** A new run of this protocol, at a pace for people. */
export function newRun(protocol: string, members: number, seed: number): Run {
  const timing = withRoom(explained[protocol]?.pace ?? {}, members);
  return { protocol, members, timing, network: NETWORK, seed, untilMs: 1, events: [] };
}
