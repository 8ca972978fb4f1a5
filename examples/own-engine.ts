/** An engine of your own: you implement the calls of a `LeaseStore`, `LeaseEngine` does the rest. */
import {
  type Call,
  type Grant,
  LeaseEngine,
  type LeaseEngineOptions,
  type LeaseStore,
  leaseTimes,
  type Reading,
} from 'caucus/lease';

/** What your system keeps of an election. Here it is an object; each call below would be one atomic request. */
interface Row {
  holder: symbol | null; // One grant, not one name: a process that comes back under an old name inherits nothing.
  leader: string;
  token: bigint; // It stays when the lease goes, and only grows.
  untilMs: number; // On the clock of your system.
}

interface OwnGrant extends Grant {
  readonly holder: symbol;
}

const rows = new Map<string, Row>();

class OwnStore implements LeaseStore<OwnGrant> {
  readonly #row: Row;
  readonly #name: string;
  readonly #leaseMs: number;

  constructor(election: string, name: string, leaseMs: number) {
    this.#row = rows.get(election) ?? { holder: null, leader: '', token: 0n, untilMs: 0 };
    rows.set(election, this.#row);
    this.#name = name;
    this.#leaseMs = leaseMs;
  }

  async read(): Promise<Reading> {
    const { leader, token } = this.#row;
    const freeInMs = this.#leftMs();
    const published = { value: null, version: 0 };
    if (freeInMs === 0) return { leader: null, token: null, freeInMs: null, ...published };
    return { leader, token, freeInMs, ...published };
  }

  async take(_: Call): Promise<{ grant: OwnGrant | null; reading: Reading }> {
    if (this.#leftMs() > 0) return { grant: null, reading: await this.read() };
    const holder = Symbol(this.#name);
    const [token, untilMs] = [this.#row.token + 1n, performance.now() + this.#leaseMs];
    Object.assign(this.#row, { holder, leader: this.#name, token, untilMs });
    return { grant: { holder, token }, reading: await this.read() };
  }

  async renew(grant: OwnGrant): Promise<OwnGrant | null> {
    if (!this.#isOurs(grant)) return null;
    this.#row.untilMs = performance.now() + this.#leaseMs;
    return grant;
  }

  async release(grant: OwnGrant): Promise<void> {
    if (this.#isOurs(grant)) this.#row.holder = null;
  }

  /** Nothing reports changes here, so waiting candidates poll every `retryMs`. */
  watch(): () => void {
    return () => {};
  }

  #leftMs(): number {
    return this.#row.holder === null ? 0 : Math.max(0, this.#row.untilMs - performance.now());
  }

  #isOurs({ holder }: OwnGrant): boolean {
    return this.#row.holder === holder && this.#leftMs() > 0;
  }
}

export function own(options: LeaseEngineOptions = {}): LeaseEngine<OwnGrant> {
  const times = leaseTimes(options);
  const kind = {
    storeName: 'our store',
    times,
    checkName: () => {}, // Throw for a name that your system cannot hold.
    open: (election: string, name: string) => new OwnStore(election, name, times.leaseMs),
    close: async () => {}, // Close connections.
  };
  return new LeaseEngine(kind, options);
}
