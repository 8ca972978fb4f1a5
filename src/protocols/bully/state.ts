import { type Effect, type Json, type MemberId, outranks, type Self } from '../../core/index.ts';
import type { Message, Request } from './messages.ts';
import type { Rules } from './settings.ts';

/** `check`: check the leader. `again`: the last attempt gave no leader. Then one for each request in flight. */
export type Timer = 'check' | 'again' | 'commit' | 'publish' | `${Request['type']} ${MemberId}`;

/**
 * doubting: asks whether the leader is gone (quorum). electing: asks the members that outrank it. awaiting: one of
 * them answered `ok` and should soon lead. proposing: asks all members to acknowledge it (quorum). idle: none of
 * these.
 */
export type Phase = 'idle' | 'doubting' | 'electing' | 'awaiting' | 'proposing';

/** A value that the leader sent and that waits for its commit. */
export interface Held {
  /** Its sender, and the epoch that it led: two leaders may have chosen the same version. */
  readonly by: MemberId;
  readonly epoch: number;
  readonly version: number;
  readonly value: Json;
}

export interface Publishing {
  /** The command that is still to be answered; null once it has been. */
  command: number | null;
  phase: 'send' | 'commit';
  version: number;
  /** The members that hold it, and those that have applied it; both sorted and with the leader. */
  holders: MemberId[];
  applied: MemberId[];
}

export interface State {
  readonly id: MemberId;
  readonly others: readonly MemberId[];
  role: 'candidate' | 'follower' | 'leader';
  leader: MemberId | null;
  phase: Phase;
  /** It resigned, or found no majority, and lets the others elect among themselves. */
  aside: boolean;
  /** How often the present check was retried. */
  missed: number;
  /** The members that the leader's present check has reached; sorted. */
  reached: MemberId[];
  /** Requests in flight, and those that wait for a free slot. */
  flying: { readonly type: Request['type']; readonly to: MemberId }[];
  queue: { readonly to: MemberId; readonly message: Request }[];

  /** Saved together, with what was published, before anything that depends on them is sent. */
  epoch: number;
  acknowledged: MemberId | null;
  /** The members that agree that there is no leader, itself included; and whether any disagreed. */
  gone: MemberId[];
  vouched: boolean;
  /** The members that wait for our answer whether the leader is gone. */
  askers: MemberId[];
  /**
   * The members that acknowledged this member, itself included, since it asked in this epoch; empty if it did not
   * ask, or leads.
   */
  acks: MemberId[];

  held: Held | null;
  /** The newest state that was committed. */
  version: number;
  value: Json;
  publishing: Publishing | null;
}

export type Out = Effect<Message, Timer>[];

export function init({ id, members }: Self): State {
  return {
    id,
    others: members.filter((member) => member !== id),
    role: 'candidate',
    leader: null,
    phase: 'idle',
    aside: false,
    missed: 0,
    reached: [],
    flying: [],
    queue: [],
    epoch: 0,
    acknowledged: null,
    gone: [],
    vouched: false,
    askers: [],
    acks: [],
    held: null,
    version: 0,
    value: null,
    publishing: null,
  };
}

type Saved = Pick<State, 'epoch' | 'acknowledged' | 'held' | 'version' | 'value'>;

export function restore(s: State, saved: Json): void {
  if (saved === null) return;
  const { epoch, acknowledged, held, version, value } = saved as unknown as Saved;
  Object.assign(s, { epoch, acknowledged, held, version, value } satisfies Saved);
}

export function save(s: State, out: Out): void {
  const { epoch, acknowledged, held, version, value } = s;
  out.push({ type: 'save', record: { epoch, acknowledged, held: held as Json, version, value } });
}

export function report(s: State, rules: Rules, out: Out): void {
  const { role, leader, version, value } = s;
  const term = rules.quorum ? s.epoch : null;
  out.push({ type: 'report', view: { role, leader, term, lease: null, version, value } });
}

export function send(to: MemberId, message: Message, out: Out): void {
  out.push({ type: 'send', to, message });
}

/** Those that would win against this member. */
export function superiors(s: State, rules: Rules): MemberId[] {
  return s.others.filter((other) => outranks(other, s.id, rules.prefer));
}
