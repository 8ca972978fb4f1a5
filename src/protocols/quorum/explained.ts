/** The quorum election explained to people. */
import type { Explained, SeenStep } from '../../core/index.ts';
import type { Message } from './messages.ts';
import type { Timer } from './state.ts';

export const quorum: Explained<Message, Timer> = {
  idea: 'Votes of a majority make a leader, and a lease makes it the only one. This is the one for real work.',
  rules: [
    {
      id: 'disk',
      says: 'A member is a name and a disk. On an empty disk its vote counts by name only, and then one more than a majority is needed, until the leader has given the new disk its seat. A member that starts again tells all others, so that a copy of its disk is recognised.',
    },
    {
      id: 'pre-vote',
      says: 'After a silence, a member asks whether the others would vote for it. That disturbs no leader.',
    },
    { id: 'would', says: 'A member that still hears a leader says no, and names it; the others say yes.' },
    {
      id: 'ask',
      says: 'If a majority would, it asks for their votes in the next term.',
    },
    {
      id: 'vote',
      says: 'One vote per term, saved before it is sent. A member that votes promises to help no other candidate for a while.',
    },
    {
      id: 'win',
      says: 'With the votes of a majority it saves the new term and its own vote, and leads. A deputy has these votes in advance.',
    },
    { id: 'round', says: 'A leader asks for support in numbered rounds.' },
    {
      id: 'promise',
      says: 'A member that answers a round promises to help no other candidate for a while.',
    },
    {
      id: 'lease',
      says: 'On the answers of a majority it may act, for a little less than they promised, counted from when it asked. Then the lease ends by itself, and that leadership is given up: its token is not used again.',
    },
    {
      id: 'register',
      says: 'The list of the members, and a published value, stand in a register: the leader sends a new version, and it counts once a majority has saved it.',
    },
    {
      id: 'term',
      says: 'A message of an older term is answered with the newer one, so that no member leads on because it did not hear.',
    },
  ],
  gives:
    'At no moment may two members act, whatever the network does, as long as clocks differ by at most 1 %; one winner per term, and terms that only grow, as a token to fence with.',
  lacks: 'A leader while no majority can be reached. Two members are no safer than one.',
  file: 'src/protocols/quorum/index.ts',
  term: 'term',
  isRing: false,
  kinds: {
    term: 'other',
    'pre-vote': 'request',
    'pre-vote/answer': 'vote',
    vote: 'request',
    'vote/answer': 'vote',
    heartbeat: 'keep-alive',
    'heartbeat/answer': 'keep-alive',
    'publish/send': 'other',
    'publish/answer': 'other',
    'publish/commit': 'other',
    'publish/copy': 'other',
    transfer: 'other',
    resign: 'announcement',
    'transfer/ask': 'other',
    'transfer/ready': 'other',
    probe: 'other',
    'probe/answer': 'other',
    copy: 'other',
    'deputy/ask': 'request',
    'deputy/answer': 'vote',
    'deputy/end': 'other',
    'deputy/ended': 'other',
  },
  deniable: ['pre-vote/answer'],
  waits: ['election'],
  beats: ['heartbeat'],
  pace: { timeoutMs: [3000, 4500] },
  derivedTimes: {
    presets: ['steady', 'lan', 'wan', 'fast'],
    says: 'These are the times of the presets. With timeoutMs alone, heartbeatMs and leaseMs grow in proportion to its least value (with steady and lan a third and five sixths of it), commitTimeoutMs is twice its largest and publishTimeoutMs its largest.',
  },
  ruleOf,
};

const AFTER_TIMER: Readonly<Record<string, string>> = {
  election: 'pre-vote',
  heartbeat: 'round',
  lease: 'lease',
  quorum: 'lease',
  publish: 'register',
};

function ruleOf({ input, isTimer, sends, leads }: SeenStep): string | null {
  if (sends('term')) return 'term';
  if (sends('vote')) return 'ask';
  if (isTimer) {
    if (input === 'promise') return sends('pre-vote/answer') ? 'would' : null;
    return AFTER_TIMER[input] ?? null;
  }
  switch (input) {
    case 'start':
    case 'probe':
    case 'probe/answer':
    case 'copy':
      return 'disk';
    case 'pre-vote':
    case 'pre-vote/answer':
      return 'would';
    case 'vote':
      return 'vote';
    case 'vote/answer':
      return leads ? 'win' : 'vote';
    case 'heartbeat':
      return 'promise';
    case 'heartbeat/answer':
    case 'command':
    case 'transfer':
    case 'resign':
      return 'lease';
    case 'publish/send':
    case 'publish/answer':
    case 'publish/commit':
    case 'publish/copy':
      return 'register';
    case 'deputy/ask':
    case 'deputy/answer':
      return 'vote';
    case 'deputy/end':
    case 'deputy/ended':
      return 'promise';
    case 'term':
      return 'term';
    default:
      return null;
  }
}
