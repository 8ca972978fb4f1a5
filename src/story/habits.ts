import type { Effect } from '../core/index.ts';
import type { StepScene } from './scene.ts';

/** If a step has consequences less often than this, they are an exception. */
const OFTEN = 0.15;
/** A type of message that causes this share of all changes matters, however often it changes nothing. */
const WORTH_A_WORD = 0.1;

interface Step {
  readonly types: ReadonlySet<string>;
  times: number;
  led: number;
}

interface Hearing {
  times: number;
  /** How often there was an effect other than resetting a timer. */
  mattered: number;
  led: number;
}

/**
 * Learns from a run, without knowing any protocol, what is routine: steps that nearly always have no consequences,
 * such as heartbeats, and messages that hardly ever matter, such as acks.
 */
export class Habits {
  readonly #steps = new Map<string, Step>();
  readonly #hearings = new Map<string, Hearing>();
  #changes = 0;

  heard(type: string, effects: readonly Effect[]): void {
    const hearing = this.#hearing(type);
    hearing.times += 1;
    if (effects.some((effect) => effect.type !== 'cancel-timer')) hearing.mattered += 1;
  }

  stepped(scene: StepScene): void {
    this.#step(scene).times += 1;
    if (scene.after !== null) this.#changes += 1;
  }

  /** The step caused a change, its own or another's; so did every message that it received for it. */
  led(scene: StepScene): void {
    this.#step(scene).led += 1;
    const { input, collected } = scene;
    if (input.type === 'message') this.#hearing(input.message.type).led += 1 + collected.length;
  }

  isTelling(type: string): boolean {
    const { times, mattered, led } = this.#hearing(type);
    if (led >= times * OFTEN || led >= this.#changes * WORTH_A_WORD) return true;
    return mattered >= times * OFTEN && !this.#isSentByHabit(type);
  }

  isRoutine(scene: StepScene): boolean {
    return leadsNowhere(this.#step(scene));
  }

  #isSentByHabit(type: string): boolean {
    const steps = [...this.#steps.values()].filter((step) => step.types.has(type));
    const times = (list: readonly Step[]): number => list.reduce((sum, step) => sum + step.times, 0);
    return times(steps.filter(leadsNowhere)) > times(steps) / 2;
  }

  #step({ input, sends }: StepScene): Step {
    const types = [...new Set(sends.map(({ message }) => message.type))].sort();
    const key = `${causeOf(input)}: ${types.join(' ')}`;
    let step = this.#steps.get(key);
    if (step === undefined) {
      step = { types: new Set(types), times: 0, led: 0 };
      this.#steps.set(key, step);
    }
    return step;
  }

  #hearing(type: string): Hearing {
    let hearing = this.#hearings.get(type);
    if (hearing === undefined) {
      hearing = { times: 0, mattered: 0, led: 0 };
      this.#hearings.set(type, hearing);
    }
    return hearing;
  }
}

function leadsNowhere({ times, led }: Step): boolean {
  return led < times * OFTEN;
}

function causeOf(input: StepScene['input']): string {
  if (input.type === 'message') return `message ${input.message.type}`;
  // Some timers are also named after a peer or a round; that makes no difference here.
  return input.type === 'timer' ? `timer ${input.timer.replace(/[ /].*/, '')}` : input.type;
}
