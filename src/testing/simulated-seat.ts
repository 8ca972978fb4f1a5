import { type Command, type Json, type MemberId, type Outcome, refusalOf } from '../core/index.ts';
import { CaucusError, type Held, type Seat, type Standing, type Why } from '../election/index.ts';
import type { Host } from '../simulation/index.ts';
import type { TestWorld } from './test-world.ts';

/** A simulated member's place in the one election of its world: for one life of its process, and not beyond. */
export class SimulatedSeat implements Seat {
  readonly election: string;
  readonly name: string;
  standing: Standing = {
    leader: null,
    token: null,
    held: null,
    value: null,
    version: 0,
    cause: 'started',
    detail: 'no election has been decided yet',
  };
  readonly #world: TestWorld;
  readonly #host: Host;
  readonly #priority: number;
  readonly #listeners = new Set<(standing: Standing) => void>();
  #isStanding = false;
  #isOver = false;
  #held: Held | null = null;
  /** The token of a leadership that ended before its time. It is not used again: it is given up for a new one. */
  #lapsed: bigint | null = null;
  /** The last thing that was asked of the member that ends a leadership. */
  #asked: Why | null = null;

  constructor(election: string, world: TestWorld, host: Host, priority: number) {
    this.election = election;
    this.name = String(host.id);
    this.#world = world;
    this.#host = host;
    this.#priority = priority;
  }

  watch(listener: (standing: Standing) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stand(): void {
    if (this.#isStanding) return;
    this.#isStanding = true;
    if (this.#can('priority')) {
      void this.#ask({ type: 'priority', priority: this.#priority });
      if (this.#host.view.leader === null) void this.#ask({ type: 'campaign' });
    }
    this.look();
  }

  async withdraw(why: Why = { cause: 'resigned', detail: `${this.name} has withdrawn` }): Promise<void> {
    if (!this.#isStanding) return;
    this.#isStanding = false;
    this.#asked = why;
    if (this.#can('priority')) await this.#ask({ type: 'priority', priority: 0 });
    else if (this.#held !== null && this.#can('resign')) await this.#ask({ type: 'resign' });
    this.look();
  }

  async resign(why: Why = { cause: 'resigned', detail: `${this.name} has resigned` }): Promise<void> {
    if (this.#host.view.role !== 'leader') return;
    this.#asked = why;
    await this.#demand({ type: 'resign' });
  }

  refuseTransfer(to: string): CaucusError | null {
    if (!this.#can('transfer')) return this.#unsupported('transfer');
    const id = this.#find(to);
    const reason =
      id === undefined
        ? `there is no member ${to}`
        : refusalOf(this.#world.protocol, this.#host.state, { type: 'transfer', to: id });
    return reason === null ? null : new CaucusError('E_REFUSED', `cannot transfer: ${reason}`);
  }

  async transfer(to: string): Promise<void> {
    const id = this.#find(to);
    if (id === undefined) throw new CaucusError('E_REFUSED', `cannot transfer: there is no member ${to}`);
    this.#asked = { cause: 'transferred', detail: `the leadership is handed to ${to}` };
    await this.#demand({ type: 'transfer', to: id });
  }

  async publish(value: Json): Promise<number> {
    await this.#demand({ type: 'publish', value });
    return this.#host.view.version;
  }

  async close(): Promise<void> {
    await this.withdraw();
    this.end();
  }

  /** Its process has ended: nobody is told anything any more. */
  end(): void {
    this.#isOver = true;
    this.#listeners.clear();
  }

  /** Looks at the member anew, unless its process stands still. Says whether there is news. */
  look(): boolean {
    if (this.#isOver || this.#host.paused) return false;
    const before = this.standing;
    const after = this.#lookAt();
    const { leader, token, held, version } = after;
    const isSame =
      leader === before.leader &&
      token === before.token &&
      held === before.held &&
      version === before.version;
    if (isSame) return false;
    this.standing = { ...after, ...this.#explain(before, after) };
    this.#asked = null;
    for (const listener of [...this.#listeners]) listener(this.standing);
    return true;
  }

  #lookAt(): Standing {
    const { view, id } = this.#host;
    const token = view.term === null ? null : BigInt(view.term);
    this.#consider(token);
    // A leader that may not act at the moment leads nobody.
    const isIdle = view.leader === id && this.#held === null;
    const leader = view.leader === null || isIdle ? null : String(view.leader);
    const { value, version } = view;
    return {
      ...this.standing,
      leader,
      token: leader === null ? null : token,
      held: this.#isStanding ? this.#held : null,
      value,
      version,
    };
  }

  #consider(token: bigint | null): void {
    const { acting, view } = this.#host;
    if (this.#held !== null && !(acting && this.#held.token === (token ?? 0n))) {
      if (view.lease !== null) this.#lapsed = this.#held.token;
      this.#held = null;
    }
    if (!acting || this.#held !== null) return;
    if (token === null || token !== this.#lapsed) this.#held = this.#hold(token ?? 0n);
    else if (this.#can('resign')) void this.#ask({ type: 'resign' });
  }

  #hold(token: bigint): Held {
    const endsMs = (): number => this.#world.leaseEndsMs(this.#host);
    return {
      token,
      get expiresAtMs() {
        return endsMs();
      },
    };
  }

  #explain(before: Standing, after: Standing): Why {
    const { cause, detail } = before;
    if (after.leader !== null) {
      if (after.leader === before.leader && after.token === before.token) return { cause, detail };
      const withToken = after.token === null ? '' : ` with token ${after.token}`;
      return { cause: 'won', detail: `${after.leader} leads${withToken}` };
    }
    if (before.leader === null) return { cause, detail };
    if (this.#asked !== null) return { cause: this.#asked.cause, detail: this.#asked.detail };
    if (before.leader !== this.name) {
      return { cause: 'lease-expired', detail: `nothing was heard of ${before.leader} in time` };
    }
    const { role, term } = this.#host.view;
    if (role === 'leader') {
      return { cause: 'lease-expired', detail: 'no majority answered before the lease ran out' };
    }
    if (term !== null && before.token !== null && BigInt(term) > before.token) {
      return { cause: 'deposed', detail: `another member asks for votes with token ${term}` };
    }
    return { cause: 'lost-quorum', detail: 'no majority has answered for a whole time-out' };
  }

  #find(name: string): MemberId | undefined {
    return [...this.#world.hosts.keys()].find((each) => String(each) === name);
  }

  #unsupported(what: string): CaucusError {
    const { name } = this.#world.scenario.definition;
    return new CaucusError('E_UNSUPPORTED', `the protocol ${name} cannot ${what}`);
  }

  #can(command: Command['type']): boolean {
    return this.#world.scenario.definition.commands.includes(command);
  }

  /** What a process that has ended was waiting for never comes. */
  #ask(command: Command): Promise<Outcome> {
    if (this.#isOver) return new Promise(() => {});
    return this.#world.ask(this.#host, command);
  }

  async #demand(command: Command): Promise<void> {
    const { type } = command;
    if (!this.#can(type)) throw this.#unsupported(type);
    const outcome = await this.#ask(command);
    if (outcome.status === 'refused') throw new CaucusError('E_REFUSED', `cannot ${type}: ${outcome.reason}`);
    if (outcome.status === 'failed') {
      throw new CaucusError('E_FAILED', `${type} failed: ${outcome.reason}`, { outcome: outcome.effect });
    }
  }
}
