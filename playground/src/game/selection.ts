import type { MemberId } from '../../../src/core/index.ts';

/** What is looked at: the same thing on the stage, in the diagram, in the log and in the inspector. */
export type Selection =
  | { readonly kind: 'member'; readonly id: MemberId }
  | { readonly kind: 'link'; readonly from: MemberId; readonly to: MemberId }
  /** By its place in `history.flights.all`: messages that never set out have no number of their own. */
  | { readonly kind: 'flight'; readonly index: number }
  | { readonly kind: 'entry'; readonly index: number };
