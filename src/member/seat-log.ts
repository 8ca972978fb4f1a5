import type { Json, MemberId, Protocol, SeatedDisk } from '../core/index.ts';

/**
 * Logs when another disk gets the seat of a member: the disk was replaced or wiped, or two processes used one name.
 * An operator should know that it happened, and that it is over.
 */
export class SeatLog {
  readonly #self: MemberId;
  readonly #seatsIn: (record: Json) => readonly SeatedDisk[];
  /** The last disk in the seat of each member, kept while the seat is vacant. */
  readonly #disks = new Map<MemberId, string>();

  /** `saved`: the record at the start. */
  constructor(self: MemberId, protocol: Protocol, saved: Json) {
    this.#self = self;
    this.#seatsIn = (record) => protocol.seats?.(record) ?? [];
    if (saved !== null) this.#learn(this.#seatsIn(saved));
  }

  /** The log lines for a record that was saved, one for each changed seat. */
  news(record: Json): readonly string[] {
    const seats = this.#seatsIn(record);
    const news = seats.flatMap((seat) => this.#newsOf(seat) ?? []);
    this.#learn(seats);
    return news;
  }

  #newsOf({ id, disk, founder }: SeatedDisk): string | null {
    const before = this.#disks.get(id);
    if (disk === null || disk === before) return null;
    // A new disk of this member knows no earlier disk, but the record shows that the cluster had one.
    const isReplaced = before !== undefined || (id === this.#self && founder !== null && founder !== disk);
    return isReplaced ? `${id} came back with another disk, which now has its seat` : null;
  }

  #learn(seats: readonly SeatedDisk[]): void {
    for (const { id, disk } of seats) if (disk !== null) this.#disks.set(id, disk);
  }
}
