import { asObject, type ClusterRecovery, type MemberId, recoveryWords } from '../core/index.ts';
import { type Identity, isSameProcess, named, sharedId } from './identity.ts';

/** Why a connection or a frame was refused; each kind is counted. */
export type LinkRefusal =
  | 'not-json'
  | 'too-large'
  | 'bad-shape'
  | 'unknown-member'
  | 'other-cluster'
  | 'other-rules'
  /** It speaks no version of the messages between members that this one understands. */
  | 'other-version'
  | 'same-id'
  /** It was a member, and was removed. */
  | 'removed'
  /** It belongs to the cluster as it was before the recovery of this one. */
  | 'before-recovery'
  /** It belongs to a cluster that was recovered, and this one does not; or to one that was recovered elsewhere. */
  | 'other-recovery'
  /** It has not proven which member it is, where that is asked for. */
  | 'unauthenticated'
  /** It knows none of the secrets that are valid here. */
  | 'wrong-secret'
  /** A frame after the proof that the other side did not send, or not now. */
  | 'bad-seal';

export interface Refused {
  readonly kind: LinkRefusal;
  readonly reason: string;
}

const LONGEST_VALUE_SHOWN = 256;

/** Why this process must not be connected with us, whichever side opened the connection; or null. */
export function objection(own: Identity, other: Identity): Refused | null {
  if (other.cluster !== own.cluster) {
    const reason = `${named(other)} belongs to the cluster "${other.cluster}", ${named(own)} to "${own.cluster}"`;
    return { kind: 'other-cluster', reason };
  }
  if (other.id === own.id) {
    const reason = isSameProcess(own, other)
      ? `the URL of a peer leads back to member ${own.id} itself (${own.url})`
      : sharedId(own, other);
    return { kind: 'same-id', reason };
  }
  const recovered = aboutRecovery(own, other);
  if (recovered !== null) return recovered;
  if (own.rules !== undefined && other.rules !== undefined && !agree(own.rules, other.rules)) {
    const reason = `${named(other)} has other settings than ${named(own)}: ${differences([other.id, other.rules], [own.id, own.rules])}; give all members the same protocol, timing and options`;
    return { kind: 'other-rules', reason };
  }
  return null;
}

/**
 * Members of different recoveries never exchange a message: the terms of the one cluster must not reach the other, whose
 * tokens would then no longer be smaller. A member without a seat may join any cluster, and then belongs to its recovery.
 */
function aboutRecovery(own: Identity, other: Identity): Refused | null {
  const [ours, theirs] = [own.recovery, other.recovery];
  if (ours?.id === theirs?.id) return null;
  if (theirs === undefined ? other.isBlank : ours === undefined && own.isBlank) return null;
  if (ours !== undefined && isBefore(theirs, ours)) {
    const reason = `${named(other)} belongs to the cluster as it was before ${recoveryWords(ours)}; stop it, empty its data folder, start it again and add it${other.features === undefined ? ' (its release is an earlier one: update it first)' : ''}`;
    return { kind: 'before-recovery', reason };
  }
  if (theirs !== undefined && isBefore(ours, theirs)) {
    const reason = `${named(other)} belongs to the cluster after ${recoveryWords(theirs)}, and ${named(own)} to the one before; stop ${own.id}, empty its data folder, start it again and add it`;
    return { kind: 'other-recovery', reason };
  }
  const reason = `there are two clusters: ${named(other)} belongs to the one after ${recoveryWords(theirs!)}, ${named(own)} to the one after ${recoveryWords(ours!)}; keep one, and empty the data folders of the other`;
  return { kind: 'other-recovery', reason };
}

function isBefore(one: ClusterRecovery | undefined, other: ClusterRecovery): boolean {
  return one === undefined || other.earlier.includes(one.id);
}

/** The process that opened the connection is not a member. */
export function unknownMember(own: Identity, other: Identity): Refused {
  return {
    kind: 'unknown-member',
    reason: `${named(other)} is not a member that ${named(own)} knows; to make it one: caucus member add ${other.id} ${other.url}`,
  };
}

/** This side opened the connection, and another member answers at that URL. */
export function otherMember(expected: MemberId, other: Identity): Refused {
  const reason = `what answers at its URL should be member ${expected}, but is ${named(other)}`;
  return { kind: 'unknown-member', reason };
}

type Rules = readonly [id: MemberId, rules: string];

/**
 * Do both members use the same settings? How they were set does not matter, and their times may differ if both know how
 * to work with others that have other times. An option that an operator has set for the cluster may differ too: the one
 * that was away when it was set learns it from the other.
 */
function agree(one: string, other: string): boolean {
  const areApart =
    listed(one, 'mayDiffer').includes('timing') && listed(other, 'mayDiffer').includes('timing');
  const set = areApart ? [...listed(one, 'set'), ...listed(other, 'set')] : [];
  const part = areApart ? apartFromTiming : used;
  const [here, there] = [one, other].map((rules) =>
    JSON.stringify(part(rules).filter(([name]) => !set.includes(name))),
  );
  return here === there;
}

/** In what the configured times of two members differ, for people; null if they do not. */
export function timingDifference(own: Identity, other: Identity): string | null {
  if (own.rules === undefined || other.rules === undefined) return null;
  const [theirs, ours]: readonly Rules[] = [
    [other.id, other.rules],
    [own.id, own.rules],
  ];
  if (JSON.stringify(used(theirs![1])) === JSON.stringify(used(ours![1]))) return null;
  return differences(theirs!, ours!);
}

/**
 * The settings in which two members differ, as far as they can be parsed: as they were set, or, if they were set alike
 * and mean different things (in two versions, say), as they are used. Both members log this sentence, so it names them.
 */
function differences(theirs: Rules, ours: Rules): string {
  return wordsOf(theirs, ours, given) || wordsOf(theirs, ours, used);
}

type Named = readonly [name: string, value: unknown][];

function wordsOf(theirs: Rules, ours: Rules, read: (rules: string) => Named): string {
  const members = [theirs, ours].map(([id, rules]) => ({ id, settings: new Map(read(rules)) }));
  const names = new Set(members.flatMap(({ settings }) => [...settings.keys()]));
  return [...names]
    .map((name) => ({ name, values: members.map(({ settings }) => valueWords(settings.get(name))) }))
    .filter(({ values: [there, here] }) => there !== here)
    .map(
      ({ name, values }) =>
        `${name}: ${values.map((value, i) => `${members[i]!.id} has ${value}`).join(', ')}`,
    )
    .join('; ');
}

function valueWords(value: unknown): string {
  if (value === undefined) return 'an unknown one';
  return value === null ? 'the default' : JSON.stringify(value).slice(0, LONGEST_VALUE_SHOWN);
}

function given(rules: string): Named {
  return settingsOf(rules, (found) => (found.given === undefined ? found : asObject(found.given, 'given')));
}

function used(rules: string): Named {
  return settingsOf(rules, (found) => found);
}

function apartFromTiming(rules: string): Named {
  return settingsOf(rules, ({ options }) => ({ options }));
}

/** Names that the rules list under this one. */
function listed(rules: string, under: 'mayDiffer' | 'set'): readonly unknown[] {
  try {
    const found = asObject(JSON.parse(rules), 'rules')[under];
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

function settingsOf(rules: string, part: (found: Record<string, unknown>) => Record<string, unknown>): Named {
  try {
    const found = asObject(JSON.parse(rules), 'rules');
    const { timing, options } = part(found);
    const settings = { protocol: found.protocol, ...(timing as object), ...(options as object) };
    return Object.entries(settings).sort(([one], [other]) => (one < other ? -1 : 1));
  } catch {
    return [['rules', rules]];
  }
}
