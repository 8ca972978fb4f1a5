import {
  assertNever,
  type Delay,
  type Effect,
  type Input,
  type Json,
  type MemberId,
  type Protocol,
  Random,
  type Self,
  type View,
} from '../core/index.ts';
import { Disk, type DiskMode, type Write } from './disk.ts';
import { openDisk } from './open-disk.ts';
import { type Happening, newHappening, type Surroundings } from './surroundings.ts';
import { longestMs, shortestMs, toUs } from './time.ts';
import { nameOfTwin } from './twins.ts';

/** Outward effects wait in line behind a save that is not durable yet. */
type Waiting =
  | Extract<Effect, { type: 'send' | 'report' | 'answer' }>
  | { readonly type: 'barrier'; write: Write };

const NOBODY: View = { role: 'none', leader: null, term: null, lease: null, version: 0, value: null };

/**
 * One simulated process of a member: a protocol's state, its timers, its disk and the line of effects that wait for the disk.
 * A second process of the same member is a host of its own.
 */
export class Host {
  readonly self: Self;
  readonly id: MemberId;
  /** What the process is called in the history: the member's id, and `1'` for the second process of member 1. */
  readonly name: MemberId;
  /** It is the second process of its member. */
  readonly isTwin: boolean;
  readonly disk: Disk;
  alive = false;
  /** Will start by itself when its time comes. */
  isDue = true;
  paused = false;
  /** What it last told its user. */
  view: View = NOBODY;
  incarnation = 0;
  /** When it last started, saved something, or told its user anything new: a lease that is renewed is no news. */
  newsUs = 0;
  clockRate = 1;

  readonly #protocol: Protocol;
  readonly #random: Random;
  readonly #world: Surroundings;
  /** Counts the starts of both processes of the member, so that no two of its lives have the same name. */
  readonly #starts: { count: number };
  #state: unknown = null;
  #timers = new Map<string, Happening>();
  /** Timers that bound no leadership any more, although they have not come due. */
  readonly #ended = new WeakSet<Happening>();
  #line: Waiting[] = [];
  #backlog: (() => void)[] = [];
  /** The newest record that a full disk refused: nothing leaves until it, or a newer one, is durable. */
  #wanted: Json | undefined;
  #lastSyncUs = 0;

  constructor(
    self: Self,
    protocol: Protocol,
    random: Random,
    world: Surroundings,
    first: Host | null = null,
  ) {
    this.id = self.id;
    this.isTwin = first !== null;
    this.name = first === null ? self.id : nameOfTwin(self.id);
    this.#starts = first === null ? { count: 0 } : first.#starts;
    this.self = self;
    this.#protocol = protocol;
    this.#random = random;
    this.#world = world;
    const owner = { cluster: 'simulation', id: self.id, election: 'main', protocol: protocol.name };
    const stream = `disk ${this.name} ${world.nowUs}`;
    this.disk = new Disk(owner, () => new Random(world.seed, stream));
  }

  /** Names its process, or the last one if it is down. */
  get life(): string {
    return this.isTwin ? `${this.incarnation}b` : String(this.incarnation);
  }

  get state(): unknown {
    return this.#state;
  }

  start(): void {
    this.isDue = false;
    if (!openDisk(this.#world, this)) return; // The store refuses the disk, and the process ends.
    this.alive = true;
    this.newsUs = this.#world.nowUs;
    this.#starts.count += 1;
    this.incarnation = this.#starts.count;
    this.#state = this.#protocol.init(this.self);
    const { incarnation, life } = this;
    this.take({ type: 'start', saved: this.disk.read(), incarnation, life });
  }

  /** The process is gone at once; only its disk remains. */
  crash(): ReturnType<Disk['crash']> {
    this.alive = false;
    this.isDue = false;
    this.paused = false;
    this.#timers.clear();
    this.#line = [];
    this.#backlog = [];
    this.#wanted = undefined;
    this.view = NOBODY;
    return this.disk.crash();
  }

  pause(): void {
    this.paused = true;
  }

  /** Everything that came meanwhile is found in the order in which it came. */
  resume(): void {
    this.paused = false;
    const backlog = this.#backlog;
    this.#backlog = [];
    for (const each of backlog) each();
  }

  /** Is the lease timer of its leadership still running? Looked at by the clock, not by what was processed. */
  get acting(): boolean {
    const { role, lease } = this.view;
    if (role !== 'leader' || lease === null) return role === 'leader';
    const timer = this.#timers.get(lease);
    return timer !== undefined && timer.atUs > this.#world.nowUs && !this.#ended.has(timer);
  }

  hasTimer(timer: string): boolean {
    return this.#timers.has(timer);
  }

  /**
   * Lets a timer come due now, as if all the time had passed for which it was set. Then a lease that was set before
   * it, and for no longer, has ended too, whoever holds it.
   */
  fire(timer: string, everybody: Iterable<Host>): void {
    const due = this.#timers.get(timer);
    if (due === undefined) return;
    for (const host of everybody) host.#endBefore(due);
    this.#fire(due);
  }

  #endBefore(due: Happening): void {
    for (const timer of this.#timers.values()) {
      if (timer.seq < due.seq && longestMs(timer.delayMs) <= shortestMs(due.delayMs)) this.#ended.add(timer);
    }
    if (this.view.lease !== null) this.#world.reviewed(this);
  }

  happen(happening: Happening): void {
    switch (happening.kind) {
      case 'start':
        if (this.isDue) this.start();
        return;
      case 'deliver':
        if (!this.alive) return;
        return this.give({ type: 'message', from: happening.from, message: happening.message! });
      case 'timer':
        if (this.#timers.get(happening.timer) !== happening) return; // Replaced or cancelled.
        if (!this.paused) return this.#fire(happening);
        if (happening.timer === this.view.lease) {
          // The lease ends on the clock, whether or not the stopped process notices.
          this.#world.reviewed(this);
        }
        this.#backlog.push(() => this.#fire(happening));
        return;
      case 'synced':
        if (!this.alive) return;
        if (!this.paused) return this.#synced(happening.write!);
        this.#backlog.push(() => this.#synced(happening.write!));
        return;
      default:
        assertNever(happening.kind);
    }
  }

  /** An input from outside: a stopped process finds it when it goes on. */
  give(input: Input): void {
    if (this.paused) this.#backlog.push(() => this.take(input));
    else this.take(input);
  }

  take(input: Input): void {
    if (!this.alive) return;
    const effects: Effect[] = [];
    this.#protocol.step(this.#state, input, effects);
    this.#world.stepped(this, input, effects);
    let draws: string[] | null = null;
    for (const effect of effects) {
      switch (effect.type) {
        case 'set-timer':
          this.#setTimer(effect.timer, effect.delayMs);
          break;
        case 'cancel-timer':
          this.#timers.delete(effect.timer);
          break;
        case 'draw':
          draws ??= [];
          draws.push(effect.draw);
          break;
        case 'save':
          this.#save(effect.record);
          break;
        case 'send':
          if (this.#wanted !== undefined) break;
          if (this.#line.length === 0) this.#emit(effect);
          else this.#line.push(effect);
          break;
        case 'answer':
          if (this.#line.length === 0 && this.#wanted === undefined) this.#emit(effect);
          else this.#line.push(effect);
          break;
        case 'report':
          this.#report(effect);
          break;
        default:
          assertNever(effect);
      }
    }
    if (this.view.lease !== null) this.#world.reviewed(this); // Its timer may have been touched.
    if (draws === null) return;
    for (const draw of draws) this.take({ type: 'drawn', draw, value: this.#random.draw64() });
  }

  /** Timers that run are stretched or shortened with the clock. */
  setClockRate(rate: number): void {
    const { nowUs } = this.#world;
    const running = [...this.#timers.values()];
    const factor = this.clockRate / rate;
    this.clockRate = rate;
    for (const timer of running) {
      const leftUs = Math.max(0, timer.atUs - nowUs);
      this.#schedule(timer.timer, timer.delayMs, nowUs + Math.round(leftUs * factor));
    }
  }

  setDiskFault(fault: DiskMode): void {
    const wasStuck = this.disk.fault === 'stall' || this.disk.fault === 'full';
    this.disk.fault = fault;
    if (!wasStuck || fault === 'stall' || fault === 'full' || !this.alive) return;
    if (this.#wanted !== undefined) {
      this.#save(this.#wanted);
      return;
    }
    for (const each of this.#line) if (each.type === 'barrier') this.#scheduleSync(each.write);
  }

  #fire(happening: Happening): void {
    if (this.#timers.get(happening.timer) !== happening) return;
    this.#timers.delete(happening.timer);
    this.take({ type: 'timer', timer: happening.timer });
  }

  #setTimer(timer: string, delay: Delay): void {
    let delayMs: number;
    if (typeof delay === 'number') delayMs = delay;
    else delayMs = delay[0] + (delay[1] - delay[0]) * this.#random.fraction();
    // Time goes on between two timers, however short: no run stands still for ever.
    this.#schedule(timer, delay, this.#world.nowUs + Math.max(1, toUs(delayMs / this.clockRate)));
  }

  #schedule(timer: string, delayMs: Delay, atUs: number): void {
    const due = newHappening(atUs, 'timer', this, timer, delayMs, this.id, null, null);
    this.#timers.set(timer, due);
    this.#world.schedule(due);
  }

  #save(record: Json): void {
    this.newsUs = this.#world.nowUs;
    if (this.disk.fault === 'full') {
      // The write failed. No message that stood behind it ever leaves; the rest waits until one succeeds.
      this.#wanted = record;
      this.#line = this.#line.filter((each) => each.type === 'report' || each.type === 'answer');
      return;
    }
    const write = this.disk.write(record);
    // After a failed write, all that is in line waits for this record: it stands before them.
    if (this.#wanted === undefined) this.#line.push({ type: 'barrier', write });
    else this.#line.unshift({ type: 'barrier', write });
    this.#wanted = undefined;
    if (this.disk.fault !== 'stall') this.#scheduleSync(write);
  }

  /** One disk, one queue: a sync begins when the one before has ended. */
  #scheduleSync(write: Write): void {
    const [min, max] = this.#world.syncMs;
    const syncUs = toUs(min + (max - min) * (min === max ? 0 : this.#random.fraction()));
    this.#lastSyncUs = Math.max(this.#lastSyncUs, this.#world.nowUs) + syncUs;
    this.#world.schedule(newHappening(this.#lastSyncUs, 'synced', this, '', 0, this.id, null, write));
  }

  #synced(write: Write): void {
    this.disk.sync(write);
    if (this.#wanted !== undefined) return; // An older record is durable; what is in line waits for the failed one.
    while (this.#line.length > 0) {
      const first = this.#line[0]!;
      if (first.type === 'barrier' && !first.write.synced) return;
      this.#line.shift();
      if (first.type !== 'barrier') this.#emit(first);
    }
  }

  #report(effect: Extract<Effect, { type: 'report' }>): void {
    if (this.#line.length === 0 && this.#wanted === undefined) return this.#emit(effect);
    if (effect.view.role !== 'leader') {
      // What was about to be reported before is out of date. Stopping never waits for a disk; what else there is
      // to tell (a newer term, a newer version) does, since a crash may still undo it.
      this.#line = this.#line.filter((each) => each.type !== 'report');
      const { view } = this;
      if (view.role === 'leader') {
        const stopped: View = { ...view, role: effect.view.role, leader: null, lease: null };
        this.#emit({ type: 'report', view: stopped });
      }
    }
    this.#line.push(effect);
  }

  #emit(effect: Exclude<Waiting, { type: 'barrier' }>): void {
    switch (effect.type) {
      case 'send':
        return this.#world.sent(this, effect.to, effect.message);
      case 'report':
        if (isNews(this.view, effect.view)) this.newsUs = this.#world.nowUs;
        this.view = effect.view;
        return this.#world.reported(this, effect.view);
      case 'answer':
        return this.#world.answered(this, effect.command, effect.outcome);
      default:
        assertNever(effect);
    }
  }
}

function isNews(before: View, { role, leader, term, version }: View): boolean {
  return (
    role !== before.role || leader !== before.leader || term !== before.term || version !== before.version
  );
}
