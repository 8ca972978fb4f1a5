import type { MemberId, RestRequest } from '../core/index.ts';
import type { Rest } from '../host/index.ts';

/** What support needs of an election: `Resting` of `src/host`. */
export interface RestingHost {
  /** The timer that bounds a lease; undefined if it does not run. */
  timer(
    name: string,
  ): { readonly endsAtMs: number; readonly lengthMs: number; readonly sleeps: number } | undefined;
  accepts(request: RestRequest): boolean;
  /** From now on the election has no timers, until it wakes. */
  begin(rest: Rest): void;
  carried(round: number, answeredBy: (voter: MemberId) => number): number;
  /** Ends the rest, by `Rest.end`. */
  wake(): void;
}
