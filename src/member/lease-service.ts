/**
 * The members as a store of leases for programs that are no members (`caucus://`). One of the members is the lease manager: it
 * leads an election that the members hold among themselves for this, like any program that uses the library.
 *
 * The election is opened when the first participant takes an election, or another member opens it: a cluster that serves no
 * participants has no such election, and a program that only reads opens none.
 */
import { createHash } from 'node:crypto';
import { HttpError, type LeasePort, type LeaseWatcher } from '../api/index.ts';
import { BadInput } from '../core/index.ts';
import { CaucusError, Election, type Engine, type Leadership } from '../election/index.ts';
import { isReserved, LEASES_ELECTION, LeaseManager, leaseRegister, NO_PARTICIPANT } from '../leases/index.ts';
import type { ElectionHost } from './election-host.ts';
import type { Elections } from './elections.ts';
import { LeaseTerm } from './lease-term.ts';
import type { Settled } from './options.ts';
import type { Voters } from './voters.ts';

type Decide = LeasePort['decide'];

/** A reader of the register must not be able to act in the name of a session. */
const DIGEST_CHARACTERS = 22;

export class LeaseService implements LeasePort {
  readonly #settled: Settled;
  readonly #hosts: Elections;
  readonly #voters: Voters;
  readonly #engine: Engine;
  #isOpen = false;
  #isClosed = false;
  #term: LeaseTerm | null = null;
  /** Why this member cannot be the manager, or null. */
  #obstacle: string | null = null;

  /** Null if this member keeps none. `seat` opens also the election that no program may open. */
  static of(
    settled: Settled,
    hosts: Elections,
    voters: Voters,
    member: Engine,
    seat: Engine['seat'],
  ): LeaseService | null {
    const engine = { seat, opened: (election: Election) => member.opened?.(election) };
    return settled.leases ? new LeaseService(settled, hosts, voters, engine) : null;
  }

  private constructor(settled: Settled, hosts: Elections, voters: Voters, engine: Engine) {
    this.#settled = settled;
    this.#hosts = hosts;
    this.#voters = voters;
    this.#engine = engine;
  }

  readonly decide: Decide = async (ask, options) => {
    if (!options.opens) this.#expectOpened();
    this.#wake();
    return this.#current().decide(ask, options);
  };

  watch(watcher: LeaseWatcher): () => void {
    this.#expectOpened();
    this.#wake();
    return this.#current().watch(watcher);
  }

  #expectOpened(): void {
    if (this.#isOpen || this.#hosts.isKnown(LEASES_ELECTION)) return;
    throw new HttpError(503, 'E_NOT_OPENED', NO_PARTICIPANT, { details: { outcome: 'definite' } });
  }

  keyOf(session: string): string {
    return createHash('sha256').update(session).digest('base64url').slice(0, DIGEST_CHARACTERS);
  }

  /** Another member may have opened the election. Every member that keeps leases stands, so that one takes over at once. */
  onChange(election: { readonly name: string } | undefined): void {
    if (!this.#isOpen && election !== undefined && isReserved(election.name))
      queueMicrotask(() => this.#wake());
  }

  /** From now on this member votes and stands in the election of the lease managers. */
  #wake(): void {
    if (this.#isOpen || this.#isClosed) return;
    this.#isOpen = true;
    const election = new Election(LEASES_ELECTION, this.#engine);
    const host = this.#hosts.open(LEASES_ELECTION);
    election
      .lead((leadership) => this.#manage(leadership, election, host))
      .catch((error: unknown) => {
        if (error instanceof CaucusError && error.code === 'E_CLOSED') return;
        const reason = error instanceof Error ? error.message : String(error);
        this.#obstacle = `this member cannot manage leases: ${reason}`;
        this.#settled.log({ level: 'error', message: `${LEASES_ELECTION}: ${this.#obstacle}` });
      });
  }

  close(): void {
    this.#isClosed = true;
  }

  async #manage(leadership: Leadership, election: Election, host: ElectionHost): Promise<void> {
    if (!(await becomesCurrent(host, leadership))) return;
    let manager: LeaseManager;
    try {
      manager = new LeaseManager(
        leaseRegister.read(election.value, 'value'),
        leadership.token,
        performance.now(),
      );
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      throw new Error(`the register of the leases is none that this version can read: ${error.message}`);
    }
    const term = new LeaseTerm(manager, leadership);
    this.#term = term;
    try {
      await term.over;
    } finally {
      this.#term = null;
    }
  }

  /** Throws if another member is the manager, or none is. */
  #current(): LeaseTerm {
    if (this.#term?.isValid) return this.#term;
    const known = this.#hosts.find(LEASES_ELECTION)?.view.leader ?? null;
    const leader = known === this.#settled.id ? null : known;
    const leaderUrl = this.#voters.list.find(({ id }) => id === leader)?.url ?? null;
    const details = { leader, leaderUrl, outcome: 'definite' };
    if (leaderUrl !== null) {
      // Behind a load balancer, the next connection may reach another member.
      const headers = { connection: 'close' };
      const message = `this member does not manage the leases: ${leader} at ${leaderUrl} does`;
      throw new HttpError(421, 'E_NOT_MANAGER', message, { details, headers });
    }
    const why =
      this.#obstacle ?? 'no member manages the leases now: a majority of the members has to elect one';
    throw new HttpError(503, 'E_NO_MANAGER', why, { details });
  }
}

/**
 * A new leader may first have to complete the register of an earlier one. The leases of that register may have been granted, so the
 * manager begins with nothing older. False: the leadership ended before.
 */
async function becomesCurrent(host: ElectionHost, leadership: Leadership): Promise<boolean> {
  const { signal } = leadership;
  let stop = (): void => {};
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (signal.aborted || host.isCurrent) resolve();
    };
    const unsubscribe = host.subscribe(look);
    signal.addEventListener('abort', look, { once: true });
    stop = () => {
      unsubscribe();
      signal.removeEventListener('abort', look);
    };
    look();
  });
  stop();
  return leadership.isValid();
}
