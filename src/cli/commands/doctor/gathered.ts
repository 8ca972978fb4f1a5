import type { Diagnosis, Status } from '../../../api/wire/index.ts';
import type { MemberId } from '../../../core/index.ts';
import type { NoAnswerKind } from '../ask/member-client.ts';

/** Why a member did not tell its state. `stopped`: its system accepts connections, but the process does not answer. */
export interface Failure {
  readonly kind: NoAnswerKind | 'stopped';
  readonly words: string;
}

/** How far the wall clock of a member is ahead of ours, and by how much that may be wrong: half a round trip. */
export interface ClockReading {
  readonly aheadMs: number;
  readonly withinMs: number;
}

/** What was found at one URL. */
export interface Place {
  readonly url: string;
  /** The members that are configured with this URL for a member, and for which one. */
  readonly named: readonly { readonly by: MemberId; readonly id: MemberId }[];
  readonly status: Status | null;
  /** Null if it did not answer, or is of a release that does not know the question. */
  readonly diagnosis: Diagnosis | null;
  /** It answered that it does not know the question for a diagnosis. */
  readonly isEarlier: boolean;
  readonly failure: Failure | null;
  readonly clock: ClockReading | null;
}

/** A place where a member answered. */
export interface Answering extends Place {
  readonly status: Status;
}

export interface Gathered {
  readonly nowMs: number;
  readonly places: readonly Place[];
}

export function answering({ places }: Gathered): readonly Answering[] {
  return places.filter((place): place is Answering => place.status !== null);
}

/** The members that told their state in detail. */
export function diagnosed(gathered: Gathered): readonly (Answering & { readonly diagnosis: Diagnosis })[] {
  return answering(gathered).filter(
    (place): place is Answering & { readonly diagnosis: Diagnosis } => place.diagnosis !== null,
  );
}

/** What a place is called: the member that answered, or should be there. */
export function nameOf({ url, named, status }: Place): string {
  if (status !== null) return `member ${status.voterId}`;
  const ids = [...new Set(named.map(({ id }) => String(id)))];
  return ids.length === 0 ? url : `member ${ids.join(' or ')}`;
}

export function listed(words: readonly (string | number)[]): string {
  if (words.length <= 1) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
