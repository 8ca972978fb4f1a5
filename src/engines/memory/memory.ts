/**
 * memory: elections among the parts of one process, for tests and for programs that have not grown yet.
 *
 * Promises everything that an engine can, since nothing can fail. Does not promise anything beyond this process: two
 * processes have two memories.
 */
import type { Json } from '../../core/index.ts';
import { type Clock, processClock } from '../../election/index.ts';
import { LeaseEngine, type LeaseEngineOptions } from '../lease/lease-engine.ts';
import type { Grant, LeaseStore, Reading } from '../lease/lease-store.ts';
import { leaseTimes } from '../lease/settings.ts';

interface Row {
  holder: object | null;
  leader: string;
  token: bigint;
  untilMs: number;
  value: Json;
  version: number;
  readonly watchers: Set<() => void>;
}

interface MemoryGrant extends Grant {
  readonly holder: object;
}

/** What engines share that are to meet. */
export class Memory {
  readonly #clock: Clock;
  readonly #rows = new Map<string, Row>();

  constructor(clock: Clock = processClock) {
    this.#clock = clock;
  }

  /** A participant of its own. */
  engine(options: LeaseEngineOptions = {}): LeaseEngine<MemoryGrant> {
    const times = leaseTimes(options);
    const kind = {
      storeName: 'the memory',
      times,
      checkName: () => {},
      open: (election: string, name: string) => this.#store(this.#row(election), name, times.leaseMs),
      close: async () => {},
    };
    return new LeaseEngine(kind, { ...options, clock: options.clock ?? this.#clock });
  }

  #row(election: string): Row {
    let row = this.#rows.get(election);
    if (row === undefined) {
      row = { holder: null, leader: '', token: 0n, untilMs: 0, value: null, version: 0, watchers: new Set() };
      this.#rows.set(election, row);
    }
    return row;
  }

  #store(row: Row, name: string, leaseMs: number): LeaseStore<MemoryGrant> {
    const clock = this.#clock;
    const isFree = (): boolean => row.holder === null || row.untilMs <= clock.now();
    const isOurs = ({ holder }: MemoryGrant): boolean => row.holder === holder && !isFree();
    const tell = (): void => {
      for (const watcher of [...row.watchers]) watcher();
    };
    const look = (): Reading => {
      const { leader, token, untilMs, value, version } = row;
      if (isFree()) return { leader: null, token: null, freeInMs: null, value, version };
      return { leader, token, freeInMs: untilMs - clock.now(), value, version };
    };
    return {
      async take() {
        if (!isFree()) return { grant: null, reading: look() };
        const holder = {};
        Object.assign(row, { holder, leader: name, token: row.token + 1n, untilMs: clock.now() + leaseMs });
        tell();
        return { grant: { token: row.token, holder }, reading: look() };
      },
      async renew(grant) {
        if (!isOurs(grant)) return null;
        row.untilMs = clock.now() + leaseMs;
        return grant;
      },
      async release(grant) {
        if (!isOurs(grant)) return;
        row.holder = null;
        tell();
      },
      async publish(grant, value) {
        if (!isOurs(grant)) return null;
        row.value = structuredClone(value);
        row.version += 1;
        tell();
        return row.version;
      },
      read: async () => look(),
      watch(hint) {
        const watcher = (): void => hint('changed');
        row.watchers.add(watcher);
        return () => row.watchers.delete(watcher);
      },
    };
  }
}
