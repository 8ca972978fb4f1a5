import {
  type Command,
  type Delay,
  type Input,
  type Json,
  type MemberId,
  type Protocol,
  Random,
  type Self,
  type View,
  type Why,
} from '../core/index.ts';
import { type HostPorts, NO_VIEW, ProtocolHost } from '../host/index.ts';
import { Disk, type DiskMode, type Write } from './disk.ts';
import { HostWatch } from './host-watch.ts';
import { openDisk } from './open-disk.ts';
import { ProcessClock } from './process-clock.ts';
import { type SetTimer, SetTimers } from './set-timers.ts';
import { type Happening, newHappening, type Surroundings } from './surroundings.ts';
import { toUs } from './time.ts';
import { nameOfTwin } from './twins.ts';

/** A record that is being synced, and the process that waits for it. */
interface Saving {
  readonly write: Write;
  readonly done: (failure: string | null) => void;
}

/**
 * One simulated process of a member: the same host that a member runs (src/host), with the clock, disk and network of
 * the world. It can be crashed, paused (as by SIGSTOP) and restarted. A second process of the same member is a
 * separate Host.
 */
export class Host {
  self: Self;
  readonly id: MemberId;
  /** The name of the process in the history: the member's id, and `1'` for the second process of member 1. */
  readonly name: MemberId;
  /** It is the second process of its member. */
  readonly isTwin: boolean;
  readonly disk: Disk;
  readonly clock: ProcessClock;
  /** It will start by itself at its time. */
  isDue = true;
  paused = false;
  incarnation = 0;
  /** When it last started, saved, or reported anything new; renewals of a lease do not count. */
  newsUs = 0;

  readonly #protocol: Protocol;
  readonly #random: Random;
  readonly #world: Surroundings;
  /** Counts the starts of both processes of the member, so that all its lives have different names. */
  readonly #starts: { count: number };
  /** The host that runs the protocol; null while the process is down. */
  #host: ProtocolHost | null = null;
  #watch: HostWatch;
  #shown: View = NO_VIEW;
  #hasLease = false;
  #hasReported = false;
  readonly #timers = new SetTimers();
  readonly #isRunning = (timer: string): boolean => this.hasTimer(timer);
  #savings: Saving[] = [];
  /** Events that came while the process was paused. */
  #backlog: (() => void)[] = [];
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
    this.#watch = new HostWatch(world, this.name);
    this.clock = new ProcessClock(world, (atUs, alarm) => {
      const happening = newHappening(atUs, 'alarm', this, this.id, null, null, '', alarm);
      world.schedule(happening);
      return happening;
    });
    const owner = { cluster: 'simulation', id: self.id, election: 'main', protocol: protocol.name };
    const stream = `disk ${this.name} ${world.nowUs}`;
    this.disk = new Disk(owner, () => new Random(world.seed, stream));
  }

  get alive(): boolean {
    return this.#host !== null;
  }

  /** Names its process, or the last one if it is down. */
  get life(): string {
    return this.isTwin ? `${this.incarnation}b` : String(this.incarnation);
  }

  /** What it last reported. */
  get view(): View {
    return this.#host === null ? NO_VIEW : this.#host.view;
  }

  /** The host that runs the protocol now. */
  get running(): ProtocolHost | null {
    return this.#host;
  }

  get clockRate(): number {
    return this.clock.rate;
  }

  /** Why the disk refuses records, or null. */
  get illness(): string | null {
    return this.#host?.illness ?? null;
  }

  /** May it act? By the clock, not by what was processed. */
  get acting(): boolean {
    if (this.#host === null || !this.#host.acting) return false;
    const { lease } = this.#host.view;
    return lease === null || !this.#timers.isEnded(lease);
  }

  start(): void {
    this.isDue = false;
    if (!openDisk(this.#world, this)) return; // The store refuses the disk, and the process ends.
    this.newsUs = this.#world.nowUs;
    this.#starts.count += 1;
    this.incarnation = this.#starts.count;
    const world = this.#world;
    const watch = new HostWatch(world, this.name);
    this.#watch = watch;
    const ports: HostPorts = {
      clock: this.clock,
      fraction: () => this.#random.fraction(),
      draw64: () => this.#random.draw64(),
      send: (to, message, at) => {
        watch.sends(message);
        world.sent(this, to, message, at);
      },
      call: (at, message) => {
        watch.sends(message);
        world.called(this, at, message);
      },
      save: (record, done) =>
        this.#save(record, (failure) => {
          if (failure === null) watch.saved(record);
          done(failure);
        }),
      stepped: (input, effects) => {
        watch.stepped(effects);
        world.stepped(this, input, effects);
      },
      timed: (timer, delay, atMs) => this.#timed(timer, delay, atMs),
      reported: (view) => {
        watch.reported(view);
        this.#reported(view);
      },
      answered: (command, outcome) => {
        watch.answered(command, outcome);
        world.answered(this, command, outcome);
      },
      changed: () => {
        watch.changed();
        this.#changed();
      },
    };
    this.#host = new ProtocolHost(this.self, this.#protocol, world.commands, ports);
    const { incarnation, life } = this;
    this.#host.start(this.disk.read(), incarnation, life);
  }

  /** Kills the process; only its disk remains. */
  crash(): ReturnType<Disk['crash']> {
    this.isDue = false;
    this.paused = false;
    this.#host?.stop();
    this.#host = null;
    this.#shown = NO_VIEW;
    this.#hasLease = false;
    this.#hasReported = false;
    this.#timers.clear();
    this.#savings = [];
    this.#backlog = [];
    return this.disk.crash();
  }

  pause(): void {
    this.paused = true;
    this.#watchLease();
  }

  /** Overdue timers come first, then everything that came meanwhile, in its order. */
  resume(): void {
    this.paused = false;
    this.#host?.wake();
    const backlog = this.#backlog;
    this.#backlog = [];
    for (const each of backlog) each();
  }

  /** The lease of a paused process expires by its clock, and the process cannot report that. */
  #watchLease(): void {
    const host = this.#host;
    if (host === null || !this.acting) return;
    const endsUs = this.clock.toWorldUs(host.lease.endsAtMs);
    if (endsUs === Number.POSITIVE_INFINITY) return;
    this.#world.schedule(newHappening(endsUs, 'lease-ends', this, this.id, null, null));
  }

  hasTimer(timer: string): boolean {
    return this.#host?.hasTimer(timer) ?? false;
  }

  /**
   * Makes a timer come due now, as if its whole delay had passed. Then a lease that was set before it, and for no
   * longer, has expired too, whichever process holds it.
   */
  fire(timer: string, everybody: Iterable<Host>): void {
    const due = this.#timers.get(timer);
    if (due === undefined || !this.hasTimer(timer)) return;
    for (const host of everybody) host.#endBefore(due);
    this.#host!.fire(timer);
  }

  #endBefore(due: SetTimer): void {
    this.#timers.endBefore(due);
    if (this.view.lease !== null) this.#world.reviewed(this);
  }

  happen(happening: Happening): void {
    switch (happening.kind) {
      case 'start':
        if (this.isDue) this.start();
        return;
      case 'deliver':
        return this.give({ type: 'message', from: happening.from, message: happening.message! });
      case 'alarm':
        if (this.paused) this.#backlog.push(() => this.clock.ring(happening.alarm!, happening));
        else this.clock.ring(happening.alarm!, happening);
        return;
      case 'lease-ends':
        if (this.paused) this.#world.reviewed(this);
        return;
      case 'synced':
        return happening.run!();
      case 'timer':
        return; // Told to the listener of `scheduled` alone: an alarm wakes the host.
    }
  }

  /** An input from outside: a paused process gets it when it resumes. */
  give(input: Input): void {
    if (this.#host === null) return;
    if (this.paused) this.#backlog.push(() => this.#host?.give(input));
    else this.#host.give(input);
  }

  command(id: number, command: Command, why?: Why): void {
    this.#watch.given(id);
    if (this.paused) this.#backlog.push(() => this.#host?.command(id, command, why));
    else this.#host?.command(id, command, why);
  }

  /** Running timers are stretched or shortened with the clock. */
  setClockRate(rate: number): void {
    this.clock.rate = rate;
    for (const [timer, { atMs }] of this.#timers.entries())
      if (this.hasTimer(timer)) this.#world.timed(this, timer, atMs);
    if (this.paused) this.#watchLease();
  }

  setDiskFault(fault: DiskMode): void {
    const wasStalled = this.disk.fault === 'stall';
    this.disk.fault = fault;
    if (wasStalled && fault !== 'stall') for (const { write } of this.#savings) this.#scheduleSync(write);
  }

  #timed(timer: string, delay: Delay, atMs: number): void {
    if (!this.#world.firesTimers) return;
    this.#timers.set(timer, this.#world.nextOrder(), delay, atMs, this.#isRunning);
    this.#world.timed(this, timer, atMs);
  }

  #save(record: Json, done: (failure: string | null) => void): void {
    this.newsUs = this.#world.nowUs;
    if (this.disk.fault === 'full') return done('no space left on device');
    const write = this.disk.write(record);
    this.#savings.push({ write, done });
    if (this.disk.fault !== 'stall') this.#scheduleSync(write);
  }

  /** One disk, one queue: a sync begins when the earlier one has ended. */
  #scheduleSync(write: Write): void {
    const [min, max] = this.#world.syncMs;
    const syncUs = toUs(min + (max - min) * (min === max ? 0 : this.#random.fraction()));
    this.#lastSyncUs = Math.max(this.#lastSyncUs, this.#world.nowUs) + syncUs;
    const { incarnation } = this;
    this.#world.schedule(
      newHappening(this.#lastSyncUs, 'synced', this, this.id, null, () => {
        if (this.incarnation === incarnation && this.alive) this.#synced(write);
      }),
    );
  }

  /** The record is durable, also if the process is paused; it learns of that when it resumes. */
  #synced(write: Write): void {
    this.disk.sync(write);
    if (this.paused) this.#backlog.push(() => this.#tellSaved());
    else this.#tellSaved();
  }

  #tellSaved(): void {
    while (this.#savings[0]?.write.synced === true) this.#savings.shift()!.done(null);
  }

  #reported(view: View): void {
    const before = this.#shown;
    const isNew = isNews(before, view);
    if (isNew) this.newsUs = this.#world.nowUs;
    this.#shown = view;
    this.#hasLease = view.lease !== null;
    this.#hasReported = true;
    this.#world.reported(this, view, isNew || view.value !== before.value);
  }

  /** It may act now, and could not the moment before. Where timers are fired by hand, leases end that the host counts on. */
  began(): void {
    const { lease, term } = this.view;
    if (lease !== null && !this.#timers.hasEnded) this.#watch.acts(term);
  }

  /** The view may be the same as before: whether the process may act on it may have changed with its lease timer. */
  #changed(): void {
    if (!this.#hasReported && !this.#hasLease) return;
    this.#hasReported = false;
    this.#world.reviewed(this);
  }
}

function isNews(before: View, { role, leader, term, version }: View): boolean {
  return (
    role !== before.role || leader !== before.leader || term !== before.term || version !== before.version
  );
}
