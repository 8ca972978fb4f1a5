/**
 * memory: elections among the parts of one process, for tests and small programs.
 *
 * Guarantees everything that an engine can, since nothing can fail. Guarantees nothing beyond this process: two
 * processes have two memories.
 */
import type { Json } from '../../core/index.ts';
import { type Clock, processClock } from '../../election/index.ts';
import { openedBy } from '../lease/first-value.ts';
import { LeaseEngine, type LeaseEngineOptions } from '../lease/lease-engine.ts';
import type { Grant, LeaseStore, Reading } from '../lease/lease-store.ts';
import { checkOptions } from '../lease/options.ts';
import { leaseTimes } from '../lease/settings.ts';

interface Row {
  holder: object | null;
  leader: string;
  token: bigint;
  untilMs: number;
  value: Json;
  version: number;
  /** The reason if an operator requests the holder's resignation. */
  asked: string | null;
  readonly watchers: Set<(news: 'changed' | 'ours') => void>;
}

interface MemoryGrant extends Grant {
  readonly holder: object;
}

/** Engines of one Memory take part in the same elections. */
export class Memory {
  readonly #clock: Clock;
  readonly #rows = new Map<string, Row>();

  constructor(clock: Clock = processClock) {
    this.#clock = clock;
  }

  /** A new participant. */
  engine(options: LeaseEngineOptions = {}): LeaseEngine<MemoryGrant> {
    checkOptions(options);
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
      row = {
        holder: null,
        leader: '',
        token: 0n,
        untilMs: 0,
        value: null,
        version: 0,
        asked: null,
        watchers: new Set(),
      };
      this.#rows.set(election, row);
    }
    return row;
  }

  #store(row: Row, name: string, leaseMs: number): LeaseStore<MemoryGrant> {
    const clock = this.#clock;
    const isFree = (): boolean => row.holder === null || row.untilMs <= clock.now();
    const isOurs = ({ holder }: MemoryGrant): boolean => row.holder === holder && !isFree();
    const tell = (news: 'changed' | 'ours' = 'changed'): void => {
      for (const watcher of [...row.watchers]) watcher(news);
    };
    const look = (): Reading => {
      const { leader, token, untilMs, value, version } = row;
      if (isFree()) return { leader: null, token: null, freeInMs: null, value, version };
      return { leader, token, freeInMs: untilMs - clock.now(), value, version };
    };
    return {
      async take(_call, first) {
        if (!isFree()) return { grant: null, reading: look() };
        const holder = {};
        const [token, untilMs] = [row.token + 1n, clock.now() + leaseMs];
        Object.assign(
          row,
          { holder, leader: name, token, untilMs, asked: null },
          openedBy(row, token, first),
        );
        tell();
        return { grant: { token: row.token, holder }, reading: look() };
      },
      async renew(grant) {
        if (!isOurs(grant)) return null;
        row.untilMs = clock.now() + leaseMs;
        return row.asked === null ? grant : { ...grant, asked: row.asked };
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
      async ask({ token, reason }) {
        if (isFree() || row.token !== token) return;
        row.asked = reason;
        tell('ours');
      },
      read: async () => look(),
      watch(hint) {
        row.watchers.add(hint);
        return () => row.watchers.delete(hint);
      },
    };
  }
}
