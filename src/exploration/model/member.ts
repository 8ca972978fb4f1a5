import {
  assert,
  assertNever,
  type Command,
  clonePlain,
  type Delay,
  type Effect,
  type Input,
  type Json,
  type MemberId,
  type Message,
  type Protocol,
  type Self,
  type View,
} from '../../core/index.ts';
import { addressOf, type Cluster, memberAt } from './cluster.ts';

/** The part of one member that can still affect anything. */
export interface Local {
  readonly member: MemberId;
  readonly alive: boolean;
  /** Null while it is down. */
  readonly state: unknown;
  /** The record on its disk. */
  readonly record: Json;
  /** The timers that run, sorted. */
  readonly timers: readonly string[];
  /** What it last reported; null while it is down. */
  readonly view: View | null;
  /** The term it last reported, also in an earlier life (S3). */
  readonly term: number | null;
  /** The names of all its processes so far, the last one at the end. Kept only if evidence about them is explored. */
  readonly lives?: readonly string[];
}

export interface Envelope {
  readonly from: MemberId;
  readonly to: MemberId;
  readonly message: Message;
}

/** What can happen to one member. */
export type Cause =
  | ({ readonly type: 'message' } & Envelope)
  | { readonly type: 'timer'; readonly timer: string }
  | { readonly type: 'start'; readonly amnesia: boolean; readonly incarnation: number }
  | { readonly type: 'command'; readonly id: number; readonly command: Command }
  | {
      readonly type: 'peer-gone';
      readonly peer: MemberId;
      readonly proof: boolean;
      readonly life: string | null;
    }
  | { readonly type: 'peer-back'; readonly peer: MemberId };

/** A timer was set for this long, or is no longer running. */
export interface TimerChange {
  readonly timer: string;
  readonly delayMs: Delay | null;
}

/**
 * The result of a cause. `steps` are the inputs that the protocol processed, with the effects of each: more than one
 * after draws.
 */
export interface Reaction {
  readonly local: Local;
  readonly sends: readonly Envelope[];
  readonly reports: readonly View[];
  readonly timers: readonly TimerChange[];
  readonly steps: readonly { readonly input: Input; readonly effects: readonly Effect[] }[];
  /** The answers to its draws. */
  readonly draws: readonly string[];
  /** How many records it saved. */
  readonly saves: number;
}

/** Random answers and crashes that go with a cause. */
export interface Fate {
  /** Answers to the draws of this cause; further ones get `draw`. */
  readonly draws: readonly string[];
  readonly draw: string;
  /** The process dies during its nth save: nothing after that leaves, and that record is lost. */
  readonly diesAtSave: number | null;
}

/**
 * A member that has never run. One of the first membership finds the record of a founded cluster on its disk; one
 * outside finds nothing.
 */
export function unborn(
  { protocol, insiders }: Pick<Cluster, 'protocol' | 'insiders'>,
  self: Self,
  remembersLives = false,
): Local {
  const isInside = insiders.includes(self.id);
  const record = isInside ? (protocol.genesis?.({ ...self, members: insiders }) ?? null) : null;
  return down({ member: self.id, record, term: null, ...(remembersLives ? { lives: [] } : {}) });
}

/** The process is gone; its disk remains. */
export function down({
  member,
  record,
  term,
  lives,
}: Pick<Local, 'member' | 'record' | 'term' | 'lives'>): Local {
  const rest = lives === undefined ? {} : { lives };
  return { member, alive: false, state: null, record, timers: [], view: null, term, ...rest };
}

/**
 * Applies one cause to a member and carries out the effects. A save is durable at once, or the process dies during
 * it.
 */
export function react(protocol: Protocol, self: Self, local: Local, cause: Cause, fate: Fate): Reaction {
  return new Turn(protocol, self, local, fate).react(cause);
}

class Turn {
  readonly #protocol: Protocol;
  readonly #self: Self;
  readonly #fate: Fate;
  readonly #member: MemberId;
  readonly #timers: Set<string>;
  readonly #sends: Envelope[] = [];
  readonly #reports: View[] = [];
  readonly #changes: TimerChange[] = [];
  readonly #steps: { input: Input; effects: Effect[] }[] = [];
  readonly #draws: string[] = [];
  #state: unknown;
  #record: Json;
  #view: View | null;
  #term: number | null;
  #lives: readonly string[] | undefined;
  #saves = 0;
  #died = false;

  constructor(protocol: Protocol, self: Self, local: Local, fate: Fate) {
    this.#protocol = protocol;
    this.#self = self;
    this.#fate = fate;
    this.#member = local.member;
    this.#timers = new Set(local.timers);
    this.#state = clonePlain(local.state);
    this.#record = local.record;
    this.#view = local.view;
    this.#term = local.term;
    this.#lives = local.lives;
  }

  react(cause: Cause): Reaction {
    this.#take(this.#inputOf(cause));
    return {
      local: this.#local(),
      sends: this.#sends,
      reports: this.#reports,
      timers: this.#changes,
      steps: this.#steps,
      draws: this.#draws,
      saves: this.#saves,
    };
  }

  #local(): Local {
    const rest = {
      member: this.#member,
      record: this.#record,
      term: this.#term,
      ...(this.#lives === undefined ? {} : { lives: this.#lives }),
    };
    if (this.#died) return down(rest);
    return {
      ...rest,
      alive: true,
      state: this.#state,
      timers: [...this.#timers].sort(),
      view: this.#view,
    };
  }

  #inputOf(cause: Cause): Input {
    switch (cause.type) {
      case 'start': {
        if (cause.amnesia) this.#record = null;
        this.#state = this.#protocol.init(this.#self);
        const { incarnation } = cause;
        const life = String(incarnation);
        if (this.#lives !== undefined) this.#lives = [...this.#lives, life];
        return { type: 'start', saved: clonePlain(this.#record), incarnation, life };
      }
      case 'timer':
        if (!this.#timers.delete(cause.timer)) assert(false, `the timer ${cause.timer} is not running`);
        return cause;
      case 'message':
        return { type: 'message', from: cause.from, message: cause.message };
      case 'command':
      case 'peer-gone':
      case 'peer-back':
        return cause;
      default:
        return assertNever(cause);
    }
  }

  #take(input: Input): void {
    const effects: Effect[] = [];
    this.#protocol.step(this.#state, input, effects);
    const performed: Effect[] = [];
    this.#steps.push({ input, effects: performed });
    const draws: string[] = [];
    for (const effect of effects) {
      if (effect.type === 'draw') draws.push(effect.draw);
      else this.#perform(effect);
      if (this.#died) return;
      performed.push(effect);
    }
    for (const draw of draws) {
      const value = this.#fate.draws[this.#draws.length] ?? this.#fate.draw;
      this.#draws.push(value);
      this.#take({ type: 'drawn', draw, value });
      if (this.#died) return;
    }
  }

  #perform(effect: Exclude<Effect, { type: 'draw' }>): void {
    switch (effect.type) {
      case 'send':
        if (effect.to === this.#member)
          assert(false, `${this.#member} sent ${effect.message.type} to itself`);
        // Where members have addresses, a message without the right one reaches no member.
        if (this.#self.addresses !== undefined && effect.at !== addressOf(effect.to)) return;
        this.#sends.push({ from: this.#member, to: effect.to, message: clonePlain(effect.message) });
        return;
      case 'call': {
        const to = memberAt(effect.at);
        if (to !== this.#member)
          this.#sends.push({ from: this.#member, to, message: clonePlain(effect.message) });
        return;
      }
      case 'set-timer':
        this.#timers.add(effect.timer);
        this.#changes.push({ timer: effect.timer, delayMs: effect.delayMs });
        return;
      case 'cancel-timer':
        this.#timers.delete(effect.timer);
        this.#changes.push({ timer: effect.timer, delayMs: null });
        return;
      case 'save':
        this.#saves += 1;
        if (this.#saves === this.#fate.diesAtSave) this.#died = true;
        else this.#record = clonePlain(effect.record);
        return;
      case 'report':
        this.#view = clonePlain(effect.view);
        this.#reports.push(this.#view);
        if (effect.view.term !== null) this.#term = effect.view.term;
        return;
      case 'answer':
        return;
      default:
        assertNever(effect);
    }
  }
}
