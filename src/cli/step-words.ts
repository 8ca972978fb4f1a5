import type { MemberId, View } from '../core/index.ts';
import { nameMembers } from './names.ts';
import type { StepScene } from './scene.ts';
import type { Vocabulary } from './vocabulary.ts';

interface Phrase {
  readonly words: string;
  /** The lanes show it, and messages beside it say more. */
  readonly minor: boolean;
}

/** What one member did, without its name; `many` where several did the same. */
export function stepWords(scene: StepScene, many: boolean, vocabulary: Vocabulary): string {
  const change = scene.after === null ? null : changeWords(scene, scene.after, many);
  const telling = scene.sends.filter(({ message }) => vocabulary.isTelling(message));
  if (change !== null && !change.minor) {
    return [` ${change.words}`, ...sendWords(scene, telling, vocabulary)].join(' · ');
  }
  const sends = sendWords(scene, telling.length > 0 ? telling : scene.sends, vocabulary);
  return sends.length > 0 ? `: ${sends.join(' · ')}` : ` ${change?.words ?? 'draws'}`;
}

function changeWords({ before, input }: StepScene, after: View, many: boolean): Phrase {
  const { role, leader, term, version } = after;
  const say = (one: string, more: string, rest = '', minor = false): Phrase => ({
    words: `${many ? more : one}${rest}`,
    minor,
  });
  const raised = term !== null && term !== (before?.term ?? null);
  const inTerm = raised ? ` in term ${term}` : '';
  const sameRole = before?.role === role && before.leader === leader;
  if (sameRole && before.version !== version) return say('applies', 'apply', ` version ${version}`);
  // Whoever only hears of a new term has not decided anything.
  if (sameRole && role !== 'leader' && input.type === 'message')
    return say('enters', 'enter', ` term ${term}`, true);
  if (role === 'leader') return say('leads', 'lead', inTerm);
  if (role === 'candidate') return say('stands', 'stand', ` for election${inTerm}`);
  if (leader !== null) return say('follows', 'follow', ` ${leader}${inTerm}`);
  if (before === null) return say('starts', 'start', '', true);
  if (before.role === 'leader') return say('steps down', 'step down');
  if (before.role === 'candidate') return say('gives way', 'give way', '', true);
  if (before.leader !== null) return say('no longer follows', 'no longer follow', ` ${before.leader}`, true);
  if (role === 'none') return say('takes no part', 'take no part', '', true);
  return before.role === 'none'
    ? say('takes part', 'take part', '', true)
    : say('enters', 'enter', ` term ${term}`, true);
}

/** Equal messages of one step are told together: "vote-request → all". */
function sendWords({ member }: StepScene, sends: StepScene['sends'], vocabulary: Vocabulary): string[] {
  const recipients = new Map<string, MemberId[]>();
  for (const { to, message } of sends) {
    const words = vocabulary.describe(message);
    const known = recipients.get(words);
    if (known === undefined) recipients.set(words, [to]);
    else known.push(to);
  }
  return [...recipients].map(([words, to]) => `${words} → ${nameRecipients(to, member, vocabulary.members)}`);
}

function nameRecipients(to: readonly MemberId[], sender: MemberId, all: readonly MemberId[]): string {
  if (to.length > 1 && all.every((id) => id === sender || to.includes(id))) return 'all';
  return nameMembers(to, all);
}
