import type { Input, Json, MemberId, Message, Role, View } from '../core/index.ts';
import type { Violation } from '../simulation/index.ts';

/**
 * How much something matters to a reader: 0 decides who leads (an event of the scenario, a leadership won or lost, a
 * broken property), 1 changes what a member believes, 2 led to such a change, 3 led nowhere: it merely goes on.
 */
export type Weight = 0 | 1 | 2 | 3;

/** What a member's lane shows. */
export interface Lane {
  readonly role: Role | 'down';
  readonly leader: MemberId | null;
  readonly paused: boolean;
}

export type Lanes = ReadonlyMap<MemberId, Lane>;

export type Scene = StepScene | EventScene | ViolationScene | Routine;

/** One member took one input, and something came of it. */
export interface StepScene {
  readonly kind: 'step';
  readonly atMs: number;
  readonly member: MemberId;
  readonly input: Input;
  readonly sends: readonly { readonly to: MemberId; readonly message: Message }[];
  /** The step that brought it about: whose message it was, or the same member's first try or draw. */
  parent: StepScene | null;
  /** Whose messages of the same kind were heard before and may have counted: votes, for example. */
  collected: readonly StepScene[];
  /** 1, or more where a timer makes it send something again. */
  readonly tries: number;
  /** A timer makes it send what it sent when it set that timer: a heartbeat. */
  readonly repeats: boolean;
  readonly before: View | null;
  /** What it believes from now on, if that is news. */
  readonly after: View | null;
  readonly lanes: Lanes;
  weight: Weight;
}

/** Something happened around the members. */
export interface EventScene {
  readonly kind: 'event';
  readonly atMs: number;
  readonly event: { readonly do: string; readonly [field: string]: Json };
  /** The command that an answer is about. */
  readonly about: string | null;
  readonly lanes: Lanes;
  readonly weight: Weight;
}

export interface ViolationScene {
  readonly kind: 'violation';
  readonly atMs: number;
  readonly violation: Violation;
  readonly lanes: Lanes;
  readonly weight: 0;
}

/** Much that went on, counted instead of told one by one. */
export interface Routine {
  readonly kind: 'routine';
  readonly atMs: number;
  readonly sent: Map<string, number>;
  /** Messages that did not arrive, by what became of them. */
  readonly unheard: Map<string, number>;
  /** How many scenes that changed something are among it. */
  changes: number;
  /** How many events of the scenario, and answers to its commands. */
  events: number;
  readonly lanes: Map<MemberId, Lane>;
  readonly weight: 3;
}

/** What becomes of a message on its way is noted with its type; the orders that bring it about are not. */
export function isFate({ do: what, from, type }: EventScene['event']): boolean {
  return from !== undefined && type !== undefined && ['lost', 'cut', 'dropped', 'held'].includes(what);
}

/** The user asked for it, or asked and gets an answer: whatever else is left out, it is told. */
export function isOrdered(scene: Scene): scene is EventScene {
  return scene.kind === 'event' && !isFate(scene.event);
}

/** Replaces every scene that is not kept by counts; neighbours are counted together. */
export function countAllBut(scenes: readonly Scene[], keep: (scene: Scene, i: number) => boolean): Scene[] {
  const result: Scene[] = [];
  scenes.forEach((scene, i) => {
    if (scene.kind !== 'routine' && keep(scene, i)) {
      result.push(scene);
      return;
    }
    let routine = result.at(-1);
    if (routine?.kind !== 'routine') {
      routine = newRoutine(scene.atMs);
      result.push(routine);
    }
    addTo(routine, scene);
  });
  return result;
}

export function newRoutine(atMs: number): Routine {
  return {
    kind: 'routine',
    atMs,
    sent: new Map(),
    unheard: new Map(),
    changes: 0,
    events: 0,
    lanes: new Map(),
    weight: 3,
  };
}

export function addTo(routine: Routine, scene: Scene): void {
  for (const [member, lane] of scene.lanes) routine.lanes.set(member, lane);
  switch (scene.kind) {
    case 'step':
      for (const { message } of scene.sends) add(routine.sent, message.type, 1);
      if (scene.after !== null) routine.changes += 1;
      return;
    case 'event':
      if (isFate(scene.event)) add(routine.unheard, scene.event.do, 1);
      else routine.events += 1;
      return;
    case 'violation':
      routine.changes += 1;
      return;
    case 'routine':
      for (const [type, count] of scene.sent) add(routine.sent, type, count);
      for (const [fate, count] of scene.unheard) add(routine.unheard, fate, count);
      routine.changes += scene.changes;
      routine.events += scene.events;
      return;
  }
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
