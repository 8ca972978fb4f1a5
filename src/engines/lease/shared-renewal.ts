import type { Clock } from '../../election/index.ts';
import type { Call, Grant } from './lease-store.ts';
import type { LeaseTimes } from './settings.ts';
import { type Share, SharedCall } from './shared-call.ts';

/** So many grants are renewed with one request; an engine that holds more sends several. */
export const MOST_RENEWED = 1000;

/** Renewals of all grants of an engine. The answer to each is the renewed grant, or null if it is certainly lost. */
export type Renewals<T, G extends Grant> = SharedCall<T, G | null>;

/** `T`: what `send` needs to renew a grant. */
export function renewalsOf<T, G extends Grant>(
  clock: Clock,
  { renewMs, callMs, actMs }: LeaseTimes,
  send: (items: readonly T[], signal: AbortSignal) => readonly Promise<G | null>[],
): Renewals<T, G> {
  return new SharedCall({ clock, everyMs: renewMs, callMs, lastsMs: actMs, most: MOST_RENEWED, send });
}

interface Held<G extends Grant> {
  readonly token: bigint;
  readonly share: Share<G | null>;
}

/** The part of one election in the renewals of its engine: `renew` and `forget` of a store. */
export class SharedRenewal<T, G extends Grant> {
  readonly #renewals: Renewals<T, G>;
  #held: Held<G> | null = null;

  constructor(renewals: Renewals<T, G>) {
    this.#renewals = renewals;
  }

  /**
   * A lease was granted, which was requested at this time. `tell` is called when it was renewed, or is lost, without
   * having been asked for.
   */
  begin(item: T, { token }: G, sentMs: number, tell: () => void): void {
    this.#held?.share.end();
    this.#held = { token, share: this.#renewals.add(item, sentMs, tell) };
  }

  /** The lease counts from when the request was sent that carried it, which may be before this call. */
  async renew({ token }: G, call: Call): Promise<G | null> {
    const held = this.#held;
    if (held?.token !== token) return null;
    const { answer, sentMs } = await held.share.ask(call);
    if (answer !== null) return { askedMs: sentMs, ...answer };
    this.#end(held);
    return null;
  }

  /** Something suggests that the grant is lost, or that its holder is asked to resign: the next renewal is sent. */
  doubt(): void {
    this.#held?.share.doubt();
  }

  forget({ token }: G): void {
    if (this.#held?.token === token) this.#end(this.#held);
  }

  #end(held: Held<G>): void {
    held.share.end();
    if (this.#held === held) this.#held = null;
  }
}
