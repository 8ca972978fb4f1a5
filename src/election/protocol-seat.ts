import type { Command, Json, MemberId, Outcome, View, Why } from '../core/index.ts';
import { CaucusError } from './errors.ts';
import type { Held, Seat, Standing } from './seat.ts';

/** What a seat needs of the host that runs its protocol, in a member or in a test cluster. */
export interface SeatHost {
  /** The name of the election. */
  readonly name: string;
  readonly protocol: string;
  readonly commands: readonly Command['type'][];
  readonly view: View;
  readonly held: Held | null;
  /** Why the current leader leads, or why there is none. */
  readonly explanation: Why;
  /**
   * Does the view show the newest value that any leader can have committed? Only a leader can know. Null: the protocol
   * never knows.
   */
  readonly isCurrent: boolean | null;
  /** Why the disk refuses records, or null; undefined if the host has no disk. */
  readonly illness?: string | null;
  /** Gives the protocol a command. The history records `why`, if it is given. */
  order(command: Command, why?: Why): Promise<Outcome>;
  /** Campaigns as soon as the process has time for it, if there is no leader then. Omitted: at once. */
  campaign?(): void;
  /** Why this command would be refused now, or null. Has no effect. */
  refusal(command: Command): string | null;
  /** Calls back at every change. Returns a function that stops it. */
  subscribe(listener: () => void): () => void;
}

/**
 * A place in an election that one of our protocols decides. A program that only observes must not become leader, so
 * its member has priority 0 until `stand`. In a protocol without priorities every member is always a candidate;
 * there, an unwanted leadership is not shown as held, and is resigned if the protocol has that command.
 */
export class ProtocolSeat implements Seat {
  readonly election: string;
  readonly name: string;
  isClosed = false;
  readonly #host: SeatHost;
  readonly #priority: number;
  readonly #idOf: (name: string) => MemberId;
  #listeners: readonly ((standing: Standing) => void)[] = [];
  readonly #unsubscribe: () => void;
  #isStanding = false;
  #standing: Standing;
  /** What the listeners were told last. */
  #told: Standing;

  constructor(host: SeatHost, name: string, priority: number, idOf: (name: string) => MemberId) {
    this.election = host.name;
    this.name = name;
    this.#host = host;
    this.#priority = priority;
    this.#idOf = idOf;
    this.#standing = this.#look();
    this.#told = this.#standing;
    this.#unsubscribe = host.subscribe(() => this.#onChange());
  }

  /** Always current: another listener that is notified before this seat still reads the new state here. */
  get standing(): Standing {
    const now = this.#look();
    if (!isSame(this.#standing, now)) this.#standing = now;
    return this.#standing;
  }

  watch(listener: (standing: Standing) => void): () => void {
    this.#listeners = this.#listeners.concat(listener); // No longer than it needs to be.
    return () => {
      this.#listeners = this.#listeners.filter((each) => each !== listener);
    };
  }

  stand(): void {
    if (this.isClosed) throw new CaucusError('E_CLOSED', `the election ${this.election} was closed`);
    if (this.#isStanding) return;
    this.#isStanding = true;
    if (this.#can('priority')) {
      void this.#host.order({ type: 'priority', priority: this.#priority });
      // A campaign has no effect if there is a leader; if there is none, it saves waiting for a timeout.
      if (this.#host.campaign !== undefined) this.#host.campaign();
      else if (this.#host.view.leader === null) void this.#host.order({ type: 'campaign' });
    }
    this.#onChange();
  }

  async withdraw(why?: Why): Promise<void> {
    if (!this.#isStanding) return;
    // The command goes first, so that the program that is told of the loss also gets the reason.
    const released = this.#can('priority')
      ? this.#host.order({ type: 'priority', priority: 0 }, this.#said(why))
      : this.#giveUp(why);
    this.#isStanding = false;
    this.#onChange();
    await released;
  }

  async resign(why?: Why): Promise<void> {
    if (this.#host.view.role !== 'leader') return;
    if (!this.#can('resign')) throw unsupported(this.#host.protocol, 'resign');
    expectDone(await this.#host.order({ type: 'resign' }, this.#said(why)), 'resign');
  }

  refuseTransfer(to: string): CaucusError | null {
    if (!this.#can('transfer')) return unsupported(this.#host.protocol, 'transfer');
    const reason = this.#host.refusal({ type: 'transfer', to: this.#idOf(to) });
    return reason === null ? null : new CaucusError('E_REFUSED', `cannot transfer: ${reason}`);
  }

  async transfer(to: string): Promise<void> {
    await this.#lead({ type: 'transfer', to: this.#idOf(to) });
  }

  async publish(value: Json): Promise<number> {
    await this.#lead({ type: 'publish', value });
    return this.#host.view.version;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.withdraw({ cause: 'closed', detail: 'the election was closed' });
    this.#unsubscribe();
    this.#listeners = [];
  }

  #can(command: Command['type']): boolean {
    return this.#host.commands.includes(command);
  }

  /** Gives a command that only the leader can carry out. */
  async #lead(command: Command): Promise<void> {
    if (!this.#can(command.type)) throw unsupported(this.#host.protocol, command.type);
    if (this.standing.held === null) {
      const { leader } = this.standing;
      const who = leader === null ? 'there is no leader' : `${leader} leads`;
      throw new CaucusError('E_NOT_LEADER', `cannot ${command.type}: ${who}`);
    }
    expectDone(await this.#host.order(command), command.type);
  }

  async #giveUp(why: Why | undefined): Promise<void> {
    if (this.#host.view.role !== 'leader' || !this.#can('resign')) return;
    await this.#host.order({ type: 'resign' }, this.#said(why));
  }

  /** All members use these words for the end of this leadership, so they name the leader. */
  #said(why: Why | undefined): Why | undefined {
    if (why === undefined) return undefined;
    if (why.cause !== 'lease-expired')
      return { cause: why.cause, detail: `${this.name} resigned: ${why.detail}` };
    const { illness = null } = this.#host;
    // A leader whose lease ran out did not resign.
    const detail =
      illness === null
        ? `${this.name} stopped leading: ${why.detail}`
        : `${this.name} cannot write to its disk, so it did not renew its lease: ${illness}`;
    return { cause: why.cause, detail };
  }

  #look(): Standing {
    const { view, held, explanation } = this.#host;
    const { leader, version, value } = view;
    // A leader that may not act now is not shown as leader.
    const isIdle = view.role === 'leader' && held === null;
    const isLed = leader !== null && !isIdle;
    return {
      leader: isLed ? String(leader) : null,
      token: isLed && view.term !== null ? BigInt(view.term) : null,
      held: this.#isStanding ? held : null,
      value,
      version,
      isCurrent: this.#host.isCurrent,
      ...explanation,
    };
  }

  #onChange(): void {
    const { standing } = this;
    if (standing === this.#told) return;
    this.#told = standing;
    for (const listener of this.#listeners) listener(standing);
  }
}

function isSame(a: Standing, b: Standing): boolean {
  return (
    a.leader === b.leader &&
    a.token === b.token &&
    a.held === b.held &&
    a.version === b.version &&
    a.isCurrent === b.isCurrent &&
    a.cause === b.cause &&
    a.detail === b.detail
  );
}

/** Throws if the command was not carried out. */
export function expectDone(outcome: Outcome, what: string): void {
  if (outcome.status === 'refused') throw new CaucusError('E_REFUSED', `cannot ${what}: ${outcome.reason}`);
  if (outcome.status === 'failed') {
    const { effect, reason } = outcome;
    throw new CaucusError('E_FAILED', `${what} failed: ${reason}`, { outcome: effect });
  }
}

function unsupported(protocol: string, what: string): CaucusError {
  return new CaucusError('E_UNSUPPORTED', `the protocol ${protocol} cannot ${what}`);
}
