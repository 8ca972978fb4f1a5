import { expect } from 'vitest';
import { type Leadership, LeadershipLost } from '../../src/election/index.ts';
import { aborted } from '../../src/engines/conformance/stage.ts';

/** Waits until it is lost, and tells why it was. */
export async function lossOf({ signal }: Leadership): Promise<LeadershipLost> {
  await aborted(signal);
  expect(signal.reason).toBeInstanceOf(LeadershipLost);
  return signal.reason as LeadershipLost;
}
