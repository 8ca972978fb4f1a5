import type { MemberId } from '../core/index.ts';
import { COMMANDS } from './commands.ts';
import { eventWords } from './event-words.ts';
import { membersIn, type Told } from './groups.ts';
import { nameMembers } from './names.ts';
import { type EventScene, isFate, type Lanes, type Scene, type StepScene } from './scene.ts';
import { stepWords } from './step-words.ts';
import { violationWords } from './violation-words.ts';
import type { Vocabulary } from './vocabulary.ts';

/** One line of the timeline before it is laid out. */
export interface Row {
  /** Events that do harm, that undo it, that are commands, and that affect no member. */
  readonly kind: 'step' | 'fault' | 'repair' | 'command' | 'note' | 'violation' | 'routine';
  readonly atMs: number;
  readonly words: string;
  /** The same in fewer words, for narrow output; the shortest last. */
  readonly shorter?: readonly string[];
  /** The cause, if there is room for it. */
  readonly aside: string;
  /** The members whose lanes it changes. */
  readonly members: readonly MemberId[];
  /** How lanes change with it. */
  readonly lanes: Lanes;
}

/** The row of these scenes. `isTold`: whether a scene is part of some line. */
export function rowOf(told: Told, vocabulary: Vocabulary, isTold: (scene: Scene) => boolean): Row {
  const members = membersIn(told);
  const about = {
    atMs: told[0]!.atMs,
    aside: '',
    members,
    lanes: new Map([...told].flatMap((scene) => [...scene.lanes])),
  };
  if (isSteps(told)) {
    const who = nameMembers(members, vocabulary.members);
    const words = stepWords(told, members.length > 1 && who !== 'everybody', vocabulary);
    return { ...about, kind: 'step', words: `${who}${words}`, aside: whyWords(told, isTold) };
  }
  const [first] = told;
  if (first!.kind === 'violation') {
    const violations = [...told].flatMap((scene) => (scene.kind === 'violation' ? [scene.violation] : []));
    return { ...about, kind: 'violation', words: violationWords(violations) };
  }
  return { ...about, kind: kindOf(first!.event), words: eventWords(told as EventScene[], vocabulary) };
}

function isSteps(told: Told): told is readonly StepScene[] {
  return told[0]!.kind === 'step';
}

/** The timer or the message that caused it, unless another line shows that, and the number of attempts. */
function whyWords(scenes: readonly StepScene[], isTold: (scene: Scene) => boolean): string {
  const { input } = scenes[0]!;
  const why: string[] = [];
  if (input.type === 'timer') why.push(`timer ${input.timer}`);
  if (input.type === 'message' && scenes.every((each) => !hasTold(each, isTold))) {
    const heard = scenes.map((each) => each.input).filter((each) => each.type === 'message');
    const senders = heard.map((each) => each.from);
    const { type } = input.message;
    if (heard.every((each) => each.message.type === type))
      why.push(`${type} from ${nameMembers(senders, [])}`);
  }
  const again = scenes.filter(({ parent, tries }) => tries > 1 && scenes.includes(parent!)).length;
  if (again > 0) why.push(`${again + 1} tries`);
  return why.length === 0 ? '' : `(${why.join(', ')})`;
}

/** Of several votes that counted, the last is no more the cause than the others. */
function hasTold({ parent, collected }: StepScene, isTold: (scene: Scene) => boolean): boolean {
  return collected.length > 0 || (parent !== null && isTold(parent));
}

const REPAIRS = ['restart', 'resume', 'heal', 'boot', 'release', 'backup'];

function kindOf(event: EventScene['event']): Row['kind'] {
  if (event.skipped !== undefined || event.do === 'answer' || isFate(event)) return 'note';
  if (COMMANDS.includes(event.do)) return 'command';
  return REPAIRS.includes(event.do) || isCure(event) ? 'repair' : 'fault';
}

/** A disk or a network that works again. */
function isCure({ do: what, ...fields }: EventScene['event']): boolean {
  if (what === 'disk') return fields.fault === 'none';
  if (what !== 'network') return false;
  const { member: _, from: __, to: ___, ...quality } = fields;
  return Object.values(quality).every((value) => value === 0);
}
