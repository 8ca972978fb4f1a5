import type { MemberId } from '../core/index.ts';
import type { EventScene, Routine, Scene, StepScene } from './scene.ts';
import { stepWords } from './step-words.ts';
import type { Vocabulary } from './vocabulary.ts';

export type ToldScene = Exclude<Scene, Routine>;

/** Scenes that are told in one line, or something that is only counted. */
export type Group = readonly ToldScene[] | Routine;

/**
 * Members that did the same because of the same message are told together, at the time of the first. That a
 * later one moves up past what others did meanwhile is harmless: nothing that it caused can stand before it.
 */
export function groupScenes(scenes: readonly Scene[], vocabulary: Vocabulary): Group[] {
  const groups: (ToldScene[] | Routine)[] = [];
  const open = new Map<string, ToldScene[]>();
  const newest = new Map<MemberId, number>();
  const keys = new Keys(vocabulary);
  for (const scene of scenes) {
    if (scene.kind === 'routine') {
      for (const member of scene.lanes.keys()) newest.set(member, groups.length);
      groups.push(scene);
    } else if (scene.kind === 'step') {
      const key = keys.of(scene);
      const known = open.get(key);
      // A member's own deeds stay in their order.
      const at = known === undefined ? -1 : groups.lastIndexOf(known);
      if (known !== undefined && (newest.get(scene.member) ?? -1) <= at) {
        known.push(scene);
        newest.set(scene.member, at);
      } else {
        let group = groups.at(-1);
        // Whoever does the same right after it is told with it, whatever the cause.
        if (!Array.isArray(group) || group[0]!.kind !== 'step' || !keys.readSame(group[0]!, scene)) {
          group = [];
          groups.push(group);
        }
        group.push(scene);
        open.set(key, group);
        newest.set(scene.member, groups.length - 1);
      }
    } else {
      const before = groups.at(-1);
      const first = Array.isArray(before) ? before[0] : undefined;
      if (scene.kind === 'event' && first?.kind === 'event' && isSame(first, scene)) {
        (before as ToldScene[]).push(scene);
      } else {
        open.clear(); // Nobody is told before a fault to have done what came after it.
        groups.push([scene]);
      }
    }
  }
  return groups;
}

/** Names what steps have in common that are told together: their words and their cause. */
class Keys {
  readonly #vocabulary: Vocabulary;
  readonly #causes = new Map<StepScene, number>();

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  of(scene: StepScene): string {
    const { parent, input, atMs } = scene;
    const words = this.#words(scene);
    if (parent === null) return `${input.type} ${atMs} ${words}`;
    if (scene.tries > 1 && this.#words(parent) === words) return this.of(parent);
    if (!this.#causes.has(parent)) this.#causes.set(parent, this.#causes.size);
    return `${this.#causes.get(parent)} ${words}`;
  }

  readSame(a: StepScene, b: StepScene): boolean {
    return a.input.type === b.input.type && this.#words(a) === this.#words(b);
  }

  #words(scene: StepScene): string {
    return stepWords(scene, true, this.#vocabulary);
  }
}

/** The same thing at the same moment, to another member. */
function isSame(a: EventScene, b: EventScene): boolean {
  const rest = ({ event: { member: _, command: __, ...others } }: EventScene): string =>
    JSON.stringify(others);
  return a.atMs === b.atMs && a.event.member !== undefined && a.about === b.about && rest(a) === rest(b);
}
