import { durationMs, flag, integer, rangeMs, type Setting, setting } from '../../core/index.ts';

export const timing: {
  readonly heartbeatMs: Setting<number>;
  readonly timeoutMs: Setting<readonly [number, number]>;
} = {
  heartbeatMs: setting(durationMs, 1000, 'every voter sends a heartbeat to every other this often'),
  timeoutMs: setting(
    rangeMs,
    [250, 500],
    'how long to wait for an answer or a vote, which takes a round trip and a save to disk; drawn anew each time',
  ),
};

export const options: {
  readonly missedHeartbeatTolerance: Setting<number>;
  readonly quorum: Setting<boolean>;
} = {
  missedHeartbeatTolerance: setting(
    integer(1, 1000),
    3,
    'missed heartbeats allowed before a voter counts as offline; also how often a vote is asked for again',
  ),
  quorum: setting(flag, false, 'certify a leader only with a majority of the configured voters'),
};
