import type { Effect, Input, MemberId, Message } from '../core/index.ts';
import type { StepScene } from './scene.ts';

const MOST_TRIES = 3;

/** Remembers which step sent each message and set each timer, so that every step finds the steps that caused it. */
export class Causes {
  readonly #senders = new WeakMap<Message, StepScene>();
  readonly #latest = new Map<MemberId, StepScene>();
  /** The step that last set a timer while sending a message, by member and timer. */
  readonly #setters = new Map<string, StepScene>();
  readonly #kept = new Map<string, Map<MemberId, StepScene>>();

  note(scene: StepScene, effects: readonly Effect[]): void {
    for (const { message } of scene.sends) this.#senders.set(message, scene);
    for (const effect of effects) {
      if (effect.type === 'set-timer') this.#setters.set(`${scene.member} ${effect.timer}`, scene);
    }
    this.#latest.set(scene.member, scene);
  }

  /** A message that arrives is the same object that was sent, so its sender is certain. */
  parentOf(member: MemberId, input: Input): StepScene | null {
    if (input.type === 'message') return this.#senders.get(input.message) ?? null;
    return input.type === 'drawn' ? (this.#latest.get(member) ?? null) : null;
  }

  /** A message without an effect may be kept for later: a vote counts once there are enough. */
  collect(member: MemberId, input: Input): void {
    if (input.type !== 'message') return;
    const sender = this.#senders.get(input.message);
    if (sender === undefined) return;
    const key = `${member} ${input.message.type}`;
    const kept = this.#kept.get(key) ?? new Map<MemberId, StepScene>();
    this.#kept.set(key, kept.set(sender.member, sender));
  }

  /** The messages of that type that a member received since one last had an effect, the newest of each sender. */
  collected(member: MemberId, input: Input): readonly StepScene[] {
    if (input.type !== 'message') return [];
    const key = `${member} ${input.message.type}`;
    const kept = [...(this.#kept.get(key)?.values() ?? [])];
    this.#kept.delete(key);
    return kept;
  }

  /** When the timer fires, does the member send the same as when it set the timer? */
  repeats(member: MemberId, input: Input, sends: StepScene['sends']): boolean {
    const setter = input.type === 'timer' ? this.#setters.get(`${member} ${input.timer}`) : undefined;
    return setter !== undefined && typesOf(setter.sends) === typesOf(sends);
  }

  /**
   * The step whose message was not answered, if this one sends it again. A retry goes to one member, and to the same
   * one only a few times; a message that is sent repeatedly is a heartbeat.
   */
  triedBefore(member: MemberId, input: Input, sends: StepScene['sends']): StepScene | null {
    if (input.type !== 'timer') return null;
    const setter = this.#setters.get(`${member} ${input.timer}`);
    const [only] = sends;
    if (setter === undefined || only === undefined || sends.length > 1) return null;
    const first = setter.sends.filter(({ message }) => message.type === only.message.type);
    if (first.length === 0) return null;
    return first.every(({ to }) => to !== only.to) || setter.tries < MOST_TRIES ? setter : null;
  }
}

function typesOf(sends: StepScene['sends']): string {
  return [...new Set(sends.map(({ message }) => message.type))].sort().join(' ');
}
