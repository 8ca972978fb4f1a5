import type { MemberId } from '../core/index.ts';
import { ProtocolSeat, type Seat } from '../election/index.ts';
import type { ElectionHost } from './election-host.ts';
import { type Occupant, type Steward, steward } from './steward.ts';

interface Around {
  readonly self: MemberId;
  readonly priority: number;
  open(name: string): ElectionHost;
  /** The member that an operator or a program calls by this text. */
  idOf(text: string): MemberId;
}

/** What the program of a member holds: its seats, and the elections on them. */
export class Occupants {
  readonly #around: Around;
  readonly #seats = new Map<string, ProtocolSeat>();
  /** The elections on each seat: one, unless the program created more. */
  readonly #elections = new Map<Seat, readonly Occupant[]>();
  readonly #steward: Steward = (host, command, why) => steward(this.of(host.name), host, command, why);

  constructor(around: Around) {
    this.#around = around;
  }

  /** Does the program use this election? */
  has(name: string): boolean {
    return this.#seats.has(name);
  }

  /** The elections of the program under this name, the first one first. */
  of(name: string): readonly Occupant[] {
    return this.#elections.get(this.#seats.get(name)!) ?? [];
  }

  seat(name: string): Seat {
    const found = this.#seats.get(name);
    if (found !== undefined && !found.isClosed) return found;
    const { self, priority, open, idOf } = this.#around;
    const seat = new ProtocolSeat(open(name), String(self), priority, idOf);
    // The elections on a seat that was closed are stopped no more.
    if (found !== undefined) this.#elections.delete(found);
    this.#seats.set(name, seat);
    return seat;
  }

  /** The work of this election is stopped before a leadership ends. */
  add(election: Occupant): void {
    const { name } = election;
    const seat = this.seat(name);
    const elections = this.#elections.get(seat);
    this.#elections.set(seat, elections === undefined ? [election] : [...elections, election]);
    this.#around.open(name).steward = this.#steward;
  }

  /** An election that fails to close must not keep the rest of the member open. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#elections.values()].flat().map((election) => election.close()));
    await Promise.allSettled([...this.#seats.values()].map((seat) => seat.close()));
  }
}
