import { BadInput, type MemberId, type Outcome, show } from '../../core/index.ts';
import {
  CaucusError,
  type Election,
  type ElectionOptions,
  type Engine,
  type LogEntry,
  type Seat,
  SleepWatch,
} from '../../election/index.ts';
import { isolate as alone } from '../isolate.ts';
import type { AnyIsolatedJoinOptions } from '../join-options.ts';
import { type OpenPartition, openElection, partitionOn } from '../open-election.ts';
import { Line } from './line.ts';
import { RemoteSeat } from './remote-seat.ts';
import {
  type Introduction,
  type MainSide,
  type MemberSide,
  type MembershipCommands,
  sharedNs,
  type ThreadData,
} from './sides.ts';
import { startThread } from './start-thread.ts';

const USUAL_STALL_MS = 5000;

/**
 * A member that runs in a thread of its own, and so renews its leases while this thread is busy. It has the elections of
 * a member, and the commands that change its cluster; everything else of it is reached over HTTP.
 */
export class IsolatedMember implements Engine {
  readonly id: MemberId;
  readonly cluster: string;
  readonly url: string;
  readonly mainElection: string;
  readonly log: (entry: LogEntry) => void;
  /** As those of a member, `E_REFUSED` where members are not changed by operators. */
  readonly membership: MembershipCommands;
  readonly partition: OpenPartition = partitionOn(this);

  readonly #line: Line<MemberSide>;
  readonly #thread: Thread;
  readonly #seats: Map<string, RemoteSeat>;
  readonly #elections: Map<string, OpenElection>;
  readonly #sleep = new SleepWatch();
  #closing: Promise<void> | null = null;

  /** @internal Use `join`. */
  constructor({ id, cluster, url, mainElection }: Introduction, thread: Thread) {
    this.id = id;
    this.cluster = cluster;
    this.url = url;
    this.mainElection = mainElection;
    this.log = thread.log;
    this.#thread = thread;
    this.#line = thread.line;
    this.#seats = thread.seats;
    this.#elections = thread.elections;
    const { line } = thread;
    this.membership = {
      add: (...given) => line.call('change', 'add', given) as Promise<Outcome>,
      remove: (...given) => line.call('change', 'remove', given) as Promise<Outcome>,
      replace: (...given) => line.call('change', 'replace', given) as Promise<Outcome>,
      pause: (...given) => line.call('change', 'pause', given) as Promise<Outcome>,
      reconfigure: (...given) => line.call('change', 'reconfigure', given) as Promise<Outcome>,
      drain: (...given) => line.call('change', 'drain', given) as Promise<void>,
    };
  }

  /** One of the elections of this member, to observe or to lead. The same object for the same name, until it is closed. */
  election(name: string = this.mainElection, options?: ElectionOptions): Election {
    const found = this.#elections.get(name);
    const open = found?.seat === this.seat(name) ? found.election : null;
    return openElection(open, name, this, options);
  }

  seat(name: string = this.mainElection): Seat {
    if (this.#closing !== null) throw new CaucusError('E_CLOSED', 'the member was closed');
    const found = this.#seats.get(name);
    if (found !== undefined && !found.isClosed) return found;
    const seat = new RemoteSeat(name, String(this.id), this.#line, this.#sleep);
    this.#seats.set(name, seat);
    return seat;
  }

  /** @internal Registers an election, so that its work is stopped before a command of an operator ends a leadership. */
  opened(election: Election): void {
    const { name } = election;
    const seat = this.seat(name);
    if (this.#elections.get(name)?.seat === seat)
      throw new CaucusError('E_REFUSED', `the election ${name} is already open on this member`);
    this.#elections.set(name, { seat, election });
    this.#line.tell('occupy', name);
  }

  /** As that of a member: the work stops, leaderships are released, the connections close, and the thread ends. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await Promise.allSettled([...this.#elections.values()].map(({ election }) => election.close()));
    await Promise.allSettled([...this.#seats.values()].map((seat) => seat.close()));
    await this.#line.call('close').catch(() => {});
    await this.#thread.end();
  }
}

/** An election of the program, and the seat that it was opened on. */
interface OpenElection {
  readonly seat: Seat;
  readonly election: Election;
}

/** The thread of a member, seen from the main thread. */
interface Thread {
  readonly line: Line<MemberSide>;
  readonly seats: Map<string, RemoteSeat>;
  readonly elections: Map<string, OpenElection>;
  readonly log: (entry: LogEntry) => void;
  end(): Promise<void>;
}

/** Starts a member in a thread of its own. */
export async function joinIsolated(given: AnyIsolatedJoinOptions): Promise<IsolatedMember> {
  const { isolate: _, maxStallMs = USUAL_STALL_MS, log, ...options } = given;
  if (!(Number.isFinite(maxStallMs) && maxStallMs >= 100))
    throw new BadInput('maxStallMs', 'a number of milliseconds, at least 100', show(maxStallMs));
  if (log !== undefined && typeof log !== 'function') throw new BadInput('log', 'a function', show(log));
  for (const name of ['mounted', 'allow'] as const)
    if (Object.hasOwn(options, name))
      throw new BadInput(name, 'nothing, since a member with isolate listens by itself', show(name));
  const thread = start({ options, maxStallMs }, (entry) => alone(() => log?.(entry)));
  try {
    return new IsolatedMember(await thread.line.call('introduce'), thread);
  } catch (error) {
    await thread.end();
    throw error;
  }
}

function start(data: Omit<ThreadData, 'answeredNs'>, log: (entry: LogEntry) => void): Thread {
  const answeredNs = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
  const answered = new BigInt64Array(answeredNs);
  const answer = (): bigint => Atomics.store(answered, 0, sharedNs());
  answer();
  const answering = setInterval(answer, Math.max(5, Math.min(200, data.maxStallMs / 20))).unref();
  const seats = new Map<string, RemoteSeat>();
  const elections = new Map<string, OpenElection>();
  const the = (name: string): Election => {
    const election = elections.get(name)?.election;
    if (election === undefined) throw new CaucusError('E_CLOSED', `the election ${name} was closed`);
    return election;
  };
  const ours: MainSide = {
    log,
    standing: (name, standing) => seats.get(name)?.onTold(standing),
    resignWork: (name) => the(name).resign(),
    transferWork: (name, to) => the(name).transfer(to),
    endWork: (name, lost, ending) => the(name).end(lost, () => line.call('finish', ending)),
  };
  const worker = startThread(new URL('./member-thread.js', import.meta.url), { ...data, answeredNs });
  const line: Line<MemberSide> = new Line(worker, ours);
  const gone = (reason: string): void => {
    clearInterval(answering);
    line.close(new CaucusError('E_CLOSED', reason));
    for (const seat of seats.values()) seat.onGone(reason);
  };
  worker.once('error', (error) => {
    const reason = `the thread of the member failed: ${error.message}`;
    log({ level: 'error', message: reason });
    gone(reason);
  });
  worker.once('exit', () => gone('the thread of the member has ended'));
  return {
    line,
    seats,
    elections,
    log,
    end: async () => {
      await worker.terminate();
    },
  };
}
