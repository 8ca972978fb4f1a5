import type { Command, MemberId } from '../../core/index.ts';

/**
 * What happens, in this order, before everything is explored. A script leads a cluster to where it gets interesting:
 * five members are too many to explore every order of events from their start. It names no contents of messages, so
 * the same script works for another version of a protocol.
 */
export type Script = readonly Direction[];

export type Direction =
  | { readonly do: 'crash'; readonly member: MemberId }
  | { readonly do: 'restart'; readonly member: MemberId; readonly amnesia?: boolean }
  /** A timer that runs comes due. */
  | { readonly do: 'fire'; readonly member: MemberId; readonly timer: string }
  | { readonly do: 'ask'; readonly member: MemberId; readonly command: Command }
  /**
   * Messages between these members arrive, and their answers, in the order of sending, until none is left. With
   * `types`, only messages of these types.
   */
  | { readonly do: 'talk'; readonly among: readonly MemberId[]; readonly types?: readonly string[] }
  /** Messages in flight, also those that could arrive a second time, are lost; with ends, only in that direction. */
  | { readonly do: 'lose'; readonly from?: MemberId; readonly to?: MemberId };
