import { EventEmitter } from 'node:events';
import { BadInput, show } from '../../core/index.ts';
import type { LogEntry } from '../../election/index.ts';
import type { OpenEngine } from '../../engines/index.ts';
import { redis } from '../../engines/redis/index.ts';
import { type Claim, Claims, type Patience } from './claims.ts';
import { type IoredisClient, urlOf } from './clients.ts';
import { ExecutionError } from './errors.ts';
import { checkDuration, Lock } from './lock.ts';

export interface Settings {
  /** How often to try again while another holds the lock (default: 10); -1: for ever. */
  readonly retryCount: number;
  /** With `retryCount`, how long is waited at most: `retryCount` × `retryDelay` (default: 200 ms). */
  readonly retryDelay: number;
  /** How long a lock stays after its process has died (default: 5,000 ms). Of the constructor alone. */
  readonly leaseMs: number;
  /** Not needed: waiting callers are woken when a lock is released. */
  readonly retryJitter: number;
  /** Not needed: locks are renewed every third of the lease. */
  readonly automaticExtensionThreshold: number;
  /** Not needed: see `maxDrift` of the engines. */
  readonly driftFactor: number;
}

/** `aborted` looks at the clock, so that it is true also right after the event loop was blocked. */
export type RedlockAbortSignal = AbortSignal & { readonly error?: Error };

/** What the routine of `using` gets beside the signal. */
export interface LockContext {
  /** The token of the first resource: larger than that of every earlier lock on it. */
  readonly token: bigint;
  readonly tokens: ReadonlyMap<string, bigint>;
  /** Throws if the lock is not held at this moment. */
  readonly assert: () => void;
}

type Routine<T> = (signal: RedlockAbortSignal, context: LockContext) => Promise<T>;

const DEFAULTS: Settings = {
  ...{ retryCount: 10, retryDelay: 200, retryJitter: 200, leaseMs: 5000 },
  ...{ automaticExtensionThreshold: 500, driftFactor: 0.01 },
};

/**
 * Locks on resources, as the package `redlock` has them. `servers`: clients of `ioredis`, which say where the servers are; a
 * URL of them, `redis://a,b,c`; or any open engine.
 */
export class Redlock extends EventEmitter {
  readonly settings: Settings;
  readonly #engine: OpenEngine;
  readonly #clients: readonly IoredisClient[];
  readonly #isOurs: boolean;
  readonly #claims: Claims;

  constructor(servers: Iterable<IoredisClient> | string | OpenEngine, settings: Partial<Settings> = {}) {
    super();
    // As in the package: an error without a listener must not end the process.
    this.on('error', () => {});
    this.settings = { ...DEFAULTS, ...settings };
    const isEngine = typeof servers === 'object' && 'seat' in servers;
    if (!isEngine && typeof servers !== 'string' && !(servers && Symbol.iterator in servers))
      throw new BadInput('servers', 'clients of ioredis, a URL or an engine', show(servers));
    this.#isOurs = !isEngine;
    this.#clients = isEngine || typeof servers === 'string' ? [] : [...servers];
    const log = ({ level, message }: LogEntry): void => {
      if (level !== 'info') this.emit('error', new Error(message));
    };
    const url = (): string => (typeof servers === 'string' ? servers : urlOf(this.#clients));
    this.#engine = isEngine ? servers : redis(url(), { leaseMs: this.settings.leaseMs, log });
    this.#claims = new Claims(this.#engine);
  }

  /** Locks all of the resources, or none. Released after `duration` unless it is extended. */
  async acquire(resources: string[], duration: number, settings: Partial<Settings> = {}): Promise<Lock> {
    checkDuration(duration);
    return new Lock(resources, await this.#claimAll(resources, settings), duration);
  }

  async release(lock: Lock): Promise<void> {
    await lock.release();
  }

  async extend(lock: Lock, duration: number): Promise<Lock> {
    return lock.extend(duration);
  }

  /**
   * Runs the routine while all of the resources are locked, for as long as it takes. `signal` is aborted if the lock is
   * lost, before another holder may act. Rejects with an ExecutionError if the lock was lost before the routine ended,
   * or with what the routine threw. `duration` is checked and otherwise not needed: locks are renewed until then.
   */
  async using<T>(resources: string[], duration: number, routine: Routine<T>): Promise<T>;
  async using<T>(
    resources: string[],
    duration: number,
    settings: Partial<Settings>,
    routine: Routine<T>,
  ): Promise<T>;
  async using<T>(
    resources: string[],
    duration: number,
    second: Partial<Settings> | Routine<T>,
    third?: Routine<T>,
  ): Promise<T> {
    checkDuration(duration);
    const [settings, routine] = typeof second === 'function' ? [{}, second] : [second, third];
    if (typeof routine !== 'function') throw new BadInput('routine', 'a function', show(routine));
    const claims = await this.#claimAll(resources, settings);
    const lock = new Lock(resources, claims, Number.POSITIVE_INFINITY);
    const context = { token: lock.token, tokens: lock.tokens, assert: () => lock.assert() };
    let result: T;
    try {
      result = await routine(signalOf(lock), context);
    } catch (error) {
      await lock.release().catch(() => {});
      throw error;
    }
    await lock.release();
    return result;
  }

  /** Releases all locks and closes all connections, also those of the clients that were given. */
  async quit(): Promise<void> {
    if (this.#isOurs) await this.#engine.close();
    await Promise.all(this.#clients.map((client) => client.quit()));
  }

  async #claimAll(resources: readonly string[], settings: Partial<Settings>): Promise<Claim[]> {
    if (
      !Array.isArray(resources) ||
      resources.length === 0 ||
      resources.some((each) => typeof each !== 'string')
    )
      throw new BadInput('resources', 'an array of names, at least one', show(resources));
    const { retryCount, retryDelay } = { ...this.settings, ...settings };
    const waitMs = retryCount === -1 ? Number.POSITIVE_INFINITY : retryCount * retryDelay;
    const endsAtMs = performance.now() + waitMs;
    const claims: Claim[] = [];
    try {
      // In one order, so that no two callers wait for each other.
      for (const resource of [...new Set(resources)].sort()) {
        const patience: Patience = { waitMs: endsAtMs - performance.now(), answerMs: this.settings.leaseMs };
        claims.push(await this.#claims.claim(resource, patience));
      }
      return claims;
    } catch (error) {
      await Promise.allSettled(claims.map((claim) => claim.release()));
      if (error instanceof ExecutionError) this.emit('error', error.cause ?? error);
      throw error;
    }
  }
}

function signalOf(lock: Lock): RedlockAbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  lock.onLost((why) => controller.abort(why));
  const isAborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted')!.get!;
  const look = (): void => {
    if (!isAborted.call(signal) && !lock.isValid()) controller.abort(lock.problem);
  };
  return Object.defineProperties(signal, {
    aborted: {
      get: () => {
        look();
        return isAborted.call(signal);
      },
    },
    error: {
      get: () => {
        look();
        return signal.reason;
      },
    },
  });
}
