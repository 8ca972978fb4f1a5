import { roster } from './roster.ts';
import type { View } from './view.ts';
import { clockTime, pageOf } from './words.ts';

/** The text while nothing is heard. It says since when only if something was heard before: the page may be new. */
export function silenceWords({ silence, answer }: View, mode: string): string {
  if (silence === null) return '';
  const since = answer === null ? '' : ` since ${clockTime(silence.sinceMs)}`;
  if (silence.why === 'not understood')
    return `What is said here${since} is not understood (is it of another version?)`;
  if (silence.why === 'token') return 'Nothing is told here without a token that may read';
  if (mode === 'up' && silence.why === 'refused')
    return answer === null ? 'No member answers' : `No member has answered${since}`;
  const who =
    mode === 'up'
      ? 'The cluster on this machine'
      : answer === null
        ? 'This member'
        : `Member ${answer.voterId}`;
  if (silence.why === 'refused') return `${who} has had no answer${since} (${silence.words})`;
  return answer === null ? `${who} does not answer` : `${who} has not answered${since}`;
}

/** The pages of other members. */
export function otherPages(
  view: View,
  mode: string,
): readonly { readonly name: string; readonly page: string }[] {
  return roster(view).flatMap(({ member: { name, via, api_url }, look }) => {
    const page = pageOf(api_url);
    const isGone = look === 'down' || look === 'paused' || (via === 'self' && mode !== 'up');
    return isGone || page === null ? [] : [{ name, page }];
  });
}
