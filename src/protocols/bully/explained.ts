/** The bully election explained to people. */
import type { Explained, SeenStep } from '../../core/index.ts';
import type { Message } from './messages.ts';
import type { Timer } from './state.ts';

export const bully: Explained<Message, Timer> = {
  idea: 'The highest id that lives leads, and takes the lead from any other.',
  rules: [
    { id: 'start', says: 'A member that starts, or comes back, calls an election.' },
    {
      id: 'ask',
      says: 'To call one, it asks all members with a higher id, and waits for as long as an answer may take.',
    },
    {
      id: 'ok',
      says: 'A member that is asked by a lower id says ok and takes over: it calls an election itself, or says that it leads.',
    },
    {
      id: 'wait',
      says: 'A member that gets an ok waits for an announcement. If none comes, it begins again.',
    },
    { id: 'win', says: 'No higher id answers: the member leads, and tells all others.' },
    { id: 'follow', says: 'An announcement by a higher id is accepted.' },
    { id: 'check', says: 'Followers ask the leader now and then whether it lives; it answers.' },
    {
      id: 'miss',
      says: 'No answer, even when asked again: the leader counts as gone, and an election begins.',
    },
    {
      id: 'bully',
      says: 'A leader with a lower id is not accepted: it is told so, or an election begins.',
    },
  ],
  gives:
    'Once everything is calm, the highest id that lives leads, and all agree. With the option quorum also one leader per epoch, backed by a majority.',
  lacks:
    'One leader at a time: each side of a split has its own. A slow leader is taken for a dead one, and one that keeps coming back takes over each time.',
  file: 'src/protocols/bully/index.ts',
  term: 'term',
  isRing: false,
  kinds: {
    election: 'claim',
    ok: 'denial',
    coordinator: 'announcement',
    'coordinator/ack': 'announcement',
    heartbeat: 'keep-alive',
    alive: 'keep-alive',
    resign: 'announcement',
    'leader-gone': 'claim',
    'leader-gone/answer': 'other',
    'newer-epoch': 'other',
    'publish/send': 'other',
    'publish/ack': 'other',
    'publish/refused': 'other',
    'publish/commit': 'other',
    'publish/applied': 'other',
    'publish/state': 'other',
  },
  deniable: [],
  waits: ['check', 'again'],
  beats: [],
  pace: { heartbeatMs: 2000, maxTransmissionMs: 400, maxProcessingMs: 50 },
  ruleOf,
};

function ruleOf({ input, isTimer, sends, leads }: SeenStep): string | null {
  if (isTimer) {
    if (leads) return 'win';
    if (input === 'check') return 'check';
    if (input === 'heartbeat') return 'miss';
    return input === 'again' ? 'wait' : 'ask';
  }
  switch (input) {
    case 'start':
      return leads ? 'win' : 'start';
    case 'election':
      return 'ok';
    case 'ok':
      return 'wait';
    case 'coordinator':
      return sends('coordinator') || sends('election') ? 'bully' : 'follow';
    case 'heartbeat':
      return sends('coordinator') || sends('election') ? 'bully' : 'check';
    case 'alive':
      return sends('election') ? 'miss' : 'check';
    default:
      return sends('election') ? 'ask' : null;
  }
}
