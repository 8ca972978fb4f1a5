import { idSet, type MemberId } from '../core/index.ts';
import { isLink, isPassage } from './link-words.ts';
import type { EventScene, StepScene, ViolationScene } from './scene.ts';
import { stepWords } from './step-words.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Finds scenes that have enough in common to share a line. */
export class Keys {
  readonly #vocabulary: Vocabulary;
  readonly #causes = new Map<StepScene, number>();

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** Steps with the same key do the same for the same reason. */
  of(scene: StepScene): string {
    const { parent, input, atMs } = scene;
    const words = this.#words(scene);
    if (parent === null) return `${input.type} ${atMs} ${words}`;
    if (scene.tries > 1 && this.#words(parent) === words) return this.of(parent);
    if (!this.#causes.has(parent)) this.#causes.set(parent, this.#causes.size);
    return `${this.#causes.get(parent)} ${words}`;
  }

  /** Both do the same, or give the same answer to the member that asked. */
  readSame(a: StepScene, b: StepScene): boolean {
    if (a.input.type !== b.input.type) return false;
    if (this.#words(a) === this.#words(b)) return true;
    const words = (scene: StepScene): string => stepWords([scene], true, this.#vocabulary, () => '');
    return answers(a) && answers(b) && words(a) === words(b);
  }

  /** They differ only in the member that they happen to. */
  isSame(a: StepScene | EventScene | ViolationScene, b: EventScene | ViolationScene): boolean {
    if (a.kind === 'event' && b.kind === 'event') {
      if (a.about !== b.about || !happensToSome(b.event)) return false;
      return JSON.stringify(rest(a.event)) === JSON.stringify(rest(b.event));
    }
    if (a.kind !== 'violation' || b.kind !== 'violation') return false;
    return a.violation.property === b.violation.property && a.violation.claimed === b.violation.claimed;
  }

  #words(scene: StepScene): string {
    return stepWords([scene], true, this.#vocabulary, nameCircle);
  }
}

/** A broadcast inside one partition is grouped by sender and receivers, so it is the same for each of its senders. */
function nameCircle(to: readonly MemberId[], senders: readonly MemberId[]): string {
  return to.length === 1 ? String(to[0]) : idSet([...senders, ...to]).join(' ');
}

/** A step that decides who leads always has its own line. */
function answers({ weight, input, sends }: StepScene): boolean {
  return weight > 0 && input.type === 'message' && sends.every(({ to }) => to === input.from);
}

/** Does the event happen to particular members? Only such events are grouped. */
function happensToSome(event: EventScene['event']): boolean {
  return event.member !== undefined || event.do === 'inject' || isLink(event) || isPassage(event);
}

function rest(event: EventScene['event']): object {
  const { member: _, command: __, ...others } = event;
  if (isLink(event) || isPassage(event)) return { ...others, from: 0, to: 0 };
  if (event.do === 'inject') return { ...others, to: 0 };
  return event.asked === undefined ? others : event; // The member that is added or removed is not the one that it happens to.
}
