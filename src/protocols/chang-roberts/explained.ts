/** The ring algorithm of Chang and Roberts explained to people. */
import type { Explained, SeenStep } from '../../core/index.ts';
import type { Message, Timer } from './index.ts';

export const changRoberts: Explained<Message, Timer> = {
  idea: 'Ids travel round a ring, larger ones swallow smaller ones, and the member whose own id comes back leads.',
  rules: [
    {
      id: 'start',
      says: 'A member that starts, or has not heard of a leader for a while, takes part: it sends its id to the next in the ring.',
    },
    {
      id: 'join',
      says: 'A member that takes no part yet joins, forgets the leader it had, and hands on the larger of the two ids.',
    },
    { id: 'larger', says: 'An id that is larger than the member’s own is handed on.' },
    { id: 'swallow', says: 'A smaller one is swallowed: it goes no further.' },
    {
      id: 'win',
      says: 'The member’s own id has come all the way round, so there is no larger one: that member leads.',
    },
    { id: 'elected', says: 'The news goes round; each member notes the leader and takes part no longer.' },
    {
      id: 'heartbeat',
      says: 'A leader tells all others that it is there. Of two leaders, the larger id stays.',
    },
    {
      id: 'skip',
      says: 'Every message is acknowledged. A neighbour that stays silent is asked again, then skipped.',
    },
  ],
  gives: 'Without faults always the same leader, no matter which member begins: the largest id.',
  lacks:
    'One leader at a time, and a quiet one: a member that calls an election leaves the whole ring without a leader for two rounds.',
  file: 'src/protocols/chang-roberts/index.ts',
  term: 'term',
  isRing: true,
  kinds: { election: 'claim', elected: 'announcement', ack: 'keep-alive', heartbeat: 'keep-alive' },
  deniable: [],
  waits: ['timeout'],
  beats: ['heartbeat'],
  pace: { heartbeatMs: 2000, timeoutMs: [5000, 8000], maxTransmissionMs: 400, maxProcessingMs: 50 },
  ruleOf,
};

function ruleOf({ input, isTimer, sends, leads, reports }: SeenStep): string | null {
  if (leads) return 'win';
  if (isTimer) {
    if (input === 'ack') return 'skip';
    return input === 'timeout' ? 'start' : 'heartbeat';
  }
  switch (input) {
    case 'start':
    case 'command':
      return 'start';
    case 'election':
      if (reports) return 'join';
      return sends('election') ? 'larger' : 'swallow';
    case 'elected':
      return 'elected';
    case 'heartbeat':
      return 'heartbeat';
    default:
      return input === 'ack' ? 'skip' : null;
  }
}
