import type { MemberId } from '../../../src/core/index.ts';

/** The selection: the same on the stage, in the diagram, in the log and in the inspector. */
export type Selection =
  | { readonly kind: 'member'; readonly id: MemberId }
  | { readonly kind: 'link'; readonly from: MemberId; readonly to: MemberId }
  /** By its index in `history.flights.all`: messages that were never sent have no number. */
  | { readonly kind: 'flight'; readonly index: number }
  | { readonly kind: 'entry'; readonly index: number };
