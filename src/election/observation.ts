import type { Cause, Json } from '../core/index.ts';
import { frozen } from './frozen-json.ts';
import type { Seat } from './seat.ts';

/** How an election stands, for those who watch it. */
export interface Observation {
  /** Null when nobody leads, as far as is known here. */
  readonly leader: string | null;
  /** False until the store of the election has answered for the first time: then `leader` says nothing yet. */
  readonly isKnown: boolean;
  readonly token: bigint | null;
  /** Do we hold it ourselves? By what was last heard: to act, ask the `Leadership`. */
  readonly isSelf: boolean;
  readonly value: Json;
  readonly version: number;
  readonly cause: Cause;
  readonly detail: string;
}

export function observationOf({ standing }: Seat): Observation {
  const { leader, isKnown = true, token, held, value, version, cause, detail } = standing;
  return { leader, isKnown, token, isSelf: held !== null, value: frozen(value), version, cause, detail };
}

/** A seat also tells of renewals, which are no news. */
export function sameObservation(a: Observation, b: Observation): boolean {
  return (
    a.leader === b.leader &&
    a.isKnown === b.isKnown &&
    a.token === b.token &&
    a.isSelf === b.isSelf &&
    a.version === b.version &&
    a.cause === b.cause &&
    a.detail === b.detail
  );
}
