import type { TraceLine } from '../core/index.ts';
import type { Happening } from './surroundings.ts';

export interface WorldOptions {
  /** Gets every line of the trace as it happens. */
  readonly trace?: (line: TraceLine) => void;
  /** Gets what is about to happen: each message that leaves, with its number (`seq`), and each timer that is set. */
  readonly scheduled?: (happening: Happening) => void;
  /** Freezes what a protocol is given and what leaves it, so that changing it later throws. For tests: it costs time. */
  readonly freeze?: boolean;
  /**
   * `moments` hashes when each step happened, and not its content: for a swarm, whose hashes distinguish runs but are
   * not used to replay them. Hashing every field takes a quarter of the time of a run.
   */
  readonly hash?: 'everything' | 'moments';
  /** Only the events of the scenario happen, and none is added while it runs. */
  readonly isClosed?: boolean;
  /** The world throws if the members process more inputs than this: they would never end. */
  readonly mostSteps?: number;
}
