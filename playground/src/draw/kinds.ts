import { kindOf as kindIn, type Message, type MessageKind } from '../../../src/core/index.ts';
import { explained } from '../../../src/protocols/explained.ts';

/**
 * How the kinds of messages look. Each has a colour, a shape and a letter, so that no visitor depends on the colour.
 * Gray, green and blue mean the same as in the seed.
 */
export type Kind = MessageKind;

export interface Look {
  readonly name: string;
  readonly shape: 'circle' | 'triangle' | 'diamond' | 'hollow-diamond' | 'square' | 'star' | 'hexagon';
  /** The name of a variable in theme.css. */
  readonly colour: string;
  readonly letter: string;
}

export const LOOKS: Readonly<Record<Kind, Look>> = {
  'keep-alive': { name: 'keep-alive', shape: 'circle', colour: '--keep-alive', letter: 'k' },
  request: { name: 'vote request', shape: 'triangle', colour: '--request', letter: 'r' },
  vote: { name: 'vote', shape: 'diamond', colour: '--vote', letter: 'v' },
  denial: { name: 'no vote', shape: 'hollow-diamond', colour: '--vote', letter: 'n' },
  claim: { name: 'election', shape: 'square', colour: '--claim', letter: 'e' },
  announcement: { name: 'announcement', shape: 'star', colour: '--announce', letter: 'a' },
  other: { name: 'other', shape: 'hexagon', colour: '--quiet', letter: 'o' },
};

/** The kind of this message. A message of a recording that its protocol does not have is `other`. */
export function kindOf(message: Message, protocol: string): Kind {
  const known = explained[protocol];
  return known === undefined ? 'other' : kindIn(known, message);
}
