import { compareIds, type MemberId } from '../core/index.ts';
import { Keys } from './keys.ts';
import type { EventScene, Routine, Scene, StepScene, ViolationScene } from './scene.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Scenes that share one line. All are of the same kind. */
export type Told = readonly StepScene[] | readonly EventScene[] | readonly ViolationScene[];

/** Scenes that share one line, or a count of routine scenes. */
export type Group = Told | Routine;

type ToldScene = Exclude<Scene, Routine>;

/** Equal answers of several members share a line if no more time is between them. */
const ANSWERS_MS = 20;

/** Groups scenes that a person would tell together. */
export function groupScenes(scenes: readonly Scene[], vocabulary: Vocabulary): Group[] {
  const grouping = new Grouping(new Keys(vocabulary));
  for (const scene of scenes) grouping.add(scene);
  return grouping.groups as Group[];
}

class Grouping {
  readonly groups: (ToldScene[] | Routine)[] = [];
  readonly #keys: Keys;
  /** Where a step with that key may still be added. */
  readonly #open = new Map<string, number>();
  /** Where a member last appears: its own steps stay in their order. */
  readonly #newest = new Map<MemberId, number>();

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  add(scene: Scene): void {
    switch (scene.kind) {
      case 'routine':
        for (const member of scene.lanes.keys()) this.#newest.set(member, this.groups.length);
        this.groups.push(scene);
        return;
      case 'step':
        return this.#addStep(scene);
      case 'event':
      case 'violation':
        return this.#addHappening(scene);
    }
  }

  /**
   * Members that did the same because of the same message share a line, at the time of the first. Moving a later one
   * up past other members' steps is harmless: nothing that it caused can stand before it.
   */
  #addStep(scene: StepScene): void {
    const key = this.#keys.of(scene);
    const known = this.#open.get(key);
    if (known !== undefined && (this.#newest.get(scene.member) ?? -1) <= known) {
      return this.#put(scene, known);
    }
    // A member that does the same right after it is added, whatever the cause.
    const last = this.groups.at(-1);
    const first = Array.isArray(last) ? last[0] : undefined;
    const joins = first?.kind === 'step' && this.#keys.readSame(first, scene);
    this.#put(scene, joins ? this.groups.length - 1 : this.groups.length);
    this.#open.set(key, this.groups.length - 1);
  }

  /**
   * The same event at the same moment is shown once, for all members that it happens to; answers may be some time
   * apart.
   */
  #addHappening(scene: EventScene | ViolationScene): void {
    const isAnswer = scene.kind === 'event' && scene.event.do === 'answer';
    const sinceMs = scene.atMs - (isAnswer ? ANSWERS_MS : 0);
    for (let i = this.groups.length - 1; i >= 0; i--) {
      const group = this.groups[i]!;
      if ((Array.isArray(group) ? group[0]! : group).atMs < sinceMs) break;
      if (!Array.isArray(group) || !this.#keys.isSame(group[0]!, scene)) continue;
      if (this.#mayJoin(scene, group, i)) return this.#put(scene, i);
    }
    this.#open.clear(); // A step after a fault must not move before it.
    this.#put(scene, this.groups.length);
  }

  /** For the same member it is a second event, and must come after what that member did before. */
  #mayJoin(scene: EventScene | ViolationScene, group: readonly ToldScene[], at: number): boolean {
    if (scene.kind === 'violation' || scene.event.member === undefined) return true;
    const member = scene.event.member as MemberId;
    return (this.#newest.get(member) ?? -1) <= at && !group.some((each) => membersOf(each).includes(member));
  }

  #put(scene: ToldScene, at: number): void {
    const group = this.groups[at];
    if (group === undefined) this.groups.push([scene]);
    else (group as ToldScene[]).push(scene);
    for (const member of membersOf(scene)) {
      if (scene.kind !== 'violation') this.#newest.set(member, Math.max(at, this.#newest.get(member) ?? -1));
    }
  }
}

/** The members of a line, sorted. */
export function membersIn(told: Told): MemberId[] {
  return [...new Set((told as readonly ToldScene[]).flatMap(membersOf))].sort(compareIds);
}

function membersOf(scene: ToldScene): readonly MemberId[] {
  if (scene.kind === 'step') return [scene.member];
  if (scene.kind === 'violation') return scene.violation.members;
  return scene.event.member === undefined ? [] : [scene.event.member as MemberId];
}
