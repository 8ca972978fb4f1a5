import type { Definition, Effect, Input, Json, MemberId, Message } from '../../src/core/index.ts';
import { readSettings } from '../../src/core/index.ts';

type Sent = { to: MemberId; message: Message };

/**
 * One member of a protocol, alone with a test that plays the rest of the world: hand it inputs, look at the
 * effects. For paper tests, which check one sentence of a seed at a time.
 */
export class Solo {
  readonly #step: (input: Input) => Effect[];
  /** The effects of the latest input, or of several where one led to another. */
  effects: Effect[] = [];
  state: Record<string, unknown>;

  constructor(
    definition: Definition,
    id: MemberId,
    members: readonly MemberId[],
    {
      timing,
      options,
      settings,
      saved = null,
    }: { timing?: object; options?: object; settings?: object; saved?: Json } = {},
  ) {
    const protocol = definition.create({
      timing: readSettings(definition.timing, timing, 'timing'),
      options: readSettings(definition.options, options, 'options'),
    });
    const self = readSettings(definition.memberSettings ?? {}, settings, 'settings');
    const state = protocol.init({ id, members, settings: self });
    this.state = state as Record<string, unknown>;
    this.#step = (input) => {
      const effects: Effect[] = [];
      protocol.step(state, input, effects);
      return effects;
    };
    this.take({ type: 'start', saved, incarnation: 1, life: '1' });
  }

  take(input: Input): this {
    this.effects = this.#step(input);
    return this;
  }

  hears(from: MemberId, message: Message & Record<string, unknown>): this {
    return this.take({ type: 'message', from, message });
  }

  timer(timer: string): this {
    return this.take({ type: 'timer', timer });
  }

  command(command: Extract<Input, { type: 'command' }>['command']): this {
    return this.take({ type: 'command', id: 1, command });
  }

  /** What it sent with the latest input; of one type, if given. */
  sent(type?: string): Sent[] {
    const sends = this.effects.filter((effect) => effect.type === 'send');
    return sends
      .filter((effect) => type === undefined || effect.message.type === type)
      .map(({ to, message }) => ({ to, message }));
  }

  /** The timers it set with the latest input, and for how long. */
  timersSet(): Record<string, unknown> {
    const set = this.effects.filter((effect) => effect.type === 'set-timer');
    return Object.fromEntries(set.map((effect) => [effect.timer, effect.delayMs]));
  }

  saved(): Json[] {
    return this.effects.filter((effect) => effect.type === 'save').map((effect) => effect.record);
  }

  /** What it last reported with the latest input, if anything. */
  reported():
    | { role: string; leader: MemberId | null; term: number | null; version: number; value: Json }
    | undefined {
    return this.effects.filter((effect) => effect.type === 'report').at(-1)?.view;
  }
}
