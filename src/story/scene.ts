import type { Input, Json, MemberId, Message, Role, View } from '../core/index.ts';
import type { Violation } from '../simulation/index.ts';

/**
 * How much a scene matters to a reader: 0 decides who leads (an event of the scenario, a leadership won or lost, a
 * broken property), 1 changes what a member believes, 2 led to such a change, 3 is routine.
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

/** One member processed one input, with an effect. */
export interface StepScene {
  readonly kind: 'step';
  readonly atMs: number;
  readonly member: MemberId;
  readonly input: Input;
  readonly sends: readonly { readonly to: MemberId; readonly message: Message }[];
  /** The step that caused it: that of the message's sender, or the same member's first try or draw. */
  parent: StepScene | null;
  /** The senders' steps of earlier messages of the same kind that may have counted: votes, for example. */
  collected: readonly StepScene[];
  /** 1, or more if a timer makes it retry. */
  readonly tries: number;
  /** A timer makes it send the same as when it set that timer: a heartbeat. */
  readonly repeats: boolean;
  readonly before: View | null;
  /** What it believes from now on, if that changed. */
  readonly after: View | null;
  readonly lanes: Lanes;
  weight: Weight;
}

/** An event outside the members. */
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

/** Routine scenes, counted instead of shown one by one. */
export interface Routine {
  readonly kind: 'routine';
  readonly atMs: number;
  readonly sent: Map<string, number>;
  /** Messages that did not arrive, by what happened to them. */
  readonly unheard: Map<string, number>;
  /** How many of the scenes changed something. */
  changes: number;
  /** How many events of the scenario, and answers to its commands. */
  events: number;
  readonly lanes: Map<MemberId, Lane>;
  readonly weight: 3;
}

/** An event about a message in flight contains its type; an order about future messages does not. */
export function isFate({ do: what, from, type }: EventScene['event']): boolean {
  return from !== undefined && type !== undefined && ['lost', 'cut', 'dropped', 'held'].includes(what);
}

/** The user ordered it, or it answers the user's command: it is always shown. */
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
