import type { Why } from '../core/index.ts';
import type { ElectionHost } from './election-host.ts';

/** Why a process leads nothing: it was removed, an operator drains it, or takeovers are paused. */
type Bar = 'removed' | 'drained' | 'paused';

/** The reasons for which this process leads in no election, opened now or later. */
export class Bars {
  readonly #hosts: () => readonly ElectionHost[];
  readonly #reasons = new Map<Bar, Why>();

  constructor(hosts: () => readonly ElectionHost[]) {
    this.#hosts = hosts;
  }

  /** What it leads, it hands over: work is stopped first. Settles once it leads nothing. Null: this reason is gone. */
  async set(kind: Bar, why: Why | null): Promise<void> {
    if (why === null) this.#reasons.delete(kind);
    else this.#reasons.set(kind, why);
    await Promise.all(this.#hosts().map((host) => this.apply(host)));
  }

  /** While takeovers are paused, a leader goes on, and one that an operator needs may be elected. */
  apply(host: ElectionHost): Promise<void> {
    const isFree = host.view.role === 'leader' || host.isLent;
    const found = [...this.#reasons].find(([kind]) => kind !== 'paused' || !isFree);
    return host.bar(found?.[1] ?? null);
  }
}
