import type { MemberId } from './ids.ts';
import type { Json } from './json.ts';
import type { Message } from './protocol.ts';
import type { View } from './view.ts';

/** Milliseconds on the member's own monotonic clock, or a range from which the host draws each time. */
export type Delay = number | readonly [minMs: number, maxMs: number];

/** The result of a command. A failure says whether the command certainly had no effect. */
export type Outcome =
  | { readonly status: 'done' }
  | { readonly status: 'refused'; readonly reason: string }
  | { readonly status: 'failed'; readonly reason: string; readonly effect: 'definite' | 'indefinite' };

/**
 * Everything a protocol may ask of its host. Effects are data and are carried out in order.
 *
 * `save` is a barrier: no later `send`, `call`, `report` or `answer` leaves the member before the record is durable. Timers
 * and draws stay inside the member and do not wait. A report that ends a leadership does not wait either: stopping
 * never waits for a disk.
 */
export type Effect<M extends Message = Message, T extends string = string> =
  /** `at` says where the member is reached, if the protocol knows that better than the configuration. */
  | { readonly type: 'send'; readonly to: MemberId; readonly at?: string; readonly message: M }
  /** A message to the member at that address, whichever it is. Its answer names the member. */
  | {
      readonly type: 'call';
      readonly at: string;
      readonly message: M;
      /** The member that is expected there, if one is: an answer of another one is dropped. */
      readonly to?: MemberId;
    }
  /** Setting a timer again replaces it. A timer fires once. */
  | { readonly type: 'set-timer'; readonly timer: T; readonly delayMs: Delay }
  | { readonly type: 'cancel-timer'; readonly timer: T }
  /** The whole record for the next `start`; it replaces the one before. */
  | { readonly type: 'save'; readonly record: Json }
  /** Requests 64 random bits; they come back at once as the input `drawn`. */
  | { readonly type: 'draw'; readonly draw: string }
  | { readonly type: 'report'; readonly view: View }
  | { readonly type: 'answer'; readonly command: number; readonly outcome: Outcome };
