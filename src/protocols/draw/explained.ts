/** The draw election explained to people. */
import type { Explained, SeenStep } from '../../core/index.ts';
import type { Message, Timer } from './messages.ts';

export const draw: Explained<Message, Timer> = {
  idea: 'A lottery: each voter draws a number, the highest wins, and it counts once all agree.',
  rules: [
    {
      id: 'register',
      says: 'A voter that starts registers with the others, and learns which voters they know.',
    },
    {
      id: 'call',
      says: 'Any voter may call an election. It has a number, and a voter takes part in each number once.',
    },
    { id: 'draw', says: 'Each voter draws a random number and sends it to all.' },
    {
      id: 'result',
      says: 'When all numbers are there, the highest has won; each voter tells the others which voter that is.',
    },
    {
      id: 'certify',
      says: 'If all results agree, each voter certifies it to the winner. An old leader stops here.',
    },
    { id: 'lead', says: 'With all certificates, the winner leads and says so.' },
    {
      id: 'heartbeat',
      says: 'All tell all now and then which leader they follow and which voters they know; news of a later election counts.',
    },
    {
      id: 'health',
      says: 'A voter that misses the leader asks the others. If none of them hears it, it is forgotten, and there is an election.',
    },
    { id: 'again', says: 'What is missing in an election is asked for again, and then a new one is held.' },
    {
      id: 'lists',
      says: 'Where lists of voters differ, they are compared; a voter that does not answer is removed.',
    },
  ],
  gives:
    'Once all hear each other, all follow one leader. With the option quorum also one leader per election, certified by a majority.',
  lacks:
    'One leader at a time: each part of a split holds its own lottery. One silent voter holds up every election.',
  file: 'src/protocols/draw/index.ts',
  term: 'term',
  isRing: false,
  kinds: {
    register: 'other',
    'register/answer': 'other',
    remove: 'other',
    status: 'keep-alive',
    'status/answer': 'keep-alive',
    heartbeat: 'keep-alive',
    reconcile: 'other',
    'election/start': 'claim',
    'election/cast': 'vote',
    'election/result': 'announcement',
    'election/certify': 'vote',
  },
  deniable: [],
  waits: ['election', 'check', 'status'],
  beats: ['heartbeat'],
  pace: { heartbeatMs: 2000, timeoutMs: [1000, 2000] },
  ruleOf,
};

function ruleOf({ input, isTimer, sends, leads }: SeenStep): string | null {
  if (leads) return 'lead';
  if (isTimer && input === 'election') return 'again';
  if (sends('election/start')) return 'call';
  switch (input) {
    case 'start':
    case 'register':
    case 'register/answer':
      return 'register';
    case 'election/start':
      return 'call';
    case 'drawn':
      return 'draw';
    case 'election/cast':
      return 'result';
    case 'election/result':
    case 'election/certify':
      return 'certify';
    case 'heartbeat':
      if (isTimer) return sends('status') ? 'health' : 'heartbeat';
      return sends('reconcile') ? 'lists' : 'heartbeat';
    case 'check':
      return 'health';
    case 'status':
      return isTimer ? 'lists' : 'health';
    case 'status/answer':
      return 'health';
    case 'reconcile':
    case 'remove':
      return 'lists';
    default:
      return null;
  }
}
