import {
  durationMs,
  listOf,
  type MemberId,
  memberId,
  nullable,
  rangeMs,
  type Setting,
  setting,
} from '../../core/index.ts';
import { passingOptions, passingTiming } from '../pass-on.ts';

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
