/** The epoch election explained to people. */
import type { Explained, SeenStep } from '../core/index.ts';
import type { Message, Timer } from './epoch.ts';

export const epoch: Explained<Message, Timer> = {
  idea: 'Random waits, one vote per epoch, and a majority leads.',
  rules: [
    { id: 'start', says: 'A member that does not lead waits for a random time.' },
    {
      id: 'ask',
      says: 'When the time is up, it raises its epoch by one, votes for itself and asks all others for their votes.',
    },
    {
      id: 'vote',
      says: 'A member that is asked and has not voted in this epoch saves its vote, then sends it.',
    },
    { id: 'count', says: 'Votes are counted. With the votes of a majority, a member leads.' },
    { id: 'keep', says: 'A leader sends a keep-alive to all other members each second.' },
    {
      id: 'heed',
      says: 'A member that receives a keep-alive follows its sender and starts its wait again.',
    },
    {
      id: 'newer',
      says: 'A message of a newer epoch: a member takes over that epoch and becomes a follower in it.',
    },
    {
      id: 'silent',
      says: 'A message of an older epoch, or a request for a vote that is given already, gets no answer at all.',
    },
  ],
  gives:
    'One winner per epoch, as long as disks are kept: each member votes once, and two majorities share a member.',
  lacks:
    'One leader at a time. An old leader is not told that it was replaced: one broken link is enough for two leaders. A member that was away returns with a newer epoch and deposes a healthy leader.',
  file: 'src/protocols/epoch.ts',
  term: 'epoch',
  isRing: false,
  kinds: { 'keep-alive': 'keep-alive', 'vote-request': 'request', vote: 'vote' },
  deniable: [],
  waits: ['wait'],
  beats: ['keep-alive'],
  pace: { heartbeatMs: 1000, timeoutMs: [1500, 3000] },
  ruleOf,
};

function ruleOf({ input, isTimer, sends, saves, cancels, isIdle }: SeenStep): string | null {
  if (isTimer) return input === 'wait' ? 'ask' : 'keep';
  switch (input) {
    case 'start':
      return 'start';
    case 'command':
      return sends('vote-request') ? 'ask' : null;
    case 'vote':
      return 'count';
    case 'vote-request':
      // That a leader stops leading is more important than its vote.
      if (cancels('keep-alive')) return 'newer';
      return sends('vote') ? 'vote' : 'silent';
    case 'keep-alive':
      if (isIdle) return 'silent';
      return saves ? 'newer' : 'heed';
    default:
      return null;
  }
}
