/** What participants said of themselves: while each token was valid. */
interface Validity {
  readonly token: bigint;
  readonly by: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Two that were told at one moment that they may act. */
export interface Overlap {
  readonly ms: number;
  readonly words: string;
}

/** Looks for two that may act at one moment. Tokens grow, so an older one that is valid after a newer one was is a second leader. */
export class Watch {
  readonly #seen: Validity[] = [];
  readonly #leaders = new Map<bigint, string>();
  /** What is wrong, in words. */
  readonly faults: string[] = [];

  won(token: bigint, by: string): void {
    const before = this.#leaders.get(token);
    if (before !== undefined) this.faults.push(`token ${token} was given to ${before} and to ${by}`);
    this.#leaders.set(token, by);
  }

  /** How many leaderships there were. */
  get leaderships(): number {
    return this.#leaders.size;
  }

  valid(validity: Validity): void {
    this.#seen.push(validity);
  }

  /** Every pair of tokens that were valid at one moment, with how long. */
  overlaps(): Overlap[] {
    const firstMs = new Map<bigint, number>();
    const last = new Map<bigint, Validity>();
    for (const each of this.#seen) {
      firstMs.set(each.token, Math.min(firstMs.get(each.token) ?? Number.POSITIVE_INFINITY, each.toMs));
      if (each.fromMs > (last.get(each.token)?.fromMs ?? 0)) last.set(each.token, each);
    }
    const found: Overlap[] = [];
    for (const [token, { fromMs, by }] of last) {
      for (const [newer, sinceMs] of firstMs) {
        if (newer <= token || fromMs <= sinceMs) continue;
        const ms = fromMs - sinceMs;
        found.push({
          ms,
          words: `${by} was valid with token ${token} for ${ms.toFixed(1)} ms after token ${newer} was`,
        });
      }
    }
    return found;
  }
}
