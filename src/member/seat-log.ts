import type { Json, MemberId, Protocol, SeatedDisk } from '../core/index.ts';

/**
 * Says when another disk than before has got the seat of a member: the disk was replaced or
 * wiped, or two processes have used one name, and an operator should know that this has happened and that it is over.
 */
export class SeatLog {
  readonly #self: MemberId;
  readonly #seatsIn: (record: Json) => readonly SeatedDisk[];
  /** The disk that had the seat of each member last, also while the seat is vacant. */
  readonly #disks = new Map<MemberId, string>();

  /** `saved`: what was on the disk at the start. */
  constructor(self: MemberId, protocol: Protocol, saved: Json) {
    this.#self = self;
    this.#seatsIn = (record) => protocol.seats?.(record) ?? [];
    if (saved !== null) this.#learn(this.#seatsIn(saved));
  }

  /** What is to be said about a record that was saved, in one line for each seat. */
  news(record: Json): readonly string[] {
    const seats = this.#seatsIn(record);
    const news = seats.flatMap((seat) => this.#newsOf(seat) ?? []);
    this.#learn(seats);
    return news;
  }

  #newsOf({ id, disk, founder }: SeatedDisk): string | null {
    const before = this.#disks.get(id);
    if (disk === null || disk === before) return null;
    // A disk that is new to the cluster knows of none before it, but the cluster does.
    const isReplaced = before !== undefined || (id === this.#self && founder !== null && founder !== disk);
    return isReplaced ? `${id} has come back with another disk, which has got its seat` : null;
  }

  #learn(seats: readonly SeatedDisk[]): void {
    for (const { id, disk } of seats) if (disk !== null) this.#disks.set(id, disk);
  }
}
