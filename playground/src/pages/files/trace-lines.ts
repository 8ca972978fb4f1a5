import {
  asObject,
  BadInput,
  type Definition,
  type Effect,
  type Input,
  type Json,
  listOf,
  type MemberId,
  memberId,
  show,
  type TraceEvent,
  type TraceHeader,
  type TraceStep,
} from '../../../../src/core/index.ts';
import { catalogue } from '../../../../src/protocols/index.ts';
import { readScenario } from '../../../../src/simulation/index.ts';
import { MOST_MEMBERS } from '../../game/run/run.ts';

/** The checked header of a trace: everything that is needed to understand its lines. */
export interface Heading {
  readonly definition: Definition;
  readonly members: readonly MemberId[];
  readonly timing: Readonly<Record<string, Json>>;
  readonly options: Readonly<Record<string, Json>>;
  readonly seed: number | null;
}

const VERSION: TraceHeader['trace'] = 'caucus/1';

/** The first line. Throws BadInput. */
export function readHeading(text: string): Heading {
  const found = asObject(parse(text), '');
  if (typeof found.trace !== 'string') {
    throw new BadInput('trace', `"${VERSION}", as the first line of a trace has it`, show(found.trace));
  }
  if (found.trace !== VERSION) {
    throw new BadInput('trace', `"${VERSION}": this page does not know other versions`, show(found.trace));
  }
  const { protocol, members, timing, options, seed } = found;
  const scenario = readScenario({ protocol, members, timing, options }, catalogue);
  if (scenario.members.length > MOST_MEMBERS) {
    throw new BadInput(
      'members',
      `at most ${MOST_MEMBERS} in the playground`,
      String(scenario.members.length),
    );
  }
  return {
    definition: scenario.definition,
    members: scenario.members.map(({ id }) => id),
    timing: scenario.timing,
    options: scenario.options,
    seed: typeof seed === 'number' ? seed : null,
  };
}

/** A line after the first. Throws BadInput that names what is wrong in it. */
export function readLine(text: string): TraceStep | TraceEvent {
  const found = asObject(parse(text), '');
  const { atMs } = found;
  if (typeof atMs !== 'number' || !Number.isFinite(atMs) || atMs < 0) {
    throw new BadInput('atMs', 'a time in milliseconds', show(atMs));
  }
  if (found.event !== undefined) {
    const event = asObject(found.event, 'event');
    readName(event.do, 'event.do');
    if (event.do === 'partition') listOf(listOf(memberId)).read(event.groups, 'event.groups');
    return { atMs, event: event as TraceEvent['event'] };
  }
  const member = readProcess(found.member);
  if (!Array.isArray(found.effects)) throw new BadInput('effects', 'a list', show(found.effects));
  return {
    atMs,
    member,
    input: readInput(found.input),
    effects: found.effects.map((effect: unknown, i) => readEffect(effect, `effects[${i}]`)),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadInput('', 'a line of JSON', show(text.slice(0, 40)));
  }
}

const INPUTS: readonly string[] = [
  'start',
  'message',
  'timer',
  'drawn',
  'command',
  'peer-gone',
  'peer-back',
  'seeds',
];
const EFFECTS: readonly string[] = [
  'send',
  'call',
  'set-timer',
  'cancel-timer',
  'save',
  'draw',
  'report',
  'answer',
];
const ROLES: readonly unknown[] = ['leader', 'follower', 'candidate', 'none'];

/** Only the fields that the page uses are checked; the rest is shown unchanged. */
function readInput(given: unknown): Input {
  const input = asObject(given, 'input');
  if (!INPUTS.includes(input.type as string)) {
    throw new BadInput('input.type', `one of ${INPUTS.join(', ')}`, show(input.type));
  }
  if (input.type === 'message') {
    memberId.read(input.from, 'input.from');
    readMessage(input.message, 'input.message');
  }
  if (input.type === 'timer') readName(input.timer, 'input.timer');
  if (input.type === 'command') readMessage(input.command, 'input.command');
  return input as unknown as Input;
}

function readEffect(given: unknown, path: string): Effect {
  const effect = asObject(given, path);
  if (!EFFECTS.includes(effect.type as string)) {
    throw new BadInput(`${path}.type`, `one of ${EFFECTS.join(', ')}`, show(effect.type));
  }
  if (effect.type === 'send') {
    memberId.read(effect.to, `${path}.to`);
    readMessage(effect.message, `${path}.message`);
  }
  if (effect.type === 'call') {
    readName(effect.at, `${path}.at`);
    readMessage(effect.message, `${path}.message`);
  }
  if (effect.type === 'set-timer' || effect.type === 'cancel-timer') readName(effect.timer, `${path}.timer`);
  if (effect.type === 'set-timer') readDelay(effect.delayMs, `${path}.delayMs`);
  if (effect.type === 'report') {
    const view = asObject(effect.view, `${path}.view`);
    if (!ROLES.includes(view.role)) throw new BadInput(`${path}.view.role`, 'a role', show(view.role));
    if (view.leader !== null) memberId.read(view.leader, `${path}.view.leader`);
    if (view.term !== null && typeof view.term !== 'number') {
      throw new BadInput(`${path}.view.term`, 'a number or null', show(view.term));
    }
    if (view.lease !== null) readName(view.lease, `${path}.view.lease`);
  }
  return effect as unknown as Effect;
}

function readMessage(given: unknown, path: string): void {
  readName(asObject(given, path).type, `${path}.type`);
}

function readName(given: unknown, path: string): void {
  if (typeof given !== 'string') throw new BadInput(path, 'a name', show(given));
}

function readDelay(given: unknown, path: string): void {
  const ends: unknown[] = Array.isArray(given) ? given : [given, given];
  if (ends.length !== 2 || ends.some((each) => typeof each !== 'number' || !Number.isFinite(each))) {
    throw new BadInput(path, 'milliseconds, or [least, most]', show(given));
  }
}

/** A member, or the second process of one: `1'`. */
function readProcess(given: unknown): MemberId {
  const isSecond = typeof given === 'string' && given.endsWith("'");
  if (!isSecond) return memberId.read(given, 'member');
  memberId.read(given.slice(0, -1), 'member');
  return given;
}
