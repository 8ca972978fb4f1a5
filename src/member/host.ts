import {
  assertNever,
  type Command,
  type Definition,
  type Effect,
  type Ending,
  type Input,
  type Json,
  type MemberId,
  type Message,
  type Outcome,
  type Protocol,
  refusalOf,
  type Self,
  type View,
} from '../core/index.ts';
import type { Held, Why } from '../election/index.ts';
import { Audience } from './audience.ts';
import { BARRED, Barrier, isOutward } from './barrier.ts';
import { Door } from './door.ts';
import { draw64 } from './draw-name.ts';
import { boundedReason, reasonOf, successorIn } from './explain.ts';
import { Pending } from './pending.ts';
import type { Change, ElectionPort } from './port.ts';
import { SeatWait } from './seat-wait.ts';
import type { Surroundings } from './surroundings.ts';
import { type Lease, leaseOf, Tenure } from './tenure.ts';
import { lengthOf, Timers } from './timers.ts';

const NOBODY: View = { role: 'none', leader: null, term: null, lease: null, version: 0, value: null };

/**
 * Runs one protocol for one election in real time: it keeps the timers, the barrier in front of the outside world and the
 * promise that the question "may I act?" is answered by the clock, not by what was last reported.
 */
export class ElectionHost implements ElectionPort {
  /** Takes over the commands that end a leadership under which a program works; undefined for all others. */
  steward: ((command: Command) => Promise<Outcome> | undefined) | null = null;
  readonly name: string;
  readonly self: MemberId;
  readonly protocol: string;
  readonly commands: readonly Command['type'][];
  /** What this member last reported. */
  view: View = NOBODY;

  readonly #protocol: Protocol;
  readonly #around: Surroundings;
  readonly #state: unknown;
  readonly #door: Door;
  readonly #timers: Timers;
  readonly #barrier: Barrier;
  readonly #tenure: Tenure;
  readonly #audience = new Audience(NOBODY);
  readonly #pending = new Pending();
  readonly #inputs: Input[] = [];
  /** Whose message is being taken, while it is. */
  #sender: MemberId | null = null;
  /** Only where the protocol has seats, which belong to disks. */
  readonly #seatWait: SeatWait | null;
  #isBusy = false;
  #isRunning = false;
  /** A report that waits for the disk. */
  #heldBack: View | null = null;
  /** Sends to the member whose request is being answered are its answer. */
  #answers: { readonly to: MemberId; readonly messages: Message[] } | null = null;

  constructor(name: string, self: Self, definition: Definition, protocol: Protocol, around: Surroundings) {
    this.name = name;
    this.self = self.id;
    this.protocol = definition.name;
    this.commands = definition.commands;
    this.#protocol = protocol;
    this.#around = around;
    this.#state = protocol.init(self);
    this.#door = new Door(protocol, this.#state, around);
    this.#seatWait = protocol.inherit === undefined ? null : new SeatWait(self);
    this.#timers = new Timers(around.clock, () => this.#run());
    this.#tenure = new Tenure(self.id, around.clock, () => this.#lease(), this.#ending);
    this.#barrier = new Barrier(
      around.clock,
      (record) => this.#save(record),
      () => this.#onBarrier(),
    );
  }

  start(saved: Json, incarnation: number, life: string, spent = 0): void {
    this.#isRunning = true;
    this.give({ type: 'start', saved, incarnation, life, ...(spent === 0 ? {} : { spent }) });
  }

  /** Nothing happens any more. A caller that still waits for a command is told that its outcome is unknown. */
  stop(): void {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.#inputs.length = 0;
    this.#timers.clear();
    this.#barrier.stop();
    this.view = { ...this.view, role: 'none', leader: null, lease: null };
    this.#tenure.close();
    this.#pending.abandon('the member was closed');
    this.#audience.tell();
  }

  /** The leadership that this member holds. By the clock it may have run out already. */
  get held(): Held | null {
    return this.#tenure.held;
  }

  /** Why it stands as it does. */
  get explanation(): Why {
    return this.#tenure.explanation;
  }

  get acting(): boolean {
    return this.held !== null && this.#around.clock.now() < this.#lease().endsAtMs;
  }

  get token(): bigint | null {
    const { leader, term } = this.view;
    return leader === null || term === null ? null : BigInt(term);
  }

  get expiresInMs(): number | null {
    if (this.held === null || this.view.lease === null) return null;
    const nowMs = this.#around.clock.now();
    const leftMs = this.#lease().endsAtMs - nowMs;
    return leftMs > 0 ? leftMs : null;
  }

  get history(): readonly Change[] {
    return this.#tenure.changes;
  }

  /** Why nothing may leave at the moment, or null. */
  get illness(): string | null {
    return this.#barrier.illness;
  }

  subscribe(listener: () => void): () => void {
    return this.#audience.add(listener);
  }

  /** A request from outside. Where it would end a leadership, the work under that leadership is told to stop first. */
  command(command: Command): Promise<Outcome> {
    return this.steward?.(command) ?? this.order(command);
  }

  /** Why a command would be refused now, or null. Nothing happens. */
  refusal(command: Command): string | null {
    return this.#misfit(command) ?? refusalOf(this.#protocol, this.#state, command);
  }

  #misfit({ type }: Command): string | null {
    return this.commands.includes(type) ? null : `the election ${this.protocol} has no ${type}`;
  }

  /** The same as `command`, straight to the protocol. The history will say why, if that is known. */
  order(command: Command, why?: Why): Promise<Outcome> {
    if (!this.#isRunning)
      return Promise.resolve({ status: 'failed', reason: 'the member was closed', effect: 'definite' });
    const reason = this.#misfit(command);
    if (reason !== null) return Promise.resolve({ status: 'refused', reason });
    const endsLead = command.type === 'resign' || command.type === 'priority';
    const said = endsLead ? boundedReason(why ?? reasonOf(this.self, command)) : undefined;
    return this.#pending.ask(command, said, (input) => this.give(input));
  }

  receive(from: MemberId, message: Message): readonly Message[] {
    if (this.#isRunning) this.#door.admit(from, message, true);
    const answers = { to: from, messages: [] };
    this.#answers = answers;
    try {
      this.give({ type: 'message', from, message });
    } finally {
      this.#answers = null;
    }
    return answers.messages;
  }

  /** A message that came over a link. Throws RefusedMessage like `receive`. */
  hear(from: MemberId, message: Message): void {
    if (this.#isRunning) this.#door.admit(from, message, false);
    this.give({ type: 'message', from, message });
  }

  #save(record: Json): void {
    const { clock, budgets } = this.#around;
    const startMs = clock.now();
    try {
      this.#around.save(record);
    } finally {
      if (this.#sender !== null) budgets.saved(this.#sender, clock.now() - startMs);
    }
  }

  /** Takes an input from outside. What the clock has made due comes before it. */
  give(input: Input): void {
    if (!this.#isRunning) return;
    if (input.type === 'message') this.#seatWait?.onHeard(input.from);
    this.#inputs.push(input);
    if (!this.#isBusy) this.#run();
  }

  #run(): void {
    this.#exclusively(() => this.#timers.runDue((timer) => this.#take({ type: 'timer', timer })));
  }

  /** One thing after the other, also when a listener that is told of one gives the next. */
  #exclusively(work: () => void): void {
    this.#isBusy = true;
    try {
      work();
      for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) this.#take(next);
    } finally {
      this.#isBusy = false;
    }
  }

  #take(input: Input): readonly Effect[] {
    if (!this.#isRunning) return [];
    const { lease } = this.view;
    this.#sender = input.type === 'message' ? input.from : null;
    const effects = this.#step(input);
    this.#sender = null;
    this.#reconsider(input, effects, lease);
    return effects;
  }

  #step(input: Input): Effect[] {
    const effects: Effect[] = [];
    this.#protocol.step(this.#state, input, effects);
    this.#around.stepped(input, effects);
    const draws: string[] = [];
    // A step costs one save: the last record replaces those before it, so it is saved in their place. A member that votes would
    // otherwise save the newer term, tell of it, and save its vote.
    let unsaved = effects.findLast((effect) => effect.type === 'save') ?? null;
    let isDue = false;
    for (const effect of effects) {
      if (effect.type === 'save') {
        isDue = true;
      } else if (effect.type === 'draw') {
        draws.push(effect.draw);
      } else {
        if (unsaved !== null && isDue && isOutward(effect)) {
          this.#barrier.save(unsaved.record);
          unsaved = null;
        }
        this.#perform(effect);
      }
    }
    if (unsaved !== null) this.#barrier.save(unsaved.record);
    for (const draw of draws) this.#step({ type: 'drawn', draw, value: draw64() });
    return effects;
  }

  #perform(effect: Exclude<Effect, { type: 'draw' | 'save' }>): void {
    switch (effect.type) {
      case 'set-timer':
        return this.#timers.set(effect.timer, lengthOf(effect.delayMs));
      case 'cancel-timer':
        return this.#timers.cancel(effect.timer);
      case 'send':
        if (!this.#barrier.isOpen) return;
        if (effect.to === this.#answers?.to) this.#answers.messages.push(effect.message);
        else this.#around.send(effect.to, effect.message);
        return;
      case 'report':
        return this.#report(effect.view);
      case 'answer': {
        const { command, outcome } = effect;
        const isBarred = !this.#barrier.isOpen && outcome.status === 'done';
        return this.#pending.answer(command, isBarred ? BARRED : outcome);
      }
      default:
        assertNever(effect);
    }
  }

  /** Stopping never waits for a disk; what else there is to tell does, since a crash may still undo it. */
  #report(view: View): void {
    if (this.#barrier.isOpen) {
      this.view = view;
      return;
    }
    this.#heldBack = view;
    if (this.view.role === 'leader' && view.role !== 'leader')
      this.view = { ...this.view, role: view.role, leader: null, lease: null };
  }

  #onBarrier(): void {
    if (this.#barrier.isOpen && this.#heldBack !== null) {
      this.view = this.#heldBack;
      this.#heldBack = null;
    }
    // A save within a step is followed by what else the step does; one that was tried again stands alone.
    if (!this.#isBusy) this.#exclusively(() => this.#reconsider(null, [], this.view.lease));
  }

  readonly #ending = (message: Message): Ending | null => this.#protocol.ending?.(message) ?? null;

  #lease(): Lease {
    const { lease } = this.view;
    return leaseOf(this.view, lease === null ? undefined : this.#timers.get(lease), this.#around.clock);
  }

  #reconsider(input: Input | null, effects: readonly Effect[], lease: string | null): void {
    const { blockedMs } = this.#timers;
    const ledMs = input?.type === 'message' ? this.#protocol.ledMs?.(input.message) : undefined;
    const verdict = this.#tenure.consider(this.view, { input, effects, lease, blockedMs, ledMs });
    this.#audience.show(this.view, this.held, this.illness);
    this.#explainSilence();
    if (verdict === 'lapsed') this.#startOver();
  }

  /** A member that waits for others before it takes any part says for whom. */
  #explainSilence(): void {
    const news = this.#seatWait?.news(this.view, this.#around.clock) ?? null;
    if (news === null) return;
    this.#tenure.note({ cause: 'started', detail: news });
    this.#audience.tell();
  }

  /** Gives up a leadership that has lapsed, and asks for a new one unless another member was found to take it. */
  #startOver(): void {
    if (!this.commands.includes('resign') || !this.commands.includes('campaign')) return;
    const effects = this.#take(this.#pending.number({ type: 'resign' }, boundedReason(this.explanation)));
    if (successorIn(effects, this.#ending) === null) this.#take(this.#pending.number({ type: 'campaign' }));
  }
}
