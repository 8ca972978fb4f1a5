/**
 * Who the members of the cluster are, and where: the committed register of the main election, in which members that were
 * added while the cluster ran have their URLs. The connections of this member, and what it admits, follow it.
 *
 * Example: a, b and c are configured. d is added: it is dialled and admitted, also after a restart, although no
 * configuration names it. Then a is removed: it is told so, and after a moment in which it hands over what it leads, it
 * is neither dialled nor admitted any more, although the configurations still name it.
 */
import type { ClusterVoter } from '../api/index.ts';
import type { MemberId, SeatedDisk } from '../core/index.ts';
import type { Store } from './data-folder.ts';
import type { LogEntry } from './join-options.ts';
import type { Links, Peer } from './links/links.ts';
import { normalUrl, type Voters } from './voters.ts';

/** How long a member that was removed stays connected: it hears of its removal, and hands over what it leads. */
const FAREWELL_MS = 5000;
/** Ids of removed members that are remembered. */
const MOST_REMOVED = 1000;

export interface RosterAround {
  readonly id: MemberId;
  /** Where this member is reached. */
  url(): string;
  readonly configured: readonly Peer[];
  /** The peers were learned from a member, not configured. */
  readonly isLearned: boolean;
  readonly store: Store;
  readonly voters: Voters;
  links(): Links;
  log(entry: LogEntry): void;
  /** The members, or their addresses, have changed. */
  changed(): void;
}

export class Roster {
  readonly #around: RosterAround;
  #seats: readonly SeatedDisk[] = [];
  /** Where members are that are neither configured nor have a URL in the register: as it was learned when this one joined. */
  readonly #addresses: Map<MemberId, string>;
  readonly #removed: Set<MemberId>;
  readonly #farewells = new Map<MemberId, NodeJS.Timeout>();
  /** A member that is being added, which is not in the register yet. */
  #joiner: Peer | null = null;
  /** Members that another one told of, while this one knows of no cluster that has been founded, or hears no leader. */
  #learned: readonly Peer[] = [];
  #wasMember: boolean;
  #told = '';
  #isUnsaved = false;
  #isClosed = false;

  constructor(around: RosterAround) {
    this.#around = around;
    const { members, removed } = around.store.member;
    this.#addresses = new Map(members.map(({ id, url }) => [id, url]));
    this.#removed = new Set(removed);
    this.#wasMember = this.#addresses.has(around.id);
  }

  /** Null as long as the cluster has not been founded, as far as this member knows. */
  get members(): readonly ClusterVoter[] | null {
    if (!isFounded(this.#seats)) return null;
    return this.#seats.map(({ id, disk, url }) => ({
      id,
      url: this.#addressOf(id, url) ?? '',
      votes: disk !== null,
    }));
  }

  /** Is this member one of a cluster that has been founded? */
  get isOutside(): boolean {
    return isFounded(this.#seats) && !this.#seats.some(({ id }) => id === this.#around.id);
  }

  /** Was this member removed, and is it to be told so? */
  isRemoved(id: MemberId | string): boolean {
    const found = [...this.#removed].find((each) => String(each) === String(id));
    const isExpected = this.#joiner?.id === found || this.#learned.some((each) => each.id === found);
    return found !== undefined && !this.#farewells.has(found) && !isExpected;
  }

  get removed(): readonly MemberId[] {
    return [...this.#removed];
  }

  /** Dials a member that is to be added, and admits it; null: there is none any more. */
  invite(joiner: Peer | null): void {
    this.#joiner = joiner;
    this.#apply();
  }

  /**
   * Dials the members that another one told of, and admits them, until this one has heard a leader, which has the newest
   * register; null: it has.
   */
  learn(members: readonly Peer[] | null): void {
    if (members === null && this.#learned.length === 0) return;
    const isToldAnew = (id: MemberId): boolean => members?.some((each) => each.id === id) ?? true;
    this.#learned = [...this.#learned.filter(({ id }) => !isToldAnew(id)), ...(members ?? [])];
    this.#apply();
  }

  /** The record of the main election, when it is opened. */
  load(seats: readonly SeatedDisk[]): void {
    this.#take(seats, false);
    this.#apply();
  }

  /** The same each time it is saved. What follows from it waits: the messages of this step still go to those that leave. */
  saved(seats: readonly SeatedDisk[]): void {
    if (isSame(seats, this.#seats)) return;
    this.#take(seats, true);
    setImmediate(() => {
      if (!this.#isClosed) this.#apply();
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#farewells.values()) clearTimeout(timer);
  }

  /** In what the configuration and the members differ, and the command that mends it; null if they do not differ. */
  get difference(): string | null {
    const { id: self, configured, isLearned } = this.#around;
    const members = this.members;
    if (members === null) return null;
    const differ = (isLearned ? [] : configured).flatMap(({ id, url }): string[] => {
      const member = members.find((each) => each.id === id);
      if (member === undefined && id !== self) {
        const was = this.#removed.has(id) ? 'was removed' : 'is not a member';
        return [
          `${id} is configured as a peer, but ${was}: it takes no part and counts for no majority; take it out of the peers, or add it: caucus member add ${id} ${url}`,
        ];
      }
      if (member === undefined || member.url === url) return [];
      return [`${id} is configured to be at ${url}, but was added at ${member.url}: correct the peers`];
    });
    const own = this.isOutside ? [this.outsideWords] : [];
    const added = members.filter(({ id }) => id !== self && !configured.some((peer) => peer.id === id));
    const missing = isLearned
      ? []
      : added.map(({ id, url }) =>
          url === ''
            ? `${id} is a member, but this member does not know where it is: add ${id}=URL to its peers`
            : `${id} is a member, but is not configured as a peer: add ${id}=${url} to the peers of this member`,
        );
    const words = [...own, ...differ, ...missing].join('; ');
    return words === ''
      ? null
      : `the members of the cluster are ${members.map(({ id }) => id).join(', ')}; ${words}`;
  }

  /** For a process that is no member: what that means, and what to do. */
  get outsideWords(): string {
    const { id, url } = this.#around;
    const what = this.#wasMember ? 'was removed from the cluster' : 'is not a member of the cluster';
    return `${id} ${what}: it leads nothing and counts for no majority; stop it, or add it: caucus member add ${id} ${url()}`;
  }

  #take(seats: readonly SeatedDisk[], isLive: boolean): void {
    const before = isFounded(this.#seats) ? this.#seats.map(({ id }) => id) : [...this.#addresses.keys()];
    this.#seats = seats;
    if (!isFounded(seats)) return;
    const isMember = (id: MemberId): boolean => seats.some((seat) => seat.id === id);
    for (const { id } of seats) {
      this.#removed.delete(id);
      this.#endFarewell(id);
    }
    if (isMember(this.#around.id)) this.#wasMember = true;
    for (const id of before) {
      if (isMember(id) || id === this.#around.id || this.#removed.has(id)) continue;
      this.#removed.add(id);
      if (isLive) this.#sayGoodbye(id);
    }
    for (const id of this.#removed) if (this.#removed.size > MOST_REMOVED) this.#removed.delete(id);
    for (const { id, url } of seats) {
      const address = this.#addressOf(id, url);
      if (address !== null) this.#addresses.set(id, address);
    }
    for (const id of this.#addresses.keys()) if (!isMember(id)) this.#addresses.delete(id);
    this.#isUnsaved = true;
  }

  /** It was added again before it was gone. */
  #endFarewell(id: MemberId): void {
    clearTimeout(this.#farewells.get(id));
    this.#farewells.delete(id);
  }

  #sayGoodbye(id: MemberId): void {
    const timer = setTimeout(() => {
      this.#farewells.delete(id);
      this.#apply();
    }, FAREWELL_MS);
    timer.unref();
    this.#farewells.set(id, timer);
  }

  #save(): void {
    if (!this.#isUnsaved) return;
    this.#isUnsaved = false;
    const { store, log } = this.#around;
    const members = [...this.#addresses].map(([id, url]) => ({ id, url }));
    try {
      store.saveMembers(members, this.removed);
    } catch (error) {
      // The register has them too: only addresses that are nowhere else would have to be learned again.
      const message = `the addresses of the members are not kept: ${error instanceof Error ? error.message : error}`;
      log({ level: 'warning', message });
    }
  }

  /** The operator who added the member said where it is, after the configurations were written. */
  #addressOf(id: MemberId, url: string | null): string | null {
    const voted = url === null ? null : normalUrl(url);
    const { configured } = this.#around;
    if (id === this.#around.id) return this.#around.url();
    return voted ?? configured.find((peer) => peer.id === id)?.url ?? this.#addresses.get(id) ?? null;
  }

  #apply(): void {
    if (this.#isClosed) return;
    const { voters, links, log, changed } = this.#around;
    const members = (this.members ?? []).filter(({ url }) => url !== '');
    const leaving = [...this.#farewells.keys()].flatMap((id) => voters.list.filter((each) => each.id === id));
    const joiner = this.#joiner === null ? [] : [this.#joiner];
    const gone = [...this.#removed].filter((id) => this.isRemoved(id));
    const learned = this.#learned.filter(({ id }) => !members.some((each) => each.id === id));
    const all = [...joiner, ...members, ...learned, ...leaving];
    const isFirst = ({ id }: Peer, i: number): boolean => all.findIndex((each) => each.id === id) === i;
    voters.follow(all.filter(isFirst), gone);
    links().setPeers(voters.others, gone);
    this.#save();
    const difference = this.difference ?? '';
    if (difference !== this.#told && difference !== '') log({ level: 'warning', message: difference });
    this.#told = difference;
    changed();
  }
}

/** Before the first leader of a cluster has given disks their seats, its members are only configured. */
function isFounded(seats: readonly SeatedDisk[]): boolean {
  return seats.some(({ disk }) => disk !== null);
}

function isSame(one: readonly SeatedDisk[], other: readonly SeatedDisk[]): boolean {
  return (
    one.length === other.length &&
    one.every((seat, i) => {
      const { id, disk, url } = other[i]!;
      return seat.id === id && seat.disk === disk && seat.url === url;
    })
  );
}
