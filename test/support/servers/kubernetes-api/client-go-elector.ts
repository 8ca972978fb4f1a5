import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';

/** What client-go makes of a Lease. It knows seconds only. */
interface ElectionRecord {
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTime: string | null;
  readonly renewTime: string | null;
  readonly leaderTransitions: number;
}

// biome-ignore lint/suspicious/noExplicitAny: a Lease as it came.
type AnyLease = any;

interface ElectorOptions {
  readonly identity: string;
  readonly leaseDurationSeconds: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/**
 * What client-go's LeaderElector does with a LeaseLock, written anew after `tryAcquireOrRenew`, `release` and `isLeaseValid`: whoever
 * follows it must get along with our engine. It shares no code with it.
 */
export class ClientGoElector extends EventEmitter<{ started: []; stopped: [] }> {
  readonly identity: string;
  readonly #cluster: Cluster;
  readonly #election: string;
  readonly #options: ElectorOptions;
  #lease: AnyLease = null;
  #observed: ElectionRecord | null = null;
  #observedRaw = '';
  #observedAtMs = 0;
  #isCancelled = false;
  /** Nothing is released and nothing more is sent. */
  #isDead = false;
  isLeading = false;

  constructor(cluster: Cluster, election: string, options: ElectorOptions) {
    super();
    this.identity = options.identity;
    this.#cluster = cluster;
    this.#election = election;
    this.#options = options;
  }

  /** Acquires, renews until it cannot or is cancelled, and releases. */
  async run(): Promise<void> {
    const { retryPeriodMs, renewDeadlineMs } = this.#options;
    while (!(await this.#tryAcquireOrRenew())) {
      if (this.#isCancelled || this.#isDead) return;
      await sleep(retryPeriodMs * (1 + 0.2 * Math.random()));
    }
    this.isLeading = true;
    this.emit('started');
    let deadlineMs = performance.now() + renewDeadlineMs;
    while (!this.#isCancelled && !this.#isDead && performance.now() < deadlineMs) {
      await sleep(retryPeriodMs);
      if (this.#isCancelled || this.#isDead) break;
      const sinceMs = performance.now();
      if (await this.#tryAcquireOrRenew()) deadlineMs = sinceMs + renewDeadlineMs;
    }
    this.isLeading = false;
    this.emit('stopped');
    if (!this.#isDead) await this.#release();
  }

  async started(): Promise<void> {
    if (!this.isLeading) await once(this, 'started');
  }

  cancel(): void {
    this.#isCancelled = true;
  }

  kill(): void {
    this.#isDead = true;
  }

  get #isLeader(): boolean {
    return this.#observed?.holderIdentity === this.identity;
  }

  #isLeaseValid(): boolean {
    return this.#observedAtMs + (this.#observed?.leaseDurationSeconds ?? 0) * 1000 > performance.now();
  }

  async #tryAcquireOrRenew(): Promise<boolean> {
    const now = goNow();
    const record = {
      holderIdentity: this.identity,
      leaseDurationSeconds: this.#options.leaseDurationSeconds,
      renewTime: now,
      acquireTime: now,
      leaderTransitions: 0,
    };
    if (this.#isLeader && this.#isLeaseValid()) {
      const { acquireTime, leaderTransitions } = this.#observed!;
      if (await this.#update({ ...record, acquireTime, leaderTransitions })) return true;
    }
    const found = await this.#cluster.request('GET', `leases/${this.#election}`);
    if (found.status === 404) {
      const metadata = { name: this.#election, namespace: this.#cluster.namespace };
      const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: specOf(record) };
      const created = await this.#cluster.request('POST', 'leases', body);
      if (created.status !== 201) return false;
      this.#lease = created.body;
      this.#observe(record);
      return true;
    }
    if (found.status !== 200) return false;
    this.#lease = found.body;
    const old = recordOf(found.body);
    const raw = JSON.stringify(old);
    if (raw !== this.#observedRaw) {
      this.#observe(old);
      this.#observedRaw = raw;
    }
    if (old.holderIdentity.length > 0 && this.#isLeaseValid() && !this.#isLeader) return false;
    const { acquireTime, leaderTransitions } = old;
    return this.#update(
      this.#isLeader
        ? { ...record, acquireTime, leaderTransitions }
        : { ...record, leaderTransitions: leaderTransitions + 1 },
    );
  }

  async #release(): Promise<void> {
    for (;;) {
      const found = await this.#cluster.request('GET', `leases/${this.#election}`);
      if (found.status !== 200 || recordOf(found.body).holderIdentity !== this.identity) return;
      this.#lease = found.body;
      const now = goNow();
      const { leaderTransitions } = recordOf(found.body);
      const rest = { leaseDurationSeconds: 1, renewTime: now, acquireTime: now, leaderTransitions };
      if (await this.#update({ holderIdentity: '', ...rest })) return;
    }
  }

  /** LeaseLock.Update: the object that it got, with another spec. */
  async #update(record: ElectionRecord): Promise<boolean> {
    if (this.#isDead) return false;
    const body = { ...this.#lease, spec: specOf(record) };
    const updated = await this.#cluster.request('PUT', `leases/${this.#election}`, body);
    if (updated.status !== 200) return false;
    this.#lease = updated.body;
    this.#observe(record);
    return true;
  }

  #observe(record: ElectionRecord): void {
    this.#observed = record;
    this.#observedAtMs = performance.now();
  }
}

/** `metav1.MicroTime` writes six digits, also of a time that was cut. */
function specOf({ leaderTransitions, acquireTime, ...record }: ElectionRecord): object {
  const micro = acquireTime?.replace(/:(\d\d)Z$/, ':$1.000000Z') ?? null;
  return { ...record, acquireTime: micro, leaseTransitions: leaderTransitions };
}

/** `metav1.Time` in a record is written without fractions of a second. */
function recordOf({ spec = {} }: AnyLease): ElectionRecord {
  const seconds = (time?: string): string | null => (time ? `${time.slice(0, 19)}Z` : null);
  return {
    holderIdentity: spec.holderIdentity ?? '',
    leaseDurationSeconds: spec.leaseDurationSeconds ?? 0,
    acquireTime: seconds(spec.acquireTime),
    renewTime: seconds(spec.renewTime),
    leaderTransitions: spec.leaseTransitions ?? 0,
  };
}

/** `metav1.MicroTime` of Go's clock. */
function goNow(): string {
  const micros = String(Math.floor(Math.random() * 1000)).padStart(3, '0');
  return new Date().toISOString().replace('Z', `${micros}Z`);
}
