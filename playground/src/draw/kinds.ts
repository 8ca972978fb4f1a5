import type { Message } from '../../../src/core/index.ts';

/**
 * What a message means to a visitor, whatever its protocol calls it. Each kind has a colour, a shape and a letter, so that nobody
 * depends on the colour. Gray, green and blue mean what they mean in the seed.
 */
export type Kind = 'keep-alive' | 'request' | 'vote' | 'denial' | 'claim' | 'announcement' | 'other';

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

const KINDS: Readonly<Record<string, Kind>> = {
  // Signs of life, and the answers to them.
  'keep-alive': 'keep-alive',
  heartbeat: 'keep-alive',
  'heartbeat/answer': 'keep-alive',
  'heartbeat-invoke': 'keep-alive',
  alive: 'keep-alive',
  ack: 'keep-alive',
  status: 'keep-alive',
  'status/answer': 'keep-alive',
  // Votes.
  'vote-request': 'request',
  'pre-vote': 'request',
  'vote/answer': 'vote',
  'pre-vote/answer': 'vote',
  'election/cast': 'vote',
  'election/certify': 'vote',
  // "I want to lead", passed on or told to the stronger.
  election: 'claim',
  'election/start': 'claim',
  ok: 'denial',
  // "This is the leader."
  coordinator: 'announcement',
  'coordinator/ack': 'announcement',
  elected: 'announcement',
  leader: 'announcement',
  'election/result': 'announcement',
  resign: 'announcement',
  'leader-gone': 'claim',
};

export function kindOf(message: Message, protocol: string): Kind {
  // `vote` asks for one in quorum, and gives one in epoch.
  if (message.type === 'vote') return protocol === 'quorum' ? 'request' : 'vote';
  if ('granted' in message && message.granted === false) return 'denial';
  // A recording may call a message anything, also `constructor`.
  return Object.hasOwn(KINDS, message.type) ? KINDS[message.type]! : 'other';
}
