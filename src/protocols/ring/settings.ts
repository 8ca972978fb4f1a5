import {
  type Config,
  choice,
  durationMs,
  type Preference,
  rangeMs,
  type Setting,
  setting,
} from '../../core/index.ts';
import { type PassingRules, passingOptions, passingRules, passingTiming } from '../pass-on.ts';

export const timing: {
  readonly heartbeatMs: Setting<number>;
  readonly timeoutMs: Setting<readonly [number, number]>;
} & typeof passingTiming = {
  heartbeatMs: setting(durationMs, 1000, 'how long a member keeps the duty before it passes it on'),
  timeoutMs: setting(
    rangeMs,
    [1000, 3000],
    'how long, beyond a lap of the duty, a member waits for it before it makes it again',
  ),
  ...passingTiming,
};

export const options: { readonly prefer: Setting<Preference> } & typeof passingOptions = {
  prefer: setting(choice('lowest', 'highest'), 'lowest', 'which id leads at first, and wins an election'),
  ...passingOptions,
};

/** The settings as the algorithm uses them. */
export interface Rules extends PassingRules {
  readonly prefer: Preference;
  readonly heartbeatMs: number;
  readonly timeoutMs: readonly [number, number];
}

export function rulesOf(config: Config<typeof timing, typeof options>): Rules {
  const { heartbeatMs, timeoutMs } = config.timing;
  const { prefer } = config.options;
  return { prefer, heartbeatMs, timeoutMs, ...passingRules(config.timing, config.options) };
}
