import type { MemberId } from './ids.ts';
import type { Json } from './json.ts';
import type { Message } from './protocol.ts';

/** Times that an operator sets while a cluster runs, by name, with what the protocol needs to derive the others. */
export type SetTimes = { readonly [name: string]: Json };

/** The commands of a member's user. A protocol that cannot carry one out answers `refused`. */
export type Command =
  | { readonly type: 'campaign' }
  | { readonly type: 'resign' }
  /** The priority of this member as a candidate; with 0 it never leads. */
  | { readonly type: 'priority'; readonly priority: number }
  | { readonly type: 'transfer'; readonly to: MemberId }
  /** `paused`: whether members are to let leaders be, which their hosts obey; the value then stays as it is. Omitted: as before. */
  | { readonly type: 'publish'; readonly value: Json; readonly paused?: boolean }
  /** The times that all members are to use from now on: as `Retiming.change` makes them. */
  | { readonly type: 'reconfigure'; readonly timing: SetTimes }
  /** `url`: where the member is reached, if the others are not configured with it. */
  | { readonly type: 'add'; readonly member: MemberId; readonly url?: string }
  /** `force`: also if too few of the members that would be left answer now. */
  | { readonly type: 'remove'; readonly member: MemberId; readonly force?: boolean };

/**
 * Why a leadership ends: a word for programs and a sentence for people. Histories show it; no decision depends on it.
 */
export interface Reason {
  readonly cause: string;
  readonly detail: string;
}

/** Everything that can happen to a protocol. Inputs are plain data, so a recorded list of them can be replayed. */
export type Input<M extends Message = Message, T extends string = string> =
  /**
   * The process starts. `saved` is the last durable record, or null on an empty disk. `incarnation` is new at every
   * start of this id, also after amnesia: it distinguishes this life's messages from those of an earlier one. `life`
   * names this process: no other process of this id, on this disk, a copy of it or another, ever has the same.
   * `spent` is given if nothing is ever saved, or may have been lost: earlier processes may have used terms up to this
   * one.
   */
  | {
      readonly type: 'start';
      readonly saved: Json;
      readonly incarnation: number;
      readonly life: string;
      readonly spent?: number;
    }
  | { readonly type: 'message'; readonly from: MemberId; readonly message: M }
  | { readonly type: 'timer'; readonly timer: T }
  /** The answer to a `draw` effect: an unsigned 64-bit integer in decimal, since a number would lose bits. */
  | { readonly type: 'drawn'; readonly draw: string; readonly value: string }
  /** `id` names the command in its `answer`. A leader that resigns passes `why` on to the others. */
  | { readonly type: 'command'; readonly id: number; readonly command: Command; readonly why?: Reason }
  /**
   * The host believes that a process of the peer is gone. With `proof` it is certain, but only of the process that
   * `life` names: another process may run under the same id. `witness`: the process that reported it, if the host has not
   * seen it itself.
   */
  | {
      readonly type: 'peer-gone';
      readonly peer: MemberId;
      readonly proof: boolean;
      readonly life: string | null;
      readonly witness?: MemberId;
    }
  | { readonly type: 'peer-back'; readonly peer: MemberId }
  /**
   * The addresses at which other members may be, as the host has found them: all of them, in place of the earlier ones.
   * `own`: where the others reach this member.
   */
  | { readonly type: 'seeds'; readonly own: string; readonly addresses: readonly string[] };
