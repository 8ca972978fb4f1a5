/**
 * The members of the cluster as this member knows them, what follows from that for it, and the commands of operators:
 * a process that was removed, is drained or is told to let leaders be leads nothing.
 */
import type { ClusterVoter, MembershipPort, TimingPort } from '../api/index.ts';
import {
  idSet,
  type MemberId,
  type Outcome,
  type Reconfiguration,
  type SeatedDisk,
  type SetTimes,
  type Why,
} from '../core/index.ts';
import type { Store } from './data-folder.ts';
import type { ElectionHost } from './election-host.ts';
import type { Elections } from './elections.ts';
import { Following } from './following.ts';
import { Learning } from './learning.ts';
import type { Links, Peer } from './links/links.ts';
import { Membership } from './membership.ts';
import type { Settled } from './options.ts';
import { isSameTimes, timingOf } from './retiming.ts';
import { Roster } from './roster.ts';
import type { Unreachable } from './unreachable.ts';
import type { Voters } from './voters.ts';

export interface ClusterAround {
  readonly settled: Settled;
  readonly store: Store;
  readonly voters: Voters;
  readonly unreachable: Unreachable;
  /** Where this member is reached. */
  url(): string;
  links(): Links;
  hosts(): Elections;
  isClosing(): boolean;
  changed(): void;
}

export class ClusterMembership implements MembershipPort {
  readonly configured: readonly MemberId[] | null;
  isDrained = false;
  isPaused = false;

  readonly #around: ClusterAround;
  readonly #roster: Roster;
  readonly #following: Following;
  readonly #changes: Membership;
  readonly #learning: Learning | null;
  /** Why the other members do not accept this process, or null. */
  #refusal: Why | null = null;
  /** Why it leads nothing, since it was removed or is not accepted; or null. */
  #exclusion: Why | null = null;
  /** The times that were last told in the log. */
  #told: SetTimes | null = null;

  constructor(around: ClusterAround) {
    const { settled, store, voters, unreachable, url, links, hosts } = around;
    const { id, peers, join, election, log } = settled;
    this.#around = around;
    this.configured = join === null ? idSet([id, ...peers.map((peer) => peer.id)]) : null;
    this.#roster = new Roster({
      id,
      url,
      configured: peers,
      isLearned: join !== null,
      store,
      voters,
      links,
      log,
      changed: () => this.#onRoster(),
    });
    this.#following = new Following({
      hosts: () => hosts().list.filter(({ name }) => name !== election),
      members: () => (this.#roster.isOutside ? null : this.#roster.members),
      isRemoved: (each) => this.#roster.removed.includes(each) || this.#isMainLed,
      times: () => (hosts().retimed?.isCommitted ? hosts().retimed!.times : null),
      changed: () => around.changed(),
    });
    this.#changes = new Membership({
      roster: this.#roster,
      unreachable,
      main: () => hosts().open(election),
      leader: () => this.leader,
      lend: (isLent) => hosts().lend(isLent),
      links,
      settled,
    });
    this.#learning = this.#learn();
  }

  /** A process that joins has asked already, and waits to be added. */
  #learn(): Learning | null {
    const { settled, links, voters } = this.#around;
    const { id, cluster, election, peers, join, definition } = settled;
    if (peers.length === 0 || !definition.commands.includes('add')) return null;
    const isWaiting = (): boolean => join !== null && this.members === null;
    return new Learning({
      id,
      cluster,
      election,
      others: () => voters.others,
      isRemoved: (each) => this.#roster.isRemoved(each),
      links,
      isDone: () => isWaiting() || (this.members !== null && this.leader !== null),
      learned: (members) => this.#roster.learn(members),
    });
  }

  get members(): readonly ClusterVoter[] | null {
    return this.#roster.members;
  }

  /** A member that does not stand keeps the last leader in its view, also when that one is silent. */
  get leader(): MemberId | null {
    const { hosts, settled } = this.#around;
    const main = hosts().open(settled.election);
    const { leader, role } = main.view;
    if (leader === null || role === 'leader') return leader;
    const silenceMs = 2 * longestTimeoutMs(this.timing);
    return Date.now() - (main.heardAtMs(leader) ?? 0) > silenceMs ? null : leader;
  }

  get removed(): readonly MemberId[] {
    return this.#roster.removed;
  }

  get difference(): string | null {
    const found = [this.#roster.difference, this.timing.difference].filter((words) => words !== null);
    return found.length === 0 ? null : found.join('; ');
  }

  get timing(): TimingPort {
    const { hosts, settled } = this.#around;
    return timingOf(settled, hosts().retimed);
  }

  isRemoved(id: MemberId): boolean {
    return this.#roster.isRemoved(id);
  }

  pendingIn(election: string): readonly string[] {
    const { hosts, settled } = this.#around;
    if (election === settled.election) return this.#lacking;
    const host = hosts().find(election);
    return host === undefined ? [] : this.#following.pendingIn(host);
  }

  add(joiner: Peer): Promise<Outcome> {
    return this.#changes.add(joiner);
  }

  remove(id: MemberId, force: boolean): Promise<Outcome> {
    return this.#changes.remove(id, force);
  }

  replace(old: MemberId, joiner: Peer, force: boolean): Promise<Outcome> {
    return this.#changes.replace(old, joiner, force);
  }

  pause(isOn: boolean): Promise<Outcome> {
    return this.#changes.pause(isOn);
  }

  reconfigure(asked: Reconfiguration): Promise<Outcome> {
    return this.#changes.reconfigure(asked);
  }

  async drain(isOn: boolean): Promise<void> {
    if (isOn === this.isDrained) return;
    this.isDrained = isOn;
    const { settled, hosts, changed } = this.#around;
    const { id, log } = settled;
    const message = isOn
      ? `${id} is drained: it leads nothing until the drain is ended (caucus drain ${id} --undo) or it is restarted`
      : `${id} is not drained any more`;
    log({ level: 'info', message });
    await hosts().bars.set('drained', isOn ? { cause: 'resigned', detail: `${id} is drained` } : null);
    changed();
  }

  /** The record of the main election was opened, or saved. */
  onRecord(seats: readonly SeatedDisk[], isPaused: boolean, isSaved: boolean): void {
    if (!isSaved) {
      this.#roster.load(seats);
      this.#onPaused(isPaused);
      return;
    }
    this.#roster.saved(seats);
    // What follows from a pause waits for the end of the step that saves it.
    if (isPaused !== this.isPaused) setImmediate(() => this.#onPaused(isPaused));
  }

  /** An election has changed. */
  look(host: ElectionHost): void {
    if (host.name !== this.#around.settled.election) return this.#following.look(host);
    this.#lookAtTimes();
    this.#exclude();
  }

  /** The other members accept this process (null), or do not. */
  exclude(why: Why | null): void {
    this.#refusal = why;
    this.#exclude();
  }

  /** A process that joins says what it waits for, unless it was added before. */
  sayWaiting(): void {
    const { settled, hosts, url } = this.#around;
    const { id, join, election, log } = settled;
    if (join === null || this.members !== null) return;
    const detail = `waits to be added: ${id} votes and leads nothing until an operator adds it: caucus member add ${id} ${url()} ${join}`;
    hosts().open(election).note({ cause: 'started', detail });
    log({ level: 'info', message: detail });
  }

  close(): void {
    this.#roster.close();
    this.#following.close();
    this.#learning?.close();
  }

  /** What members lack to have the times that an operator set, for people. */
  get #lacking(): readonly string[] {
    const retimed = this.#around.hosts().retimed;
    if (retimed === null) return [];
    const { words } = this.timing;
    if (!retimed.isCommitted) return [`the timing ${words} waits for a majority`];
    return retimed.lacking.map((id) => `${id} does not have the timing ${words} yet`);
  }

  #lookAtTimes(): void {
    const { settled, hosts } = this.#around;
    const retimed = hosts().retimed;
    if (retimed === null || !retimed.isCommitted || isSameTimes(retimed.times, this.#told)) return;
    this.#told = retimed.times;
    const { words, difference } = this.timing;
    settled.log({ level: 'info', message: `the timing of the cluster is ${words}` });
    if (difference !== null) settled.log({ level: 'warning', message: difference });
    this.#following.look();
  }

  /** While the leader of the main election is heard, this member knows its newest members. */
  get #isMainLed(): boolean {
    return (this.#around.hosts().main?.view.leader ?? null) !== null;
  }

  /**
   * The members, if this process is none of them; else null. One that was never a member may know them only from a copy
   * of a register, which it cannot know to be committed. A process that joins knows that it is none.
   */
  get #membersWithoutThis(): readonly MemberId[] | null {
    const { hosts, settled } = this.#around;
    if (this.members !== null) return this.#roster.isOutside ? this.members.map(({ id }) => id) : null;
    const known = settled.join === null ? hosts().main?.view.members : undefined;
    return known === undefined || known.includes(settled.id) ? null : known;
  }

  #onRoster(): void {
    this.#following.look();
    this.#exclude();
    this.#around.changed();
  }

  /** A process that was removed, or is not accepted, leads nothing. What it leads when it is removed, it hands over first. */
  #exclude(): void {
    const { settled, hosts, isClosing } = this.#around;
    const outside = this.#membersWithoutThis;
    const removal: Why | null =
      outside === null ? null : { cause: 'removed', detail: this.#roster.outsideWords };
    const why = removal ?? this.#refusal;
    if (why?.detail === this.#exclusion?.detail) return;
    this.#exclusion = why;
    if (outside !== null && this.members === null) {
      const message = `the members of the cluster are ${outside.join(', ')}; ${this.#roster.outsideWords}`;
      settled.log({ level: 'warning', message });
    }
    const isRemoved = why?.cause === 'removed';
    if (!isRemoved) hosts().exclude(why);
    void hosts()
      .bars.set('removed', isRemoved ? why : null)
      .then(() => {
        if (isRemoved && this.#exclusion === why && !isClosing()) hosts().exclude(why);
      });
  }

  #onPaused(isPaused: boolean): void {
    const { settled, hosts, isClosing, changed } = this.#around;
    if (isPaused === this.isPaused || isClosing()) return;
    this.isPaused = isPaused;
    const message = isPaused
      ? 'takeovers are paused: leaders go on, and no member takes over until caucus resume'
      : 'takeovers are not paused any more';
    settled.log({ level: 'info', message });
    const why: Why = { cause: 'started', detail: 'takeovers are paused' };
    void hosts().bars.set('paused', isPaused ? why : null);
    changed();
  }
}

/** A leader that was not heard for twice as long is gone. */
function longestTimeoutMs({ times: { timeoutMs } }: TimingPort): number {
  return Array.isArray(timeoutMs) ? Number(timeoutMs[1]) : 0;
}
