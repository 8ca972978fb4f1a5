import { asObject, type MemberId } from '../core/index.ts';
import { type Identity, isSameProcess, named, sharedId } from './identity.ts';

/** Why a connection or a frame was refused; each kind is counted. */
export type LinkRefusal =
  | 'not-json'
  | 'too-large'
  | 'bad-shape'
  | 'unknown-member'
  | 'other-cluster'
  | 'other-rules'
  | 'same-id'
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

const LONGEST_RULES_SHOWN = 256;

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
  if (own.rules !== undefined && other.rules !== undefined && own.rules !== other.rules) {
    const reason = `${named(other)} has other settings than ${named(own)}: ${differences([other.id, other.rules], [own.id, own.rules])}; give all members the same protocol, timing and options`;
    return { kind: 'other-rules', reason };
  }
  return null;
}

/** The process that opened the connection is not a configured peer. */
export function unknownMember(own: Identity, other: Identity): Refused {
  return {
    kind: 'unknown-member',
    reason: `${named(other)} is not among the peers that ${named(own)} is configured with`,
  };
}

/** This side opened the connection, and another member answers at that URL. */
export function otherMember(expected: MemberId, other: Identity): Refused {
  const reason = `what answers at its URL should be member ${expected}, but is ${named(other)}`;
  return { kind: 'unknown-member', reason };
}

type Rules = readonly [id: MemberId, rules: string];

/**
 * The settings in which two members differ, as far as they can be parsed. Both members log this sentence, so it names
 * them.
 */
function differences(theirs: Rules, ours: Rules): string {
  const members = [theirs, ours].map(([id, rules]) => ({ id, settings: new Map(settingsOf(rules)) }));
  const names = new Set(members.flatMap(({ settings }) => [...settings.keys()]));
  return [...names]
    .map((name) => ({ name, values: members.map(({ settings }) => settings.get(name) ?? 'an unknown one') }))
    .filter(({ values: [there, here] }) => there !== here)
    .map(
      ({ name, values }) =>
        `${name}: ${values.map((value, i) => `${members[i]!.id} has ${value}`).join(', ')}`,
    )
    .join('; ');
}

function settingsOf(rules: string): [name: string, value: string][] {
  try {
    const { protocol, timing, options } = asObject(JSON.parse(rules), 'rules');
    return Object.entries({ protocol, ...(timing as object), ...(options as object) }).map(
      ([name, value]) => [name, value === null ? 'the default' : JSON.stringify(value)],
    );
  } catch {
    return [['rules', rules.slice(0, LONGEST_RULES_SHOWN)]];
  }
}
