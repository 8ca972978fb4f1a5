/**
 * The commands that change the members of the cluster. The leader of the main election carries them out; the other
 * elections follow by themselves (following.ts).
 */
import type { Command, MemberId, Outcome, Reconfiguration, SetTimes } from '../core/index.ts';
import type { Feature } from '../peers/index.ts';
import type { ElectionHost } from './election-host.ts';
import type { Links, Peer } from './links/links.ts';
import type { Settled } from './options.ts';
import { slowLinks } from './retiming.ts';
import type { Roster } from './roster.ts';
import type { Unreachable } from './unreachable.ts';

/** How long a member that is added may take to be connected, and again to get its seat. */
const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 50;
/** How long a change waits for what passes: another publication, a new leader that not all members have answered yet. */
const READY_WITHIN_MS = 3000;
/** How long members may take to have times that were set before the operator is told that some lack them. */
const TAKEN_WITHIN_MS = 2000;

export interface MembershipAround {
  readonly roster: Roster;
  readonly unreachable: Unreachable;
  main(): ElectionHost;
  /** The leader of the main election, if it was heard lately. */
  leader(): MemberId | null;
  /** Lets this member stand for the main election, or ends that. */
  lend(isLent: boolean): Promise<void>;
  links(): Links;
  readonly settled: Settled;
}

const FEATURE_WORDS: Readonly<Record<Feature, string>> = {
  addresses: 'members that are added while the cluster runs',
  pauses: 'pauses',
  timing: 'times that change while the cluster runs',
  support: 'support for many elections at once',
  deputies: 'successors that are elected in advance',
};

const DONE: Outcome = { status: 'done' };

export class Membership {
  readonly #around: MembershipAround;
  /** One change after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(around: MembershipAround) {
    this.#around = around;
  }

  /** Done at once if it is a member at that URL already, so that the command can be repeated. */
  add(joiner: Peer): Promise<Outcome> {
    return this.#next(() => this.#add(joiner));
  }

  remove(id: MemberId, force: boolean): Promise<Outcome> {
    return this.#next(() => this.#remove(id, force));
  }

  /** Adds one member, and when it has its seat removes the other. If it was interrupted, it goes on where it was. */
  replace(old: MemberId, joiner: Peer, force: boolean): Promise<Outcome> {
    if (old === joiner.id)
      return Promise.resolve(refused(`${old} cannot be replaced by itself: give the new member another id`));
    return this.#next(async () => {
      const isHere = this.#around.roster.members?.some(({ id }) => id === old) ?? false;
      const isDone = this.#around.roster.members?.some(({ id }) => id === joiner.id) ?? false;
      if (!isHere && !isDone) return refused(`${old} is not a member`);
      const added = await this.#add(joiner);
      if (added.status !== 'done' || !isHere) return added;
      const removed = await this.#remove(old, force);
      if (removed.status === 'done') return removed;
      const reason = `${joiner.id} was added, but ${old} is not removed yet: ${removed.reason}; repeat the command`;
      return { ...removed, reason };
    });
  }

  /** While takeovers are paused, leaders go on and no member takes over, also not from a leader that has died. */
  pause(paused: boolean): Promise<Outcome> {
    return this.#next(async () => {
      const main = this.#around.main();
      const tooOld = paused ? this.#tooOld('pauses', this.#ids) : null;
      if (tooOld !== null) return tooOld;
      await this.#untilReady(() => ({ type: 'publish', value: main.view.value, paused }));
      return main.command({ type: 'publish', value: main.view.value, paused });
    });
  }

  /** Other times, or options, for the whole cluster. Throws BadInput for those that cannot be used. */
  reconfigure(asked: Reconfiguration): Promise<Outcome> {
    const { settled, main } = this.#around;
    const { definition, config } = settled;
    const { retiming } = definition;
    if (retiming === undefined)
      return Promise.resolve(refused(`the timing of ${definition.name} cannot be changed while it runs`));
    const change = (): SetTimes => retiming.change(config, main().retimed()?.times ?? null, asked);
    change();
    return this.#next(async () => {
      const isLeader = main().view.role === 'leader';
      const tooOld = isLeader ? this.#tooOld('timing', this.#ids) : null;
      if (tooOld !== null) return tooOld;
      await this.#untilReady(() => ({ type: 'reconfigure', timing: change() }));
      const timing = change();
      const tooShort = isLeader ? slowLinks(settled, timing, this.#around.links().status) : null;
      if (tooShort !== null) return refused(tooShort);
      const outcome = await main().command({ type: 'reconfigure', timing });
      // A majority has them. The others follow at once, if they can.
      const isWithAll = (): boolean => main().retimed()?.lacking.length === 0;
      if (outcome.status === 'done') await until(isWithAll, TAKEN_WITHIN_MS);
      return outcome;
    });
  }

  get #ids(): readonly MemberId[] {
    return (this.#around.roster.members ?? []).map(({ id }) => id);
  }

  /**
   * A member of an earlier release refuses a register with what it does not understand, and is out until it is updated. One
   * that is not connected is not waited for: it may be the one that is to be replaced.
   */
  #tooOld(feature: Feature, ids: readonly MemberId[]): Outcome | null {
    const links = this.#around.links();
    const old = ids.filter((id) => links.featuresOf(id)?.includes(feature) === false);
    if (old.length === 0) return null;
    const who = `${old.join(', ')} ${old.length === 1 ? 'runs' : 'run'} an earlier release`;
    return refused(
      `${who}, which does not understand ${FEATURE_WORDS[feature]}: update ${old.join(', ')} first`,
    );
  }

  #next(change: () => Promise<Outcome>): Promise<Outcome> {
    const made = this.#last.then(() => this.#led(change));
    this.#last = made.catch(() => {});
    return made;
  }

  /**
   * Only a leader of the main election makes changes. If there is none because no program stands for it, or because
   * takeovers are paused, this member stands for it until the change is made.
   */
  async #led(change: () => Promise<Outcome>): Promise<Outcome> {
    const { main, leader, lend, roster } = this.#around;
    // It was removed, perhaps by the command before this one: it will not hear of a leader any more.
    if (roster.isOutside) return refused(this.#elsewhere());
    if (leader() !== null) return change();
    const isNeeded = !main().isCandidate;
    if (isNeeded) await lend(true);
    try {
      const isLed = (): boolean => leader() !== null && (main().view.role !== 'leader' || main().acting);
      await until(() => isLed() || roster.isOutside);
      return roster.isOutside ? refused(this.#elsewhere()) : await change();
    } finally {
      if (isNeeded) await lend(false);
    }
  }

  #elsewhere(): string {
    const { roster } = this.#around;
    const there = (roster.members ?? []).map(({ id, url }) => `${id} at ${url}`).join(', ');
    return `${roster.outsideWords}; the members, which take commands, are ${there}`;
  }

  async #add(joiner: Peer): Promise<Outcome> {
    const { roster, unreachable, main, settled } = this.#around;
    const members = roster.members ?? [];
    const present = members.find(({ id }) => id === joiner.id);
    if (settled.tls !== null && !/^https:/i.test(joiner.url))
      return refused(
        `${joiner.url} does not begin with https:, and members with certificates use nothing else`,
      );
    const isLeader = main().view.role === 'leader';
    if (isLeader && present !== undefined && present.url !== joiner.url)
      return refused(
        `${joiner.id} is a member already, at ${present.url}; an id is for one member: take another one`,
      );
    const taken = members.find(({ id, url }) => id !== joiner.id && url === joiner.url);
    if (isLeader && taken !== undefined) return refused(`${joiner.url} is the URL of member ${taken.id}`);
    const command = { type: 'add', member: joiner.id, url: joiner.url } as const;
    if (isLeader && present === undefined) await this.#untilReady(() => command);
    // It may have been added by an earlier command, which was not committed in time.
    if (isLeader && this.#ids.includes(joiner.id)) return this.#untilSeated(joiner.id);
    const reason = main().refusal(command);
    if (reason !== null) return refused(reason);
    const tooOld = this.#tooOld('addresses', this.#ids);
    if (tooOld !== null) return tooOld;
    unreachable.forget(joiner.id);
    roster.invite(joiner);
    try {
      const unreached = await this.#untilReached(joiner);
      if (unreached !== null) return unreached;
      const outcome = this.#tooOld('addresses', [joiner.id]) ?? (await main().command(command));
      return outcome.status === 'done' ? await this.#untilSeated(joiner.id) : outcome;
    } finally {
      roster.invite(null);
    }
  }

  async #remove(id: MemberId, force: boolean): Promise<Outcome> {
    const command = { type: 'remove', member: id, ...(force ? { force } : {}) } as const;
    if (this.#ids.includes(id)) await this.#untilReady(() => command);
    return this.#around.main().command(command);
  }

  /** Settles when the leader would carry out this command, and at the latest after a while. */
  async #untilReady(command: () => Command): Promise<void> {
    const { main } = this.#around;
    const isReady = (): boolean => main().view.role !== 'leader' || main().refusal(command()) === null;
    await until(isReady, READY_WITHIN_MS);
  }

  /** Null once it is connected. */
  async #untilReached({ id, url }: Peer): Promise<Outcome | null> {
    const { links, unreachable } = this.#around;
    const isReached = (): boolean => links().status.some((each) => each.id === id && each.via !== 'none');
    const isRefused = (): boolean => unreachable.problems.get(id)?.is === 'refused';
    await until(() => isReached() || isRefused());
    if (isReached()) return null;
    const why = unreachable.problems.get(id)?.reason ?? 'it does not answer';
    return refused(
      `${id} cannot be reached at ${url}: ${why}; start it there, with the same cluster, settings and secret: caucus node --id ${id} --join ANY-MEMBER`,
    );
  }

  /** A member that is added to two gets its seat in a second step. */
  async #untilSeated(id: MemberId): Promise<Outcome> {
    const isSeated = (): boolean =>
      this.#around.roster.members?.some((each) => each.id === id && each.votes) ?? false;
    if (await until(isSeated)) return DONE;
    const reason = `${id} is a member, but has not got its seat yet: it has not answered; look in its log`;
    return { status: 'failed', reason, effect: 'indefinite' };
  }
}

function refused(reason: string): Outcome {
  return { status: 'refused', reason };
}

/** Looks again and again, for a while: what happens in between comes from several places. */
async function until(isSo: () => boolean, withinMs = PATIENCE_MS): Promise<boolean> {
  const endMs = performance.now() + withinMs;
  while (!isSo()) {
    if (performance.now() > endMs) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return true;
}
