import type { Input, MemberId, TraceLine, TraceStep, View } from '../core/index.ts';
import type { Violation } from '../simulation/index.ts';
import { Causes } from './causes.ts';
import { Commands, type Pending } from './commands.ts';
import { Habits } from './habits.ts';
import {
  type EventScene,
  isFate,
  type Lane,
  type Lanes,
  type Scene,
  type StepScene,
  type Weight,
} from './scene.ts';
import { thin } from './thin.ts';

/** With more scenes than this the story is thinned out, so that a run of any length fits in memory. */
const MOST_SCENES = 20_000;

const SAME: Lanes = new Map();

/**
 * Reads a trace as it happens and finds what matters, without knowing any protocol: every change of what a member
 * believes, and every message that caused one. The rest, such as heartbeats without consequences, gets the weight 3.
 */
export class Story {
  scenes: Scene[] = [];
  members: MemberId[] = [];
  readonly habits: Habits = new Habits();
  readonly #causes = new Causes();
  readonly #commands = new Commands();
  readonly #views = new Map<MemberId, View>();
  readonly #lanes = new Map<MemberId, Lane>();
  readonly #restarts = new Map<MemberId, Map<MemberId, Lane>>();

  /** The commands that were never answered. */
  get unanswered(): readonly Pending[] {
    return this.#commands.unanswered;
  }

  line(line: TraceLine): void {
    if ('trace' in line) this.members = [...line.members];
    else if ('event' in line) this.#onEvent(line.atMs, line.event);
    else this.#onStep(line);
    if (this.scenes.length > MOST_SCENES) this.scenes = thin(this.scenes, MOST_SCENES / 2);
  }

  violation(violation: Violation): void {
    this.scenes.push({ kind: 'violation', atMs: violation.atMs, violation, lanes: SAME, weight: 0 });
  }

  #onEvent(atMs: number, event: EventScene['event']): void {
    const member = event.member as MemberId;
    let told = event;
    let lanes = SAME;
    switch (event.do) {
      case 'boot':
        this.members.push(member);
        break;
      case 'twin':
        // A second process has its own lane, under its own name.
        if (event.skipped === undefined && !this.members.includes(member)) this.members.push(member);
        break;
      case 'restart': {
        if (event.skipped !== undefined) break;
        if (this.#takeBackCrash(atMs, member)) told = { ...event, crashed: true };
        const restarted = new Map(this.#changeLane(member, {}));
        this.#restarts.set(member, restarted);
        lanes = restarted;
        break;
      }
      case 'crash':
        if (event.skipped !== undefined) break;
        this.#views.delete(member);
        lanes = this.#changeLane(member, { role: 'down', leader: null, paused: false });
        break;
      case 'pause':
      case 'resume':
        if (event.skipped === undefined) lanes = this.#changeLane(member, { paused: event.do === 'pause' });
        break;
    }
    this.#commands.given(atMs, event);
    const about = event.do === 'answer' ? this.#commands.answered(event.command as number) : null;
    this.scenes.push({ kind: 'event', atMs, event: told, about, lanes, weight: weightOfEvent(event) });
  }

  /** A restart of a running member crashes it first: both are shown as one event. */
  #takeBackCrash(atMs: number, member: MemberId): boolean {
    for (let i = this.scenes.length - 1; i >= 0 && this.scenes[i]!.atMs === atMs; i--) {
      const scene = this.scenes[i]!;
      if (scene.kind !== 'event' || scene.event.member !== member || scene.event.do !== 'crash') continue;
      this.scenes.splice(i, 1);
      return true;
    }
    return false;
  }

  #onStep({ atMs, member, input, effects }: TraceStep): void {
    if (input.type === 'command') this.#commands.taken(member, input);
    if (input.type === 'message') this.habits.heard(input.message.type, effects);
    const sends = effects.filter((effect) => effect.type === 'send');
    const draws = effects.some((effect) => effect.type === 'draw');
    const view = effects.findLast((effect) => effect.type === 'report')?.view;
    const before = this.#views.get(member) ?? null;
    const after = view !== undefined && differs(before, view) ? view : null;
    if (after !== null) this.#views.set(member, after);
    if (effects.length === 0) this.#causes.collect(member, input);
    if (after === null && sends.length === 0 && !draws) return;
    const lanes =
      after === null ? SAME : this.#changeLane(member, { role: after.role, leader: after.leader });
    if (input.type === 'start' && this.#isToldByRestart(member, sends.length)) return;
    const again = this.#causes.triedBefore(member, input, sends);
    const scene: StepScene = {
      kind: 'step',
      atMs,
      member,
      input,
      sends,
      parent: again ?? this.#causes.parentOf(member, input),
      collected: this.#causes.collected(member, input),
      tries: again === null ? 1 : again.tries + 1,
      repeats: again === null && this.#causes.repeats(member, input, sends),
      before,
      after,
      lanes,
      weight: weightOfStep(input, before, after),
    };
    this.#causes.note(scene, effects);
    this.habits.stepped(scene);
    this.scenes.push(scene);
    if (after !== null) this.#creditCauses(scene);
  }

  /** Every step that a change goes back to has had consequences. */
  #creditCauses(scene: StepScene): void {
    this.habits.led(scene);
    const causes = [scene.parent, ...scene.collected];
    for (let cause = causes.pop(); cause !== undefined; cause = causes.pop()) {
      if (cause?.weight !== 3) continue;
      this.habits.led(cause);
      if (cause.sends.length > 0) cause.weight = 2;
      causes.push(cause.parent, ...cause.collected);
    }
  }

  /** The start of a restarted member is not shown separately unless it does something; the lanes show it. */
  #isToldByRestart(member: MemberId, sends: number): boolean {
    const restarted = this.#restarts.get(member);
    this.#restarts.delete(member);
    if (restarted === undefined) return false;
    const lane = this.#lanes.get(member)!;
    const leads = lane.role === 'leader';
    restarted.set(member, leads ? { ...lane, role: 'follower', leader: null } : lane);
    return sends === 0 && !leads;
  }

  #changeLane(member: MemberId, change: Partial<Lane>): Lanes {
    const before: Lane = this.#lanes.get(member) ?? { role: 'none', leader: null, paused: false };
    const lane = { ...before, ...change };
    this.#lanes.set(member, lane);
    return new Map([[member, lane]]);
  }
}

/** A lease gets a new timer name with every heartbeat, which does not count as a change. */
function differs(before: View | null, after: View): boolean {
  return (
    before === null ||
    before.role !== after.role ||
    before.leader !== after.leader ||
    before.term !== after.term ||
    before.version !== after.version ||
    before.members?.join(' ') !== after.members?.join(' ')
  );
}

function weightOfStep(input: Input, before: View | null, after: View | null): Weight {
  if (after !== null) return after.role === 'leader' || before?.role === 'leader' ? 0 : 1;
  // A command or evidence is shown even if nothing changes.
  return input.type === 'command' || input.type === 'peer-gone' || input.type === 'peer-back' ? 1 : 3;
}

/** Random losses of the network are counted; events of the scenario are shown. */
function weightOfEvent(event: EventScene['event']): Weight {
  if (!isFate(event)) return 0;
  return event.do === 'dropped' || event.do === 'held' ? 1 : 3;
}
