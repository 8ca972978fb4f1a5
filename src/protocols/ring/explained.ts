/** The token ring explained to people. */
import type { Explained, SeenStep } from '../../core/index.ts';
import type { Message, Timer } from './state.ts';

export const ring: Explained<Message, Timer> = {
  idea: 'The duty to look after the leader travels round a ring; if the leader is gone, a list of the living goes round.',
  rules: [
    {
      id: 'start',
      says: 'At the start the lowest id leads, and the member after it has the duty. A member that was away waits to be told.',
    },
    { id: 'check', says: 'The member that has the duty asks the leader whether it lives.' },
    { id: 'alive', says: 'The leader answers, and the duty is kept for a while.' },
    { id: 'pass', says: 'Then the duty goes to the next in the ring.' },
    {
      id: 'gone',
      says: 'No answer, even when asked again: an election message with the member’s own id goes to the next.',
    },
    { id: 'collect', says: 'Each member adds its id to the list and hands it on.' },
    {
      id: 'pick',
      says: 'The list has come round, or the election was decided already: the leader’s name goes round.',
    },
    {
      id: 'told',
      says: 'Each member notes the new leader and tells the next. Once all know, the duty starts again.',
    },
    {
      id: 'skip',
      says: 'Every message is acknowledged. A neighbour that stays silent is asked again, then skipped.',
    },
    { id: 'lost', says: 'A duty that has not come by for too long is created again.' },
  ],
  gives: 'While messages arrive in time and no member dies, all come to name the same leader.',
  lacks:
    'One leader at a time: a leader that was cut off goes on until the ring tells it. A crash is found only when the duty comes round.',
  file: 'src/protocols/ring/index.ts',
  term: 'term',
  isRing: true,
  kinds: {
    'heartbeat-invoke': 'keep-alive',
    election: 'claim',
    leader: 'announcement',
    ack: 'keep-alive',
    heartbeat: 'keep-alive',
    alive: 'keep-alive',
  },
  deniable: [],
  waits: ['timeout', 'answer'],
  beats: ['heartbeat'],
  pace: { heartbeatMs: 2000, timeoutMs: [1000, 3000], maxTransmissionMs: 400, maxProcessingMs: 50 },
  ruleOf,
};

function ruleOf({ input, isTimer, sends }: SeenStep): string | null {
  if (isTimer) {
    if (input === 'ack') return 'skip';
    if (input === 'answer') return 'gone';
    return input === 'timeout' ? 'lost' : 'pass';
  }
  switch (input) {
    case 'start':
      return 'start';
    case 'heartbeat-invoke':
      return 'check';
    case 'heartbeat':
    case 'alive':
      return 'alive';
    case 'election':
      return sends('leader') ? 'pick' : 'collect';
    case 'leader':
      return 'told';
    default:
      return input === 'ack' ? 'skip' : null;
  }
}
