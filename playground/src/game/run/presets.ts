import type { Json } from '../../../../src/core/index.ts';
import type { Run } from './run.ts';

type Table = Readonly<Record<string, Json>>;

/** Slow enough to watch: messages take long enough to be seen, and every wait is longer than they take. */
const NETWORK: Table = { latencyMs: [100, 350] };
const TIMING: Readonly<Record<string, Table>> = {
  bully: { heartbeatMs: 2000, maxTransmissionMs: 400, maxProcessingMs: 50 },
  'chang-roberts': {
    heartbeatMs: 2000,
    timeoutMs: [5000, 8000],
    maxTransmissionMs: 400,
    maxProcessingMs: 50,
  },
  draw: { heartbeatMs: 2000, timeoutMs: [1000, 2000] },
  epoch: { heartbeatMs: 1000, timeoutMs: [1500, 3000] },
  quorum: { timeoutMs: [3000, 4500] },
  ring: { heartbeatMs: 2000, timeoutMs: [1000, 3000], maxTransmissionMs: 400, maxProcessingMs: 50 },
};

/** Many candidates need more room between them, or they split the votes for ever. */
function withRoom(timing: Table, members: number): Table {
  const { timeoutMs } = timing;
  if (members <= 9 || !Array.isArray(timeoutMs)) return timing;
  return { ...timing, timeoutMs: [timeoutMs[0]!, (timeoutMs[1] as number) + 150 * members] };
}

/** A new run of this protocol, at a pace for people. */
export function newRun(protocol: string, members: number, seed: number): Run {
  const timing = withRoom(TIMING[protocol] ?? {}, members);
  return { protocol, members, timing, network: NETWORK, seed, untilMs: 1, events: [] };
}
