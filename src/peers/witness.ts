/**
 * Proof of death from another host. A witness is a process that sees the processes of its own host: another member there, or
 * `caucus witness`. It reports that the process of one life is gone, and a member that trusts it takes the report for proof.
 *
 * A report is about one process, and names it in full: the id, the life, and where it ran. It counts only if this is what the
 * process itself said in its greeting, and the witness runs on that host by its own greeting. So a witness attests for
 * its own host alone, and a report that is late, replayed or about another process of the id has no effect.
 */
import type { MemberId } from '../core/index.ts';
import type { ProcessIdentity } from './identity.ts';

/** Named in the greeting of a member that takes reports. Members send none to one that does not name it: an earlier release would refuse the frame. */
export const TAKES_REPORTS = 'witness';

/** The witnesses that a member trusts: all that authenticate themselves, or these. */
export type TrustedWitnesses = boolean | readonly MemberId[];

/** One boot of one host, and the namespaces in which its pids and start times are valid. */
export type HostIdentity = Pick<ProcessIdentity, 'bootId' | 'pidNamespace'>;

/** This process of this member can never run again. */
export interface DeathReport {
  readonly id: MemberId;
  readonly life: string;
  readonly process: ProcessIdentity;
}

/** The sender of a report, as it authenticated itself. */
export interface Witness {
  readonly id: MemberId;
  /** Where it runs, by its greeting or registration; null if its system does not tell. */
  readonly host: HostIdentity | null;
  /** It is a member, which reports over its own connection. */
  readonly isMember: boolean;
}

/** Why a report has no effect. */
export type Disbelief =
  /** The configuration does not name this witness. */
  | 'not-trusted'
  /** It is about the member that receives it. */
  | 'own-life'
  /** A process that reports its own death lives. */
  | 'of-itself'
  /** The process that it names ran on another host than the witness. */
  | 'other-host'
  /** No process greeted with this life. */
  | 'unknown-life'
  /** The process that greeted with this life runs elsewhere, or has another pid. */
  | 'other-process'
  /** Several processes used this life, or messages under its id came by POST. */
  | 'doubtful-life'
  /** Another process of the member has connected since. */
  | 'earlier-life'
  /** It was reported before. */
  | 'known';

/** What can be said against a report before its life is looked up; null if nothing can. */
export function disbelief(
  own: MemberId,
  trusted: TrustedWitnesses,
  witness: Witness,
  report: DeathReport,
): Disbelief | null {
  if (trusted === false || (trusted !== true && !trusted.includes(witness.id))) return 'not-trusted';
  if (report.id === own) return 'own-life';
  if (witness.isMember && report.id === witness.id) return 'of-itself';
  return witness.host === null || !isSameHost(witness.host, report.process) ? 'other-host' : null;
}

export function isSameHost(one: HostIdentity, other: HostIdentity): boolean {
  return one.bootId === other.bootId && one.pidNamespace === other.pidNamespace;
}

export function disbeliefWords(why: Disbelief): string {
  return WORDS[why];
}

const WORDS: Readonly<Record<Disbelief, string>> = {
  'not-trusted': 'this member does not trust that witness (trustWitnesses, --trust-witness)',
  'own-life': 'it is about this member itself, which lives',
  'of-itself': 'a process that reports its own death lives',
  'other-host': 'a witness attests only for processes of its own host',
  'unknown-life': 'no process with that life was ever connected',
  'other-process': 'the process with that life said that it runs elsewhere',
  'doubtful-life': 'it is not certain that one process alone had that life',
  'earlier-life': 'another process of that member has connected since',
  known: 'it was reported before',
};
