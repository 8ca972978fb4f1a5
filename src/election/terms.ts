import { type Cancellable, onceAborted } from './aborts.ts';
import type { Candidacy } from './candidacy.ts';
import type { Leadership } from './leadership.ts';

/**
 * Each leadership that we win, one after the other. Asking for the next one, or leaving the loop, says that the work of the last one has
 * stopped: it is released if it is still held.
 */
export async function* terms(
  candidacy: Candidacy,
  { signal }: Cancellable,
): AsyncGenerator<Leadership, void, undefined> {
  const hasEnded = (): boolean => signal?.aborted === true || candidacy.closed.aborted;
  while (!hasEnded()) {
    const tenure = await candidacy.win(signal).catch((error) => {
      if (hasEnded()) return null;
      throw error;
    });
    if (tenure === null) return;
    const forget = onceAborted([signal], () =>
      candidacy.stepDown(tenure, candidacy.loss('resigned', 'its program ended its candidacy')),
    );
    try {
      yield tenure.leadership;
    } finally {
      forget();
      // If it cannot be released, the lease expires by itself.
      await tenure.leadership.resign().catch(() => {});
    }
  }
}
