import type { Cause, Json } from '../core/index.ts';
import { frozen } from './frozen-json.ts';
import type { Seat } from './seat.ts';

/** The state of an election, for observers. */
export interface Observation {
  /** Null if there is no leader, as far as we know. */
  readonly leader: string | null;
  /** False until the store of the election has answered for the first time. Until then `leader` says nothing. */
  readonly isKnown: boolean;
  readonly token: bigint | null;
  /** Do we lead, as far as we last heard? To decide whether to act, ask the `Leadership`. */
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

/** A seat also notifies of renewals, which observers do not see. */
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
