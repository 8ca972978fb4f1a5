import {
  type Config,
  durationMs,
  listOf,
  type MemberId,
  memberId,
  nullable,
  type Objection,
  rangeMs,
  type Setting,
  setting,
  show,
} from '../../core/index.ts';
import { type PassingRules, passingOptions, passingRules, passingTiming } from '../pass-on.ts';

export const timing: {
  readonly heartbeatMs: Setting<number>;
  readonly timeoutMs: Setting<readonly [number, number]>;
} & typeof passingTiming = {
  heartbeatMs: setting(durationMs, 1000, 'the leader sends a heartbeat this often'),
  timeoutMs: setting(
    rangeMs,
    [2500, 4000],
    'how long a member waits for a heartbeat, or beyond two laps for a result, before it starts an election',
  ),
  ...passingTiming,
};

export const options: { readonly ring: Setting<readonly MemberId[] | null> } & typeof passingOptions = {
  ring: setting(
    nullable(listOf(memberId, 1000)),
    null,
    'the members in the order of the ring; by default in the order of their ids',
  ),
  ...passingOptions,
};

/** The settings as the algorithm uses them. */
export interface Rules extends PassingRules {
  readonly heartbeatMs: number;
  readonly timeoutMs: readonly [number, number];
  readonly layout: readonly MemberId[] | null;
}

export function rulesOf(config: Config<typeof timing, typeof options>): Rules {
  const { heartbeatMs, timeoutMs } = config.timing;
  const { ring: layout } = config.options;
  return { heartbeatMs, timeoutMs, layout, ...passingRules(config.timing, config.options) };
}

/** A ring that was laid out by hand has each member once. */
export function checkLayout(
  { options: { ring } }: Config<typeof timing, typeof options>,
  members: readonly MemberId[],
): Objection | null {
  if (ring === null || (ring.length === members.length && members.every((id) => ring.includes(id))))
    return null;
  return {
    path: 'options.ring',
    reason: `${show(ring)}, which does not name each of ${members.join(', ')} once`,
  };
}
