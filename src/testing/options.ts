import type { Json, MemberId } from '../core/index.ts';
import { catalogue } from '../protocols/index.ts';
import { type LinkQuality, readScenario, type Scenario } from '../simulation/index.ts';
import type { TestProcess } from './test-process.ts';

export interface TestClusterOptions {
  /** How many, or their ids: 3 unless said otherwise. */
  readonly members?: number | readonly MemberId[];
  /** `quorum` unless said otherwise. */
  readonly protocol?: string;
  readonly timing?: Readonly<Record<string, Json>>;
  readonly options?: Readonly<Record<string, Json>>;
  /** How good the network is: `{ latencyMs: [1, 20], loss: 0.1 }`. */
  readonly network?: Partial<LinkQuality>;
  /** The same seed gives the same history: 1 unless said otherwise. */
  readonly seed?: number;
  /** The election's name: `test` unless said otherwise. */
  readonly election?: string;
  readonly drainMs?: number;
  readonly answerMs?: number;
  /** The program under test. It is started in every process: once for each member, and again after each restart. */
  readonly run?: (process: TestProcess) => unknown;
}

/** Throws BadInput that names what is wrong. */
export function scenarioFor({
  members = 3,
  protocol = 'quorum',
  timing,
  options,
  network,
  seed,
}: TestClusterOptions): Scenario {
  const definition = catalogue[protocol];
  const ids = typeof members === 'number' ? Array.from({ length: members }, (_, i) => i + 1) : members;
  // Nobody who only observes should be made the leader, so all begin without wanting to.
  const begin = definition?.memberSettings?.priority === undefined ? {} : { priority: 0 };
  return readScenario(
    {
      protocol,
      members: ids.map((id) => ({ id, ...begin })),
      disk: { isNew: true },
      ...(timing === undefined ? {} : { timing }),
      ...(options === undefined ? {} : { options }),
      ...(network === undefined ? {} : { network }),
      ...(seed === undefined ? {} : { seed }),
    },
    catalogue,
  );
}
