import type { Assumption, MemberId, View } from '../core/index.ts';
import type { Host } from './host.ts';

/** Any seat counts: a seat that was shown before cannot be that of a new disk. */
const ANY = -1;
/** No seat counts while a second process of the member runs: the seat may be that process's. */
const NONE = Number.POSITIVE_INFINITY;

/**
 * The members that are without their own disk now, and which assumptions that breaks. A member has its disk again
 * once it reports a seat. If a protocol does not report seats (its views name no members), a lost disk stays lost.
 */
export class Losses {
  /** The member that was configured with itself alone: on an empty disk it knows of no other member. */
  readonly #loner: MemberId | null;
  readonly #broken: Set<Assumption>;
  /** By member, the version after which its reported seat counts. */
  readonly #missing = new Map<MemberId, number>();
  /** By member, the newest version that it alone had: others know of it only when a newer one is committed. */
  readonly #alone = new Map<MemberId, number>();
  /** The newest version that any process has shown. */
  #newest = 0;

  constructor(configured: readonly MemberId[], broken: Set<Assumption>) {
    this.#loner = configured.length === 1 ? configured[0]! : null;
    this.#broken = broken;
  }

  /** The member starts on an empty disk. */
  lose({ id, disk }: Host): void {
    disk.erase();
    this.#add(id, ANY);
  }

  /** The store refused the disk of the member: it counts as lost from now on. */
  refuse({ id, isTwin }: Host): void {
    if (!isTwin) this.#add(id, ANY);
  }

  /**
   * The member starts on an earlier state of its disk. Its seat of then proves nothing: the register has to move on.
   */
  restore({ id, disk }: Host): void {
    disk.restore();
    this.#broken.add('no-copy');
    this.#add(id, this.#newest);
  }

  /** A second process of the member starts. */
  double(id: MemberId, disk: 'empty' | 'copied'): void {
    if (disk === 'copied') this.#broken.add('no-copy');
    this.#add(id, NONE);
  }

  /**
   * The second process is gone for ever, and with it a disk that may have had the seat of the member, or may be given
   * it by a register in flight. The member certainly has its own seat only when it reports one in a later version.
   */
  single({ id }: Host): void {
    this.#missing.set(id, this.#newest);
  }

  reported({ id, isTwin }: Host, { version, role, members }: View): void {
    if (version > this.#newest) this.#newest = version;
    if (members === undefined) return;
    // A single member depends on its disk: no promise covers a cluster whose only member is without it.
    if (members.length === 1 && this.#missing.has(members[0]!)) this.#broken.add('one-disk');
    if (members.length === 1 && members[0] === id) this.#alone.set(id, version);
    else if (this.#alone.size > 0 && version > (this.#alone.get(id) ?? NONE)) this.#alone.delete(id);
    // A member can lead with the votes of others while its own disk has no seat.
    if (this.#missing.size === 0 || isTwin || role === 'none' || role === 'leader') return;
    const passed = this.#missing.get(id);
    if (passed !== undefined && version > passed) this.#missing.delete(id);
  }

  #add(id: MemberId, version: number): void {
    const isOnly = this.#missing.size === 0 || (this.#missing.size === 1 && this.#missing.has(id));
    this.#missing.set(id, Math.max(version, this.#missing.get(id) ?? ANY));
    this.#broken.add('disk');
    // No other member has what the only one has lost.
    if (!isOnly || id === this.#loner || this.#alone.has(id)) this.#broken.add('one-disk');
  }
}
