/**
 * Every election of a cluster has the members of the main one. Each has a register of its own, so the member that leads
 * an election brings its members in line with those of the main election: one `add` or `remove` after the other, by the
 * commands of the protocol, again and again until nothing differs.
 *
 * Those that are missing come first: of three members of which one is replaced, no more than one is ever down. The times
 * that an operator has set follow in the same way.
 */
import type { ClusterVoter } from '../api/index.ts';
import type { Command, MemberId, Outcome, SetTimes } from '../core/index.ts';
import type { ElectionHost } from './election-host.ts';
import { isSameTimes } from './retiming.ts';

/** The time between two attempts, doubled after each that failed. */
const RETRY_MS: readonly [least: number, most: number] = [500, 10_000];

/** One change that is still to be made in an election. */
type Step = Extract<Command, { type: 'add' | 'remove' | 'reconfigure' }>;

interface Progress {
  isBusy: boolean;
  failures: number;
  timer: NodeJS.Timeout | null;
  /** Why the last attempt failed, or null. */
  reason: string | null;
}

export interface FollowingAround {
  /** The elections other than the main one. */
  hosts(): readonly ElectionHost[];
  /** The members of the main election; null as long as there are none to follow. */
  members(): readonly ClusterVoter[] | null;
  /**
   * Is it certain that this id is none of the members now? A leader that was away may know an older membership than its
   * election has followed already.
   */
  isRemoved(id: MemberId): boolean;
  /** The times that an operator set for the cluster; null if none did. */
  times(): SetTimes | null;
  changed(): void;
}

export class Following {
  readonly #around: FollowingAround;
  readonly #progress = new Map<string, Progress>();
  #isClosed = false;

  constructor(around: FollowingAround) {
    this.#around = around;
  }

  /** Looks whether anything is to be done: in one election that has changed, or in all. */
  look(changed: ElectionHost | null = null): void {
    for (const host of changed === null ? this.#around.hosts() : [changed]) this.#lookAt(host);
  }

  /** What an election lacks to have the members of the main one, for people; empty if nothing does. */
  pendingIn(host: ElectionHost): readonly string[] {
    const reason = host.acting ? (this.#progress.get(host.name)?.reason ?? null) : null;
    return this.#steps(host).map((step, i) => {
      const words = wordsOf(step, host.name);
      return i === 0 && reason !== null ? `${words} (${reason})` : words;
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#progress.values()) if (timer !== null) clearTimeout(timer);
  }

  #steps(host: ElectionHost): readonly Step[] {
    const [members, times] = [this.#around.members(), this.#around.times()];
    const { view } = host;
    const own = view.members;
    if (members === null || own === undefined || view.term === 0) return [];
    const missing = members.filter(({ id }) => !own.includes(id));
    const surplus = own.filter((id) => !members.some((each) => each.id === id) && this.#around.isRemoved(id));
    return [
      ...missing.map(({ id, url }): Step => ({ type: 'add', member: id, ...(url === '' ? {} : { url }) })),
      ...surplus.map((member): Step => ({ type: 'remove', member })),
      ...(times === null || isSameTimes(times, host.retimed()?.times ?? null)
        ? []
        : [{ type: 'reconfigure', timing: times } as const]),
    ];
  }

  #lookAt(host: ElectionHost): void {
    const progress = this.#progress.get(host.name) ?? {
      isBusy: false,
      failures: 0,
      timer: null,
      reason: null,
    };
    this.#progress.set(host.name, progress);
    // Only a leader takes steps, and after a death thousands of elections change that have another one, or none.
    const steps = this.#isClosed || !host.acting ? [] : this.#steps(host);
    if (steps.length === 0) {
      progress.failures = 0;
      progress.reason = null;
      return;
    }
    if (progress.isBusy || progress.timer !== null) return;
    // A member that does not answer must not keep the others waiting.
    const step = steps[progress.failures % steps.length]!;
    progress.isBusy = true;
    void host.command(step).then((outcome) => this.#onOutcome(host, progress, outcome));
  }

  #onOutcome(host: ElectionHost, progress: Progress, outcome: Outcome): void {
    progress.isBusy = false;
    if (this.#isClosed) return;
    if (outcome.status === 'done') {
      progress.failures = 0;
      progress.reason = null;
    } else {
      progress.reason = outcome.reason;
      const delayMs = Math.min(RETRY_MS[0] * 2 ** progress.failures, RETRY_MS[1]);
      progress.failures += 1;
      progress.timer = setTimeout(() => {
        progress.timer = null;
        this.#lookAt(host);
      }, delayMs);
      progress.timer.unref();
    }
    this.#around.changed();
    this.#lookAt(host);
  }
}

function wordsOf(step: Step, election: string): string {
  if (step.type === 'reconfigure') return `${election} is to get the timing of the cluster`;
  return `${step.member} is to be ${step.type === 'add' ? 'added to' : 'removed from'} ${election}`;
}
