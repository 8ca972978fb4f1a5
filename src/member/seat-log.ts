import type { Json, MemberId, Protocol, SeatedDisk } from '../core/index.ts';

type Disks = ReadonlyMap<MemberId, string>;

const NONE: Disks = new Map();

/** The disks that have the seats are the same in nearly all elections of a member, so they are kept once. */
export class SharedSeats {
  readonly self: MemberId;
  readonly #protocol: Protocol;
  #latest: Disks = NONE;

  constructor(self: MemberId, protocol: Protocol) {
    this.self = self;
    this.#protocol = protocol;
  }

  in(record: Json): readonly SeatedDisk[] {
    return this.#protocol.seats?.(record) ?? [];
  }

  /** These disks, and those of the others that are known. */
  with(disks: Disks, seats: readonly SeatedDisk[]): Disks {
    if (seats.every(({ id, disk }) => disk === null || disks.get(id) === disk)) return disks;
    const known = new Map(disks);
    for (const { id, disk } of seats) if (disk !== null) known.set(id, disk);
    if (!isSame(known, this.#latest)) this.#latest = known;
    return this.#latest;
  }
}

function isSame(a: Disks, b: Disks): boolean {
  if (a.size !== b.size) return false;
  for (const [id, disk] of a) if (b.get(id) !== disk) return false;
  return true;
}

/**
 * Logs when another disk gets the seat of a member: the disk was replaced or wiped, or two processes used one name.
 * An operator should know that it happened, and that it is over.
 */
export class SeatLog {
  readonly #seats: SharedSeats;
  /** The last disk in the seat of each member, kept while the seat is vacant. */
  #disks: Disks = NONE;

  /** `saved`: the record at the start. */
  constructor(seats: SharedSeats, saved: Json) {
    this.#seats = seats;
    if (saved !== null) this.#disks = seats.with(NONE, seats.in(saved));
  }

  /** The log lines for a record that was saved, one for each changed seat. */
  news(record: Json): readonly string[] {
    const seats = this.#seats.in(record);
    const news = seats.flatMap((seat) => this.#newsOf(seat) ?? []);
    this.#disks = this.#seats.with(this.#disks, seats);
    return news;
  }

  #newsOf({ id, disk, founder }: SeatedDisk): string | null {
    const before = this.#disks.get(id);
    if (disk === null || disk === before) return null;
    // A new disk of this member knows no earlier disk, but the record shows that the cluster had one.
    const isReplaced =
      before !== undefined || (id === this.#seats.self && founder !== null && founder !== disk);
    return isReplaced ? `${id} came back with another disk, which now has its seat` : null;
  }
}
