import { BadInput, show } from '../../core/index.ts';
import { anyOf, Election, type Leadership, type LogEntry } from '../../election/index.ts';
import { type AccessOptions, kubernetes } from '../../engines/kubernetes/index.ts';

/** What client-go calls LeaderCallbacks. */
export interface LeaderCallbacks {
  /**
   * Called when this process begins to lead. `signal` is aborted before any other participant of Caucus may act. What it
   * rejects with ends the leadership, and `run` rejects with it. Returning does not end the leadership.
   */
  onStartedLeading(signal: AbortSignal, leadership: Leadership): unknown;
  /** Called when this process no longer leads, once `onStartedLeading` has settled or had `drainMs` to do so. */
  onStoppedLeading?(): void;
  /** Called with the identity of each leader that is seen, also of this process. */
  onNewLeader?(identity: string): void;
}

/** What client-go calls LeaderElectionConfig, with its defaults. */
export interface LeaderElectionConfig extends AccessOptions {
  readonly lock: {
    /** The name of the Lease. */
    readonly name: string;
    /** Default: that of the pod or of the kubeconfig's context. */
    readonly namespace?: string;
    /** Default: the host name, which is the name of the pod, with a random suffix. */
    readonly identity?: string;
  };
  readonly callbacks: LeaderCallbacks;
  /** How long a leader that vanished is waited for, in whole seconds (default: 15,000). */
  readonly leaseDurationMs?: number;
  /** How long the leader acts without a renewal (default: two thirds of the lease). */
  readonly renewDeadlineMs?: number;
  /** How often the leader renews and the others look (default: 2,000, and at most a fifth of the lease). */
  readonly retryPeriodMs?: number;
  /** The Lease is released at the end of `run`, once the work has stopped. Only true is possible (default: true). */
  readonly releaseOnCancel?: true;
  /** How long `onStartedLeading` may take to stop (default: 10,000). */
  readonly drainMs?: number;
  readonly log?: (entry: LogEntry) => void;
}

const LEASE_MS = 15_000;

/** One candidate for a Lease, together with electors of client-go and others that follow it. */
export class LeaderElector {
  readonly #config: LeaderElectionConfig;
  #election: Election | null = null;

  constructor(config: LeaderElectionConfig) {
    const { lock, callbacks, releaseOnCancel = true } = config ?? {};
    if (typeof lock?.name !== 'string')
      throw new BadInput('lock.name', 'the name of a Lease', show(lock?.name));
    if (typeof callbacks?.onStartedLeading !== 'function')
      throw new BadInput('callbacks.onStartedLeading', 'a function', show(callbacks?.onStartedLeading));
    if (releaseOnCancel !== true) {
      const expected = 'true: a Lease is released once the work has stopped';
      throw new BadInput('releaseOnCancel', expected, show(releaseOnCancel));
    }
    void engineOf(config).close(); // Checks the rest, and connects to nothing.
    this.#config = config;
  }

  /** May this process act at this moment? */
  isLeader(): boolean {
    return this.#election?.leadership != null;
  }

  /** The identity of the leader, as far as is known; an empty text if there is none. */
  getLeader(): string {
    return this.#election?.leader()?.name ?? '';
  }

  /**
   * Waits until this process leads, and leads until `signal` is aborted or the leadership is lost. Settles then, with the work
   * stopped and the Lease released; call it again to stand again. Only one call at a time.
   */
  async run({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#election !== null) throw new BadInput('run', 'one call at a time', 'a second one');
    const engine = engineOf(this.#config);
    const { drainMs = 10_000, lock } = this.#config;
    try {
      const election = new Election(lock.name, engine, { drainMs });
      this.#election = election;
      void this.#tellOfLeaders(election);
      const leadership = await election.campaign(signal === undefined ? {} : { signal });
      await this.#lead(leadership, signal, drainMs);
    } catch (error) {
      if (!signal?.aborted || error !== signal.reason) throw error;
    } finally {
      await engine.close();
      this.#election = null;
    }
  }

  async #lead(leadership: Leadership, cancel: AbortSignal | undefined, drainMs: number): Promise<void> {
    const { onStartedLeading, onStoppedLeading } = this.#config.callbacks;
    const stop = new AbortController();
    const end = (): void => stop.abort(leadership.lost ?? cancel?.reason);
    cancel?.addEventListener('abort', end, { once: true });
    if (cancel?.aborted) end();
    let failure: { readonly error: unknown } | null = null;
    const work = Promise.resolve()
      .then(() => onStartedLeading(anyOf([stop.signal, leadership.signal]), leadership))
      .catch((error) => {
        // What it throws because it was told to stop is no failure.
        if (!stop.signal.aborted && leadership.lost === null) failure = { error };
        stop.abort(error);
      });
    const stopped = new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
    if (!stop.signal.aborted) await Promise.race([leadership.ended, stopped]);
    end();
    await Promise.race([work, elapsed(drainMs)]);
    cancel?.removeEventListener('abort', end);
    await leadership.resign().catch(() => {}); // The lease expires by itself.
    onStoppedLeading?.();
    if (failure !== null) throw (failure as { error: unknown }).error;
  }

  async #tellOfLeaders(election: Election): Promise<void> {
    let last: string | null = null;
    for await (const { leader } of election.observe()) {
      if (leader !== null && leader !== last) this.#config.callbacks.onNewLeader?.(leader);
      last = leader ?? last;
    }
  }
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

function engineOf(config: LeaderElectionConfig): ReturnType<typeof kubernetes> {
  const { lock, callbacks: _, releaseOnCancel: __, drainMs: ___, log, ...rest } = config;
  const { leaseDurationMs: leaseMs = LEASE_MS, renewDeadlineMs, retryPeriodMs, ...access } = rest;
  const deadlineMs = renewDeadlineMs ?? (leaseMs * 2) / 3;
  const retryMs = retryPeriodMs ?? Math.min(2000, leaseMs / 5);
  if (!(deadlineMs < leaseMs && deadlineMs >= leaseMs / 2)) {
    const expected = `less than leaseDurationMs (${leaseMs}), and at least half of it`;
    throw new BadInput('renewDeadlineMs', expected, show(deadlineMs));
  }
  if (!(retryMs > 0 && retryMs * 1.2 < deadlineMs)) {
    const expected = `less than renewDeadlineMs (${deadlineMs}) divided by 1.2`;
    throw new BadInput('retryPeriodMs', expected, show(retryMs));
  }
  return kubernetes('kubernetes:', {
    ...access,
    ...{ leaseMs, retryMs, renewMs: retryMs, maxDrift: 1 - deadlineMs / leaseMs },
    callMs: Math.min(3000, leaseMs / 5, deadlineMs - retryMs),
    ...(lock.namespace === undefined ? {} : { namespace: lock.namespace }),
    ...(lock.identity === undefined ? {} : { name: lock.identity }),
    ...(log === undefined ? {} : { log }),
  });
}
