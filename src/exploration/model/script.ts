import type { Command, MemberId } from '../../core/index.ts';

/**
 * What happens, in this order and no other, before everything is tried. A script leads a cluster to where it gets
 * interesting: five members are too many to try every order of events from their start on. It names no contents of
 * messages, so the same script can be given to another version of a protocol.
 */
export type Script = readonly Direction[];

export type Direction =
  | { readonly do: 'crash'; readonly member: MemberId }
  | { readonly do: 'restart'; readonly member: MemberId; readonly amnesia?: boolean }
  /** A timer that runs comes due. */
  | { readonly do: 'fire'; readonly member: MemberId; readonly timer: string }
  | { readonly do: 'ask'; readonly member: MemberId; readonly command: Command }
  /**
   * What these members have sent each other arrives, and what they answer, in the order of sending, until none of it
   * is left. With `types`, only messages of these types.
   */
  | { readonly do: 'talk'; readonly among: readonly MemberId[]; readonly types?: readonly string[] }
  /** What is under way, also what could arrive a second time, is lost; with ends, only on that way. */
  | { readonly do: 'lose'; readonly from?: MemberId; readonly to?: MemberId };
