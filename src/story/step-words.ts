import type { Input, MemberId, Message, View } from '../core/index.ts';
import { nameMembers } from './names.ts';
import type { StepScene } from './scene.ts';
import { shorten, type Vocabulary } from './vocabulary.ts';

interface Phrase {
  readonly words: string;
  /** The lanes show it, and the messages say more. */
  readonly minor: boolean;
}

type NameRecipients = (
  to: readonly MemberId[],
  senders: readonly MemberId[],
  all: readonly MemberId[],
) => string;

/**
 * The input of a member, without its name: "hears vote from 2". A number that distinguishes timers of one name is
 * left out.
 */
export function inputWords(input: Input, describe: (message: Message) => string): string {
  switch (input.type) {
    case 'start':
      return input.saved === null ? 'starts' : 'starts with what its disk kept';
    case 'message':
      return `hears ${describe(input.message)} from ${input.from}`;
    case 'timer':
      return `finds its timer ${input.timer.replace(/\/\d+$/, '')} due`;
    case 'drawn':
      return `draws ${input.value}`;
    case 'command':
      return `is asked to ${input.command.type}`;
    case 'peer-gone':
      return `is told that ${input.peer} is gone${input.proof ? proofWords(input.witness) : ''}`;
    case 'peer-back':
      return `is told that ${input.peer} is back`;
    case 'seeds':
      return `finds the addresses ${input.addresses.join(', ')}`;
  }
}

function proofWords(witness: MemberId | undefined): string {
  return witness === undefined ? ' (proof)' : ` (proof, witnessed by ${witness})`;
}

/** What a group of members did. */
export interface StepTelling {
  /** How they changed, without their names; null if their messages say more. */
  readonly change: string | null;
  /** The change is only that they started, or as small. */
  readonly isMinor: boolean;
  readonly sends: readonly string[];
}

/** `many`: several members did the same. */
export function tellStep(
  scenes: readonly StepScene[],
  many: boolean,
  vocabulary: Vocabulary,
  nameTo: NameRecipients = nameRecipients,
): StepTelling {
  const scene = scenes[0]!;
  const change = scene.after === null ? null : changeWords(scene, scene.after, many);
  const sends = scenes.flatMap((each) => each.sends);
  const telling = sends.filter(({ message }) => vocabulary.isTelling(message));
  const senders = scenes.map((each) => each.member);
  const sendWords = (told: StepScene['sends']): string[] =>
    [...byWords(told, vocabulary)].map(
      ([words, to]) => `${words} → ${nameTo(to, senders, vocabulary.members)}`,
    );
  if (change !== null && !change.minor) {
    return { change: change.words, isMinor: false, sends: sendWords(telling) };
  }
  const words = sendWords(telling.length > 0 ? telling : sends);
  return words.length > 0
    ? { change: null, isMinor: true, sends: words }
    : { change: change?.words ?? 'draws', isMinor: change !== null, sends: [] };
}

/** The same as it follows the names of the members. */
export function stepWords(
  scenes: readonly StepScene[],
  many: boolean,
  vocabulary: Vocabulary,
  nameTo: NameRecipients = nameRecipients,
): string {
  const { change, sends } = tellStep(scenes, many, vocabulary, nameTo);
  return change === null ? `: ${sends.join(' · ')}` : ` ${[change, ...sends].join(' · ')}`;
}

function changeWords(scene: StepScene, after: View, many: boolean): Phrase {
  const { before, input } = scene;
  const { role, leader, term, version, value } = after;
  const say = (one: string, more: string, rest = '', minor = false): Phrase => ({
    words: `${many ? more : one}${rest}`,
    minor,
  });
  const raised = term !== null && term !== (before?.term ?? null);
  const inTerm = raised ? ` in term ${term}` : '';
  const sameRole = before?.role === role && before.leader === leader;
  if (sameRole && before.version !== version) {
    const what = value === null ? '' : `: ${shorten(value)}`;
    return say('applies', 'apply', ` version ${version}${what}${changeOfMembers(before, after)}`);
  }
  if (sameRole && !raised) return say('counts', 'count', changeOfMembers(before, after).slice(1), true);
  // A member that only hears of a new term has not decided anything.
  if (sameRole && role !== 'leader' && input.type === 'message' && !asksOthers(scene))
    return say('enters', 'enter', ` term ${term}`, true);
  if (role === 'leader') return say('leads', 'lead', inTerm);
  if (before?.role === 'leader') {
    const then = many ? 'follow' : 'follows';
    return say('steps down', 'step down', leader === null ? '' : ` and ${then} ${leader}${inTerm}`);
  }
  if (role === 'candidate') {
    if (before === null) return say('looks', 'look', ` for a leader${term ? inTerm : ''}`);
    return passesOn(scene)
      ? say('joins', 'join', ' the election')
      : say('stands', 'stand', ` for election${inTerm}`);
  }
  if (leader !== null) return say('follows', 'follow', ` ${leader}${inTerm}`);
  if (before === null) return say('starts', 'start', '', true);
  if (before.role === 'candidate') return say('gives way', 'give way', '', true);
  if (before.leader !== null) return say('no longer follows', 'no longer follow', ` ${before.leader}`, true);
  if (role === 'none') return say('takes no part', 'take no part', '', true);
  return before.role === 'none'
    ? say('takes part', 'take part', '', true)
    : say('enters', 'enter', ` term ${term}`, true);
}

/** ", members 1–4" if that changed. */
function changeOfMembers(before: View, { members = [] }: View): string {
  return members.join(' ') === (before.members ?? []).join(' ')
    ? ''
    : `, members ${nameMembers(members, [])}`;
}

/** It answers a request, or passes on what it heard: it did not start the election. */
function passesOn(scene: StepScene): boolean {
  const { input, sends } = scene;
  if (input.type !== 'message') return false;
  return !asksOthers(scene) || sends.some(({ message }) => message.type === input.message.type);
}

/** It sends to members other than the sender. */
function asksOthers({ input, sends }: StepScene): boolean {
  return input.type === 'message' && sends.some(({ to }) => to !== input.from);
}

/** Equal messages are shown together: "vote-request → all". */
function byWords(sends: StepScene['sends'], vocabulary: Vocabulary): Map<string, MemberId[]> {
  const recipients = new Map<string, MemberId[]>();
  for (const { to, message } of sends) {
    const words = vocabulary.describe(message);
    const known = recipients.get(words);
    if (known === undefined) recipients.set(words, [to]);
    else known.push(to);
  }
  return recipients;
}

function nameRecipients(
  to: readonly MemberId[],
  senders: readonly MemberId[],
  all: readonly MemberId[],
): string {
  const isAll =
    new Set(to).size > 1 && all.every((id) => to.includes(id) || senders.every((each) => each === id));
  return isAll ? 'all' : nameMembers(to, all);
}
