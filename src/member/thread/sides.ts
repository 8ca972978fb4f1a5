/** What the main thread and the thread of a member say to each other. */
import type { MembershipPort } from '../../api/index.ts';
import type { Json } from '../../core/index.ts';
import type { LogEntry, Standing, Why } from '../../election/index.ts';
import type { AnyJoinOptions } from '../join-options.ts';

/** How the thread of a member is started. */
export interface ThreadData {
  readonly options: AnyJoinOptions;
  /** In it the main thread writes, again and again, when it last had time to. */
  readonly answeredNs: SharedArrayBuffer;
  readonly maxStallMs: number;
}

/** What the main thread knows of a member in another thread. */
export interface Introduction {
  readonly id: string | number;
  readonly cluster: string;
  readonly url: string;
  readonly mainElection: string;
}

export interface ToldStanding extends Omit<Standing, 'held'> {
  readonly held: {
    readonly token: bigint;
    /** Names this leadership: the same as long as it lasts. */
    readonly key: number;
    /** In it the member writes until when the main thread may act. */
    readonly end: SharedArrayBuffer;
  } | null;
}

/** What changes the cluster of a member in another thread; what is known of it is asked over HTTP. */
export type MembershipCommands = Pick<
  MembershipPort,
  'add' | 'remove' | 'replace' | 'drain' | 'pause' | 'reconfigure'
>;

export interface MemberSide {
  introduce(): Promise<Introduction>;
  /** Opens an election, whose standing is told from then on. */
  open(election: string): void;
  /** The program works under the leaderships of this election, and has to be told before one ends. */
  occupy(election: string): void;
  stand(election: string): void;
  withdraw(election: string, why?: Why): Promise<void>;
  /** Of the leadership with this key, and of no later one. */
  resign(election: string, key: number | null, why?: Why): Promise<void>;
  transfer(election: string, to: string): Promise<void>;
  publish(election: string, value: Json): Promise<number>;
  leave(election: string): Promise<void>;
  /** The work has stopped: ends the leadership in the way that `endWork` announced under this number. */
  finish(ending: number): Promise<void>;
  /** A command of an operator that changes the cluster. */
  change<K extends keyof MembershipCommands>(
    what: K,
    given: Parameters<MembershipCommands[K]>,
  ): ReturnType<MembershipCommands[K]>;
  close(): Promise<void>;
}

export interface MainSide {
  log(entry: LogEntry): void;
  standing(election: string, standing: ToldStanding): void;
  /** The work has to stop, and then the leadership ends: by a resignation, a transfer, or as `finish` says. */
  resignWork(election: string): Promise<void>;
  transferWork(election: string, to: string): Promise<void>;
  endWork(election: string, lost: Why, ending: number): Promise<void>;
}

/** The clock that all threads of a process share. */
export function sharedNs(): bigint {
  return process.hrtime.bigint();
}

export const NS_PER_MS = 1_000_000;

/**
 * What is to be added to `performance.now()` of this thread to get the clock that all threads share. The thread may be
 * interrupted between the readings of the two, so that only bounds are known; of many readings the narrowest.
 */
function readOffset(): { readonly leastMs: number; readonly mostMs: number } {
  let leastMs = Number.NEGATIVE_INFINITY;
  let mostMs = Number.POSITIVE_INFINITY;
  for (let readings = 0; readings < 20; readings++) {
    const beforeMs = performance.now();
    const sharedMs = Number(sharedNs()) / NS_PER_MS;
    const afterMs = performance.now();
    leastMs = Math.max(leastMs, sharedMs - afterMs);
    mostMs = Math.min(mostMs, sharedMs - beforeMs);
  }
  return { leastMs, mostMs };
}

const offset = readOffset();

/** A moment of this thread's `performance.now()` on the clock that all threads share; rather too early than too late. */
export function toShared(atMs: number): number {
  return atMs + offset.leastMs;
}

/** The reverse, rather too early too. */
export function fromShared(sharedMs: number): number {
  return sharedMs - offset.mostMs;
}
