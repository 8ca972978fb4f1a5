import {
  type Config,
  choice,
  durationMs,
  flag,
  integer,
  type MemberId,
  majority,
  nullable,
  type Objection,
  type Preference,
  rangeMs,
  type Setting,
  setting,
} from '../../core/index.ts';

type Timing = {
  readonly heartbeatMs: Setting<number>;
  readonly maxTransmissionMs: Setting<number>;
  readonly maxProcessingMs: Setting<number>;
  readonly timeoutMs: Setting<readonly [number, number]>;
  readonly commitTimeoutMs: Setting<number>;
  readonly publishTimeoutMs: Setting<number>;
};

export const timing: Timing = {
  heartbeatMs: setting(durationMs, 1000, 'how often each member checks the leader'),
  maxTransmissionMs: setting(
    durationMs,
    20,
    't_max, the longest a message travels; T = 2 · t_max + t_process is the wait for an answer',
  ),
  maxProcessingMs: setting(durationMs, 10, 't_process, the longest a member takes over a message'),
  timeoutMs: setting(
    rangeMs,
    [500, 1000],
    'with quorum: the random wait before an election that came to nothing is tried again',
  ),
  commitTimeoutMs: setting(
    durationMs,
    1000,
    'a publication that too few acknowledge within this time is given up',
  ),
  publishTimeoutMs: setting(
    durationMs,
    1000,
    'how long to wait for all to apply a commit before publishing again',
  ),
};

type Options = {
  readonly prefer: Setting<Preference>;
  readonly quorum: Setting<boolean>;
  readonly missedHeartbeatTolerance: Setting<number>;
  readonly minimumMasterNodes: Setting<number | null>;
  readonly maxInFlight: Setting<number>;
};

export const options: Options = {
  prefer: setting(choice('highest', 'lowest'), 'highest', 'which id wins'),
  quorum: setting(
    flag,
    false,
    'a majority confirms that the leader is gone and stands behind the next; epochs, demotion, limited sends',
  ),
  missedHeartbeatTolerance: setting(
    integer(0, 1000),
    1,
    'a check without an answer is repeated this many times before it counts',
  ),
  minimumMasterNodes: setting(
    nullable(integer(1, 1000)),
    null,
    'how many must hold a publication before it is committed, the leader included; null: a majority',
  ),
  maxInFlight: setting(
    integer(1, 1_000_000),
    8,
    'with quorum: how many messages of one member may be unanswered at once',
  ),
};

/** The settings as the algorithm uses them. */
export interface Rules {
  readonly prefer: Preference;
  readonly quorum: boolean;
  readonly heartbeatMs: number;
  /** "T: time to detect fallen processes, calculated as 2 * t_max + t_proceso" (seed 001) */
  readonly waitMs: number;
  readonly retryMs: readonly [number, number];
  readonly tolerance: number;
  readonly maxInFlight: number;
  readonly commitTimeoutMs: number;
  readonly publishTimeoutMs: number;
  /** How many of this many members must hold and apply a publication. */
  enough(members: number): number;
}

export function rulesOf(config: Config<Timing, Options>): Rules {
  const { heartbeatMs, maxTransmissionMs, maxProcessingMs, timeoutMs, ...times } = config.timing;
  const { prefer, quorum, missedHeartbeatTolerance, minimumMasterNodes, maxInFlight } = config.options;
  return {
    prefer,
    quorum,
    heartbeatMs,
    waitMs: 2 * maxTransmissionMs + maxProcessingMs,
    retryMs: timeoutMs,
    tolerance: missedHeartbeatTolerance,
    // "every member keeps up its exchange with all the others": plain bully knows no limit.
    maxInFlight: quorum ? maxInFlight : Number.POSITIVE_INFINITY,
    ...times,
    enough: (members) => minimumMasterNodes ?? majority(members),
  };
}

/** There can never be more acknowledgements than members. */
export function checkMinimum(
  { options: { minimumMasterNodes } }: Config<typeof timing, typeof options>,
  members: readonly MemberId[],
): Objection | null {
  if (minimumMasterNodes === null || minimumMasterNodes <= members.length) return null;
  const reason = `${minimumMasterNodes} with ${members.length} members, so that nothing could ever be published`;
  return { path: 'options.minimumMasterNodes', reason };
}
