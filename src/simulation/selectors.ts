import { BadInput, type MemberId, memberId, show } from '../core/index.ts';

/** The target of an event: a member, or a word that selects members at that moment. */
export type Selector = MemberId;
export const SELECTORS = ['leader', 'followers', 'random', 'all'] as const;

export function isSelector(value: unknown): boolean {
  return SELECTORS.includes(value as 'leader');
}

/** An id for a member: any but the words that select members. */
export function readNewId(value: unknown, path: string): MemberId {
  const id = memberId.read(value, path);
  if (isSelector(id)) {
    throw new BadInput(path, `an id other than ${SELECTORS.join(', ')}`, show(id));
  }
  return id;
}
