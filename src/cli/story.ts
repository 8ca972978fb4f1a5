import type { Effect, Input, MemberId, Message, TraceLine, TraceStep, View } from '../core/index.ts';
import type { Violation } from '../simulation/index.ts';
import type { Listener } from './one-run.ts';
import {
  countAllBut,
  type EventScene,
  isFate,
  type Lane,
  type Lanes,
  type Scene,
  type StepScene,
  type Weight,
} from './scene.ts';

/** With more scenes than this the story is thinned out, so that a run of any length fits in memory. */
const MOST_SCENES = 20_000;

const OFTEN = 0.15;
const MOST_TRIES = 3;

const SAME: Lanes = new Map();

/**
 * Reads a trace as it happens and finds out what matters, without knowing any protocol: whatever changes what
 * a member believes, and every message without which that would not have come about. The rest, such as
 * heartbeats that find everybody well, gets the weight 3.
 */
export class Story implements Listener {
  scenes: Scene[] = [];
  members: MemberId[] = [];
  readonly #views = new Map<MemberId, View>();
  readonly #lanes = new Map<MemberId, Lane>();
  readonly #senders = new WeakMap<Message, StepScene>();
  readonly #latest = new Map<MemberId, StepScene>();
  /** Who last set a timer while sending something, by member and timer. */
  readonly #setters = new Map<string, StepScene>();
  readonly #kept = new Map<string, Map<MemberId, StepScene>>();
  readonly #commands = new Map<number, string>();
  readonly #restarts = new Map<MemberId, Map<MemberId, Lane>>();
  readonly #heard = new Map<string, { times: number; mattered: number }>();

  /**
   * The types of messages that often made a difference to whoever heard them. The others, such as an ack that
   * only ends a wait, are told where there is nothing else to tell.
   */
  get telling(): ReadonlySet<string> {
    const often = [...this.#heard].filter(([, { times, mattered }]) => mattered >= times * OFTEN);
    return new Set(often.map(([type]) => type));
  }

  line(line: TraceLine): void {
    if ('trace' in line) this.members = [...line.members];
    else if ('event' in line) this.#onEvent(line.atMs, line.event);
    else this.#onStep(line);
    if (this.scenes.length > MOST_SCENES) this.#thin();
  }

  violation(violation: Violation): void {
    this.scenes.push({ kind: 'violation', atMs: violation.atMs, violation, lanes: SAME, weight: 0 });
  }

  /** What is no longer told is let go together with what led to it, however long ago that began. */
  #thin(): void {
    const kept = thin(this.scenes);
    const told = new Set(kept);
    for (const scene of this.scenes) {
      if (scene.kind !== 'step' || told.has(scene)) continue;
      scene.parent = null;
      scene.collected = [];
    }
    this.scenes = kept;
  }

  #onEvent(atMs: number, event: EventScene['event']): void {
    const member = event.member as MemberId;
    let lanes = SAME;
    switch (event.do) {
      case 'boot':
        this.members.push(member);
        break;
      case 'restart': {
        const restarted = new Map<MemberId, Lane>();
        this.#restarts.set(member, restarted);
        lanes = restarted;
        break;
      }
      case 'crash':
        this.#views.delete(member);
        lanes = this.#changeLane(member, { role: 'down', leader: null, paused: false });
        break;
      case 'pause':
      case 'resume':
        if (event.skipped === undefined) lanes = this.#changeLane(member, { paused: event.do === 'pause' });
        break;
    }
    const about = event.do === 'answer' ? (this.#commands.get(event.command as number) ?? null) : null;
    this.scenes.push({ kind: 'event', atMs, event, about, lanes, weight: weightOfEvent(event) });
  }

  #onStep({ atMs, member, input, effects }: TraceStep): void {
    if (input.type === 'command') this.#commands.set(input.id, input.command.type);
    if (input.type === 'message') this.#hear(input.message.type, effects);
    const sends = effects.filter((effect) => effect.type === 'send');
    const draws = effects.some((effect) => effect.type === 'draw');
    const view = effects.findLast((effect) => effect.type === 'report')?.view;
    const before = this.#views.get(member) ?? null;
    const after = view !== undefined && differs(before, view) ? view : null;
    if (after !== null) this.#views.set(member, after);
    if (effects.length === 0) this.#collect(member, input);
    if (after === null && sends.length === 0 && !draws) return;
    const lanes =
      after === null ? SAME : this.#changeLane(member, { role: after.role, leader: after.leader });
    if (input.type === 'start' && this.#isToldByRestart(member, lanes, sends.length)) return;
    const weight = after === null ? (isAsked(input) ? 2 : 3) : weightOfChange(before, after);
    const again = input.type === 'timer' ? this.#triedBefore(member, input.timer, sends) : null;
    const parent = again ?? this.#parentOf(member, input);
    const collected = input.type === 'message' ? this.#collected(member, input.message.type) : [];
    const tries = again === null ? 1 : again.tries + 1;
    const scene: StepScene = {
      kind: 'step',
      atMs,
      member,
      input,
      sends,
      parent,
      collected,
      tries,
      before,
      after,
      lanes,
      weight,
    };
    for (const { message } of sends) this.#senders.set(message, scene);
    for (const effect of effects) {
      if (effect.type === 'set-timer') this.#setters.set(`${member} ${effect.timer}`, scene);
    }
    this.#latest.set(member, scene);
    this.scenes.push(scene);
    if (after === null) return;
    const causes = [parent, ...collected];
    for (let cause = causes.pop(); cause !== undefined; cause = causes.pop()) {
      if (cause?.weight !== 3) continue;
      if (cause.sends.length > 0) cause.weight = 2;
      causes.push(cause.parent, ...cause.collected);
    }
  }

  #hear(type: string, effects: readonly Effect[]): void {
    const heard = this.#heard.get(type) ?? { times: 0, mattered: 0 };
    heard.times += 1;
    if (effects.some((effect) => effect.type !== 'cancel-timer')) heard.mattered += 1;
    this.#heard.set(type, heard);
  }

  /** A message that arrives is the very object that was sent, so its sender is known for certain. */
  #parentOf(member: MemberId, input: Input): StepScene | null {
    if (input.type === 'message') return this.#senders.get(input.message) ?? null;
    return input.type === 'drawn' ? (this.#latest.get(member) ?? null) : null;
  }

  /** What is heard without an effect may be kept for later, as a vote is until there are enough. */
  #collect(member: MemberId, input: Input): void {
    if (input.type !== 'message') return;
    const sender = this.#senders.get(input.message);
    if (sender === undefined) return;
    const key = `${member} ${input.message.type}`;
    const kept = this.#kept.get(key) ?? new Map<MemberId, StepScene>();
    this.#kept.set(key, kept.set(sender.member, sender));
  }

  /** The messages of that type that a member heard since one last had an effect, the newest of each sender. */
  #collected(member: MemberId, type: string): readonly StepScene[] {
    const key = `${member} ${type}`;
    const kept = [...(this.#kept.get(key)?.values() ?? [])];
    this.#kept.delete(key);
    return kept;
  }

  /**
   * The step whose message nobody answered, if this one sends it again. A second try goes to one member, to the
   * same a few times at most; what goes out again and again is a heartbeat.
   */
  #triedBefore(member: MemberId, timer: string, sends: StepScene['sends']): StepScene | null {
    const setter = this.#setters.get(`${member} ${timer}`);
    const [only] = sends;
    if (setter === undefined || only === undefined || sends.length > 1) return null;
    const first = setter.sends.filter(({ message }) => message.type === only.message.type);
    if (first.length === 0) return null;
    return first.every(({ to }) => to !== only.to) || setter.tries < MOST_TRIES ? setter : null;
  }

  /** That a restarted member starts needs no words of its own: the lanes of the restart show it. */
  #isToldByRestart(member: MemberId, lanes: Lanes, sends: number): boolean {
    const restarted = this.#restarts.get(member);
    this.#restarts.delete(member);
    if (restarted === undefined || sends > 0) return false;
    for (const [id, lane] of lanes) restarted.set(id, lane);
    return true;
  }

  #changeLane(member: MemberId, change: Partial<Lane>): Lanes {
    const before: Lane = this.#lanes.get(member) ?? { role: 'none', leader: null, paused: false };
    const lane = { ...before, ...change };
    this.#lanes.set(member, lane);
    return new Map([[member, lane]]);
  }
}

function differs(before: View | null, after: View): boolean {
  return (
    before === null ||
    before.role !== after.role ||
    before.leader !== after.leader ||
    before.term !== after.term ||
    before.version !== after.version
  );
}

function weightOfChange(before: View | null, after: View): Weight {
  return after.role === 'leader' || before?.role === 'leader' ? 0 : 1;
}

/** A member that was told to do something is worth a look even where nothing changes. */
function isAsked(input: Input): boolean {
  return input.type === 'command' || input.type === 'peer-gone' || input.type === 'peer-back';
}

/** What the dice of the network do is counted; what the scenario ordered is told. */
function weightOfEvent(event: EventScene['event']): Weight {
  if (event.skipped !== undefined) return 1;
  if (event.do === 'answer') return event.status === 'done' ? 1 : 0;
  if (!isFate(event)) return 0;
  return event.do === 'dropped' || event.do === 'held' ? 1 : 3;
}

/** Counts what matters least first, until half of the room is free; in the end, all but the two ends. */
function thin(scenes: readonly Scene[]): Scene[] {
  for (const weight of [3, 2, 1]) {
    const kept = countAllBut(scenes, (scene) => scene.weight < weight);
    if (kept.length <= MOST_SCENES / 2) return kept;
  }
  const end = MOST_SCENES / 8;
  return countAllBut(scenes, (_, i) => i < end || i >= scenes.length - end);
}
