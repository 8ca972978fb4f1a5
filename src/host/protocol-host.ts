/**
 * Runs a protocol, in real time (a member) or in virtual time (a simulated process): only the ports differ.
 *
 * - Inputs are processed one after the other. Timers that are due run before them.
 * - Nothing leaves before the record that it depends on is durable (outbox.ts).
 * - The clock decides whether this process may act, not the last report. A token whose lease expired is never used
 *   again: the host resigns that leadership and campaigns for a new one (hold.ts).
 * - Every change of leader has a cause (explain.ts).
 *
 * The host does not know the messages of any protocol.
 */
import {
  type Command,
  type Delay,
  type Effect,
  type Ending,
  type Input,
  type Json,
  type MemberId,
  type Message,
  type Protocol,
  refusalOf,
  type Self,
  type View,
  type Why,
} from '../core/index.ts';
import { commandInput, successorIn } from './explain.ts';
import { type Change, type Hold, Holder, type Lease } from './hold.ts';
import { Lapse } from './lapse.ts';
import { lastSaveIn, type Origin, Outbox, type Outward, type Save } from './outbox.ts';
import type { HostPorts } from './ports.ts';
import { Resting } from './resting.ts';
import { Shown } from './shown.ts';
import { Timers } from './timers.ts';

const NOTHING: Origin = { input: null, effects: [] };

/** The id of commands that a host gives itself. Their answers are dropped. */
const OWN_COMMAND = 0;

export class ProtocolHost {
  readonly commands: readonly Command['type'][];
  isRunning = false;

  readonly #protocol: Protocol;
  readonly #self: MemberId;
  readonly #ports: HostPorts;
  readonly #timers: Timers;
  readonly #outbox: Outbox;
  readonly #lapse: Lapse;
  readonly #holder: Holder;
  readonly #inputs: Input[] = [];
  readonly state: unknown;
  readonly resting: Resting;
  readonly #shown = new Shown();
  /** By what the view came about; nothing once the election rests. */
  #last: Origin = NOTHING;
  #isBusy = false;
  #isStartingOver = false;

  constructor(self: Self, protocol: Protocol, commands: readonly Command['type'][], ports: HostPorts) {
    this.commands = commands;
    this.#protocol = protocol;
    this.#self = self.id;
    this.#ports = ports;
    this.state = protocol.init(self);
    const { clock } = ports;
    this.#timers = new Timers(clock, ports, this);
    this.resting = new Resting(protocol, this.state, this.#timers, this, ports);
    this.#lapse = new Lapse(clock);
    this.#holder = new Holder(self.id, clock, this, protocol);
    this.#outbox = new Outbox(ports, this);
  }

  start(saved: Json, incarnation: number, life: string, spent = 0): void {
    this.isRunning = true;
    this.give({ type: 'start', saved, incarnation, life, ...(spent === 0 ? {} : { spent }) });
  }

  /** After this, the host processes no input. */
  stop(): void {
    if (!this.isRunning) return;
    this.isRunning = false;
    this.resting.stop();
    this.#timers.clear();
    this.#lapse.cancel();
    this.#outbox.stop();
    this.#shown.close();
    this.#holder.close();
  }

  /** What this process last reported. */
  get view(): View {
    return this.#shown.view;
  }

  /** The leadership that this process holds. It may already have expired by the clock. */
  get held(): Hold | null {
    return this.#holder.held;
  }

  /** Why the current leader leads, or why there is none. */
  get explanation(): Why {
    return this.#holder.explanation;
  }

  get history(): readonly Change[] {
    return this.#holder.changes;
  }

  get acting(): boolean {
    return this.held !== null && this.#ports.clock.now() < this.lease.endsAtMs;
  }

  /** Why nothing may leave the process now (a health error of its disk), or null. */
  get illness(): string | null {
    return this.#outbox.illness;
  }

  /** The lease of the leadership that was last reported. */
  get lease(): Lease {
    return this.#shown.lease(this.resting.lease, this.#ports.clock);
  }

  /**
   * Does the view show the newest value that any leader can have committed? Only a leader can know. Null: the protocol
   * never knows.
   */
  get isCurrent(): boolean | null {
    return this.#protocol.isCurrent?.(this.state, this.view) ?? null;
  }

  /** Why this command would be refused now, or null. Has no effect. */
  refusal(command: Command): string | null {
    return this.#misfit(command) ?? refusalOf(this.#protocol, this.state, command);
  }

  /** Gives the protocol a command. Its answer comes through the port `answered`, under this id (at least 1). */
  command(id: number, command: Command, why?: Why): void {
    const reason = this.#misfit(command);
    if (reason === null) this.give(commandInput(this.#self, id, command, why));
    else this.#ports.answered(id, { status: 'refused', reason });
  }

  /** Is nothing on its way that an election at rest would have to wait for? */
  get isQuiet(): boolean {
    return this.isRunning && this.#shown.exclusion === null && !this.#outbox.isHolding;
  }

  forget(): void {
    this.#last = NOTHING;
    if (this.#ports.same === undefined) return;
    this.#protocol.resting?.share?.(this.state, (value) => this.#ports.same!(value));
  }

  hasTimer(name: string): boolean {
    return this.#timers.get(name) !== undefined;
  }

  /** Makes one timer come due now. In replays of the explorer any timer may come due at any time. */
  fire(name: string): void {
    if (!this.hasTimer(name)) return;
    this.#timers.cancel(name);
    this.#exclusively(() => this.#take({ type: 'timer', timer: name }));
  }

  #misfit({ type }: Command): string | null {
    return this.commands.includes(type) ? null : `the protocol ${this.#protocol.name} has no command ${type}`;
  }

  /** Queues an input from outside. Timers that are due run before it. */
  give(input: Input): void {
    if (!this.isRunning) return;
    if (this.#isBusy) this.#inputs.push(input);
    else this.#exclusively(null, input);
  }

  /** Timers that were due and waited run now. False: none waited. */
  goOn(): boolean {
    return this.#timers.goOn();
  }

  /** Runs the timers that are due. */
  wake(): void {
    this.#exclusively(null);
  }

  /** The other members refuse this process, so it does not lead, whatever its protocol says. Null: they accept it. */
  exclude(why: Why | null): void {
    if (this.#shown.exclusion === why || !this.isRunning) return;
    if (this.resting.isOn) this.wake();
    this.#shown.exclude(why);
    this.#ports.reported(this.view);
    this.#exclusively(() => this.#reconsider(null, []));
    // A process that led nothing is told apart from one that waits.
    if (why !== null && this.explanation !== why) this.note(why);
    this.#ports.changed();
  }

  /** Records an explanation although the leader did not change. */
  note(explanation: Why): void {
    this.#holder.note(explanation);
  }

  /** Does this work (null: runs the timers that are due), then takes the input, and those that listeners give meanwhile. */
  #exclusively(work: (() => void) | null, input: Input | null = null): void {
    this.#isBusy = true;
    try {
      this.#rouse();
      if (work === null) this.#timers.runDue((timer) => this.#onDue(timer));
      else work();
      if (input !== null) this.#take(input);
      while (this.#inputs.length > 0) this.#take(this.#inputs.shift()!);
    } finally {
      this.#isBusy = false;
    }
  }

  #onDue(timer: string): void {
    if (!this.resting.beginsAt(timer)) this.#take({ type: 'timer', timer });
  }

  #take(input: Input): readonly Effect[] {
    if (!this.isRunning) return [];
    this.#rouse(); // A timer that was due just before this input may have put the election to rest.
    this.#holder.look();
    const effects = this.#step(input);
    this.#reconsider(input, effects);
    return effects;
  }

  #step(input: Input): Effect[] {
    const effects: Effect[] = [];
    this.#protocol.step(this.state, input, effects);
    this.#ports.stepped(input, effects);
    this.#carryOut(input, effects);
    return effects;
  }

  #rouse(): void {
    if (!this.resting.isOn) return;
    this.#holder.look();
    const effects = this.resting.end();
    this.#carryOut(null, effects);
    this.#reconsider(null, effects);
  }

  #carryOut(input: Input | null, effects: readonly Effect[]): void {
    let draws: string[] | null = null;
    // A step costs at most one save: the last record replaces the earlier ones, so it is saved in their place.
    // Otherwise a voter would save the newer term, report it, and then save its vote.
    let unsaved: Save | null = null;
    let isDue = false;
    for (const effect of effects) {
      const { type } = effect; // Effects have many shapes of object, so every look at the type is slow.
      if (type === 'save') {
        if (!isDue) unsaved = lastSaveIn(effects);
        isDue = true;
      } else if (type === 'draw') draws = [...(draws ?? []), effect.draw];
      else if (type === 'set-timer') this.#setTimer(effect.timer, effect.delayMs);
      else if (type === 'cancel-timer') this.#timers.cancel(effect.timer);
      else {
        if (unsaved !== null) {
          this.#outbox.save(unsaved.record);
          unsaved = null;
        }
        if (type !== 'report') this.#outbox.push(effect);
        else this.#pushReport(effect.view, { input, effects });
      }
    }
    if (unsaved !== null) this.#outbox.save(unsaved.record);
    if (this.#outbox.isHolding) this.#watchLapse();
    if (draws !== null)
      for (const draw of draws) this.#step({ type: 'drawn', draw, value: this.#ports.draw64() });
  }

  #pushReport(view: View, by: Origin): void {
    const lease = view.lease === null ? undefined : this.#timers.get(view.lease);
    this.#outbox.push({ type: 'report', view, lease, by });
  }

  #watchLapse(): void {
    const lease = this.#shown.leaseTimer;
    this.#lapse.cancel();
    if (lease === undefined || this.view.role !== 'leader' || this.#timers.get(lease.name) === lease) return;
    this.#lapse.watch(lease, () => this.#exclusively(() => this.#reconsider(null, [])));
  }

  #setTimer(timer: string, delay: Delay): void {
    const atMs = this.#timers.set(timer, delay);
    this.#ports.timed?.(timer, delay, atMs);
  }

  /** @internal For the outbox. */
  emit(effect: Outward): void {
    switch (effect.type) {
      case 'send':
        return this.#ports.send(effect.to, effect.message, effect.at);
      case 'call':
        return this.#ports.call?.(effect.at, effect.message, effect.to);
      case 'report':
        // It has waited for the disk, and the process may have been stopped until the lease had ended.
        if (!this.#isBusy) this.#holder.look();
        this.#shown.report(effect.view, effect.lease);
        if (effect.by !== null) this.#last = effect.by;
        return this.#ports.reported(this.view);
      case 'answer':
        if (effect.command !== OWN_COMMAND) this.#ports.answered(effect.command, effect.outcome);
    }
  }

  /** @internal Reports what a slow disk delayed. */
  onBarrier(): void {
    // Within a step, the rest of the step follows and reconsiders anyway.
    if (this.#isBusy) return;
    const { input, effects } = this.#last;
    this.#exclusively(() => this.#reconsider(input, effects));
  }

  #reconsider(input: Input | null, effects: readonly Effect[]): void {
    const holder = this.#holder;
    const { blockedMs } = this.#timers;
    const why = this.#shown.exclusion;
    const verdict = holder.isSettled(this.view)
      ? 'settled'
      : holder.consider(this.view, { input, effects, blockedMs, why, illness: this.illness });
    this.#ports.changed();
    if (verdict === 'lapsed') this.#startOver();
  }

  /**
   * Resigns a leadership whose lease expired, and campaigns for a new one unless the resignation handed it to a successor. A
   * protocol that continues to lead all the same is asked again after the next input, not at once and without end.
   */
  #startOver(): void {
    if (this.#isStartingOver || !this.commands.includes('resign') || !this.commands.includes('campaign'))
      return;
    this.#isStartingOver = true;
    try {
      const effects = this.#take(commandInput(this.#self, OWN_COMMAND, { type: 'resign' }, this.explanation));
      const ending = (message: Message): Ending | null => this.#protocol.ending?.(message) ?? null;
      if (successorIn(effects, ending) === null)
        this.#take(commandInput(this.#self, OWN_COMMAND, { type: 'campaign' }));
    } finally {
      this.#isStartingOver = false;
    }
  }
}
