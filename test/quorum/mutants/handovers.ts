import { type Mutant, mutant } from './mutant.ts';

export const handovers: readonly Mutant[] = [
  mutant(
    'a leader goes on after it has handed over in vain',
    { scenario: 'late-consent-before-a-lease' },
    ['handover', 'import { isHealthy }', 'import { isHealthy, sendHeartbeats }'],
    ['handover', 'resignExceptTo(s, transfer.to, undefined, times, out);', 'sendHeartbeats(s, times, out);'],
  ),
  mutant(
    'a transfer that is pending outlives the leadership, and the next one sends no heartbeats',
    { rule: 'a member that leads again leads as any other' },
    [
      'leading',
      'settleTransfer(s, out); // Of an earlier leadership: this one would send no heartbeats before it ended.\n',
      '',
    ],
  ),
  mutant(
    'a candidate gives up when an earlier transfer has failed',
    { rule: 'a transfer in vain ends no candidacy' },
    ['handover', "if (s.role === 'leader') resign", 'resign'],
  ),
  mutant(
    'a leader that has handed over in vain leaves the others waiting',
    { rule: 'a leader that has handed over in vain asks another member' },
    [
      'handover',
      'resignExceptTo(s, transfer.to, undefined, times, out);',
      'becomeFollower(s, null, times, out);',
    ],
  ),
  mutant(
    'a leader asks the member again that it has handed over to in vain',
    { rule: 'a leader that has handed over in vain asks another member' },
    ['handover', 'id !== silent && ', ''],
  ),
  mutant(
    'a leader that has handed over in vain holds back',
    { rule: 'a leader that has handed over in vain asks another member' },
    ['handover', 'if (silent === null) holdBack', 'holdBack'],
  ),
  mutant('a leader goes on acting while it hands over', { scenario: 'answer-of-an-earlier-term' }, [
    'handover',
    's.transfer = { to, command };\n  endLeases(s, out);',
    's.transfer = { to, command };',
  ]),
  mutant('consent to a transfer never ends', { rule: 'consent to an earlier round ends no newer promise' }, [
    'state',
    'release.term !== promise.term || release.round < promise.round',
    'release.term !== promise.term',
  ]),
  mutant('a candidate claims a consent that no leader gave', { rule: 'a candidate claims no consent' }, [
    'election',
    'if (isQuorum(s.register, s.votes)) startVote(s, null, times, out);',
    'if (isQuorum(s.register, s.votes)) startVote(s, { term: s.term, round: 1000 }, times, out);',
  ]),
  mutant(
    'a late heartbeat takes the place of a newer promise',
    { rule: 'a late heartbeat replaces no newer promise' },
    ['leading', 'if (!isPromisedLater(s, from, m)) {', 'if (m.term === s.term) {'],
  ),
  mutant(
    'a late vote takes the place of a newer promise',
    { rule: 'a late request for a vote replaces no newer promise' },
    ['election', 'if (isPromisedLater(s, from, { term: m.term, round: VOTES })) return;\n', ''],
  ),
  mutant(
    'a preferred member is handed the lead without being asked whether it can hold it',
    { scenario: 'preferred-reaches-only-the-leader' },
    [
      'handover',
      'if (!isQuorum(s.register, s.probes) || s.leader === null || s.promise === null) return;',
      'if (s.leader === null || s.promise === null) return;',
    ],
  ),
  mutant(
    'a leader that has handed over competes with its successor',
    { rule: 'a leader that has handed over does not compete' },
    [
      'commands',
      "if (s.role !== 'leader' && !s.yields) onElectionTimer",
      "if (s.role !== 'leader') onElectionTimer",
    ],
  ),
];
