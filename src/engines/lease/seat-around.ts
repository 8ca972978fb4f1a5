import type { Clock, SleepWatch } from '../../election/index.ts';
import type { LeaseTimes } from './settings.ts';

/** What a seat needs besides its store. */
export interface SeatAround {
  readonly times: LeaseTimes;
  readonly clock: Clock;
  readonly sleep: SleepWatch;
  /** From 0 to 1: separates participants that wait for the same moment. */
  readonly random: () => number;
  /** Each election renews with a request of its own, and those of many elections are spread over time. */
  readonly spreadsRenewals: boolean;
  /** The store's name for people: "etcd". */
  readonly storeName: string;
  /** Called once nothing of this seat is left. */
  readonly onClosed: () => void;
}
