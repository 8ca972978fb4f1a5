import type { Json, MemberId } from '../core/index.ts';
import { catalogue } from '../protocols/index.ts';
import { type LinkQuality, readScenario, type Scenario } from '../simulation/index.ts';
import type { TestProcess } from './test-process.ts';

export interface TestClusterOptions {
  /** How many members, or their ids (default: 3). */
  readonly members?: number | readonly MemberId[];
  /** Default: `quorum`. */
  readonly protocol?: string;
  readonly timing?: Readonly<Record<string, Json>>;
  readonly options?: Readonly<Record<string, Json>>;
  /** The quality of the network: `{ latencyMs: [1, 20], loss: 0.1 }`. */
  readonly network?: Partial<LinkQuality>;
  /** The same seed gives the same history (default: 1). */
  readonly seed?: number;
  /** The election's name (default: `test`). */
  readonly election?: string;
  readonly drainMs?: number;
  readonly answerMs?: number;
  /** The program under test. It is started in every process: once for each member, and again after each restart. */
  readonly run?: (process: TestProcess) => unknown;
}

/** Throws BadInput that names the invalid option. */
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
  // A program that only observes must not become leader, so all members start with priority 0.
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
