/**
 * Changes of what elections stand on, in a storm: members are removed and added again, times change, a disk is lost, a
 * machine sleeps. All of it is drawn from a stream of its own. At the end every election has all members and the same times.
 */
import {
  type Command,
  type Definition,
  type MemberId,
  Random,
  readSettings,
  type SetTimes,
  type View,
} from '../../core/index.ts';
import type { ManyStorm } from './draw.ts';
import type { ManyProcess, Member } from './running.ts';

/** How often the calm looks whether an election lacks a member, or has other times. */
const REPAIR_MS = 250;
/** By then the removal and the return of a member are committed, or have failed. */
const SETTLED_MS = 1500;
/** A shorter sleep may not be seen: docs/guarantees.md. */
const SHORTEST_SLEEP_MS = 40;

interface ChangePorts {
  afterMs(delayMs: number, run: () => void): void;
  isCalm(): boolean;
  /** The process dies, and is started again a little later. */
  kill(member: Member): void;
  /** The times that an operator has set in an election of which this is the state, or null. */
  timesOf(state: unknown): SetTimes | null;
  /** Takes what arrived and came due while the process was paused. */
  resume(running: ManyProcess): void;
}

export class Changes {
  readonly #storm: ManyStorm;
  readonly #members: readonly Member[];
  readonly #elections: readonly string[];
  readonly #ports: ChangePorts;
  readonly #random: Random;
  /** Those of the preset, shorter and longer ones. */
  readonly #times: readonly SetTimes[];
  readonly #replacing = new Set<string>();
  /** The elections in which the member has not shown a seat since it lost its disk. */
  readonly #missing = new Map<MemberId, Set<string>>();

  constructor(
    storm: ManyStorm,
    { options, timing, retiming }: Definition,
    members: readonly Member[],
    elections: readonly string[],
    ports: ChangePorts,
  ) {
    this.#storm = storm;
    this.#members = members;
    this.#elections = elections;
    this.#ports = ports;
    this.#random = new Random(storm.seed, 'many/changes-drawn');
    const config = {
      timing: readSettings(timing, {}, 'timing'),
      options: readSettings(options, { preset: 'lan' }, 'options'),
    };
    // With half of the times, a lease is hardly longer than a round trip of the slowest network.
    const shorter = storm.latencyMs[1] > 10 ? 1 : 0.5;
    this.#times = [1, shorter, 2].map((factor) => retiming!.scaled(config, factor));
  }

  begin(): void {
    const { changeEveryMs, stormMs } = this.#storm;
    const next = (): void => {
      if (this.#ports.isCalm()) return;
      this.#change();
      this.#ports.afterMs(1 + this.#random.fraction() * 2 * changeEveryMs, next);
    };
    this.#ports.afterMs(this.#random.between(200, 1200), next);
    const repair = (): void => {
      this.#repair();
      this.#ports.afterMs(REPAIR_MS, repair);
    };
    this.#ports.afterMs(stormMs + REPAIR_MS, repair);
  }

  /** A member that leads may have no seat itself: the others voted for its name. */
  onReport(id: MemberId, election: string, { role }: View): void {
    if (role === 'follower' || role === 'candidate') this.#missing.get(id)?.delete(election);
  }

  #change(): void {
    const random = this.#random;
    const member = this.#members[random.below(this.#members.length)]!;
    const election = this.#elections[random.below(this.#elections.length)]!;
    switch (random.below(6)) {
      case 0:
      case 1:
        return this.#replace(election, member, random.below(4) === 0);
      case 2:
        return this.#lose(member);
      case 3:
        return this.#retime(election, random.below(this.#times.length));
      default:
        return this.#sleep(member, random.between(SHORTEST_SLEEP_MS, 800));
    }
  }

  /** One member at a time is away: one that missed several changes may refuse the members that it finds (bounds.ts). */
  #replace(election: string, member: Member, withoutDisk: boolean): void {
    const present = this.#leading(election)?.hosts.get(election)?.view.members;
    if (present?.length !== this.#members.length || this.#replacing.has(election)) return;
    this.#replacing.add(election);
    this.#order(election, { type: 'remove', member: member.id });
    const awayMs = this.#random.between(5, 1000);
    if (withoutDisk) this.#ports.afterMs(this.#random.fraction() * awayMs, () => this.#lose(member));
    this.#ports.afterMs(awayMs, () => this.#order(election, { type: 'add', member: member.id }));
    this.#ports.afterMs(awayMs + SETTLED_MS, () => this.#replacing.delete(election));
  }

  /** One member at a time is without its disk: more is not promised. */
  #lose(member: Member): void {
    if (this.#ports.isCalm()) return;
    for (const [id, elections] of this.#missing) if (id !== member.id && elections.size > 0) return;
    this.#ports.kill(member);
    for (const election of this.#elections) member.records.set(election, null);
    this.#missing.set(member.id, new Set(this.#elections));
  }

  #retime(election: string, which: number): void {
    this.#order(election, { type: 'reconfigure', timing: this.#times[which]! });
  }

  #sleep(member: Member, forMs: number): void {
    const { running } = member;
    if (running === null || running.isPaused) return;
    running.isPaused = true;
    running.isAsleep = true;
    this.#ports.afterMs(forMs, () => {
      if (member.running !== running) return;
      running.isAsleep = false;
      running.clock.sleep(forMs);
      this.#ports.resume(running);
    });
  }

  #repair(): void {
    for (const election of this.#elections) {
      const host = this.#leading(election)?.hosts.get(election);
      if (host === undefined) continue;
      const lacking = this.#members.find(({ id }) => host.view.members?.includes(id) === false);
      if (lacking !== undefined) this.#order(election, { type: 'add', member: lacking.id });
      const times = this.#ports.timesOf(host.state);
      if (times !== null && JSON.stringify(times) !== JSON.stringify(this.#times[0]))
        this.#retime(election, 0);
    }
  }

  #order(election: string, command: Command): void {
    this.#leading(election)?.command(election, command);
  }

  #leading(election: string): ManyProcess | undefined {
    const leading = this.#members.find(({ running }) => running?.hosts.get(election)?.acting === true);
    return leading?.running ?? undefined;
  }
}
