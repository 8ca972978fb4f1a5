import type { Effect, Input, MemberId, Message } from '../core/index.ts';
import type { StepScene } from './scene.ts';

const MOST_TRIES = 3;

/** Remembers who sent what and who waits for what, so that every step finds the steps that brought it about. */
export class Causes {
  readonly #senders = new WeakMap<Message, StepScene>();
  readonly #latest = new Map<MemberId, StepScene>();
  /** Who last set a timer while sending something, by member and timer. */
  readonly #setters = new Map<string, StepScene>();
  readonly #kept = new Map<string, Map<MemberId, StepScene>>();

  note(scene: StepScene, effects: readonly Effect[]): void {
    for (const { message } of scene.sends) this.#senders.set(message, scene);
    for (const effect of effects) {
      if (effect.type === 'set-timer') this.#setters.set(`${scene.member} ${effect.timer}`, scene);
    }
    this.#latest.set(scene.member, scene);
  }

  /** A message that arrives is the very object that was sent, so its sender is known for certain. */
  parentOf(member: MemberId, input: Input): StepScene | null {
    if (input.type === 'message') return this.#senders.get(input.message) ?? null;
    return input.type === 'drawn' ? (this.#latest.get(member) ?? null) : null;
  }

  /** What is heard without an effect may be kept for later, as a vote is until there are enough. */
  collect(member: MemberId, input: Input): void {
    if (input.type !== 'message') return;
    const sender = this.#senders.get(input.message);
    if (sender === undefined) return;
    const key = `${member} ${input.message.type}`;
    const kept = this.#kept.get(key) ?? new Map<MemberId, StepScene>();
    this.#kept.set(key, kept.set(sender.member, sender));
  }

  /** The messages of that type that a member heard since one last had an effect, the newest of each sender. */
  collected(member: MemberId, input: Input): readonly StepScene[] {
    if (input.type !== 'message') return [];
    const key = `${member} ${input.message.type}`;
    const kept = [...(this.#kept.get(key)?.values() ?? [])];
    this.#kept.delete(key);
    return kept;
  }

  /** Does it send, when the timer fires, what it sent when it set it? */
  repeats(member: MemberId, input: Input, sends: StepScene['sends']): boolean {
    const setter = input.type === 'timer' ? this.#setters.get(`${member} ${input.timer}`) : undefined;
    return setter !== undefined && typesOf(setter.sends) === typesOf(sends);
  }

  /**
   * The step whose message nobody answered, if this one sends it again. A second try goes to one member, to the
   * same a few times at most; what goes out again and again is a heartbeat.
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
