import { type Mutant, mutant } from './mutant.ts';

export const liveness: readonly Mutant[] = [
  mutant(
    'a heartbeat that consent has overtaken ends the candidacy',
    { rule: 'a heartbeat that consent has overtaken ends no candidacy' },
    ['leading', 'if (isReleased(s, m)) return;', 'void isReleased;'],
  ),
  mutant('no pre-vote', { seed: 751 }, [
    'election',
    "sendToOthers(s, { type: 'pre-vote', term: s.term, age: ageOf(s.register), by: origin(s) }, out);\n  startVoteWithQuorum(s, times, out);",
    'if (s.votes[s.id] !== undefined) startVote(s, null, times, out);',
  ]),
  mutant(
    'a leader that is heard is given up by those who are asked',
    { rule: 'a leader would vote for no other' },
    [
      'election',
      "const willing = s.role !== 'leader' && !isOlder(age, s.register);",
      'const willing = !isOlder(age, s.register);',
    ],
    [
      'election',
      'if (isPromisedAgainst(s, from, life, m.release) || s.leaseRound !== null) return;',
      'if (isPromisedAgainst(s, from, life, m.release)) return;',
    ],
  ),
  mutant('no check-quorum', { seed: 6 }, [
    'leading',
    "if (s.role === 'leader') becomeFollower(s, null, times, out);",
    'void [s, times, out];',
  ]),
  mutant('an older term is not answered', { scenario: 'member-was-away' }, [
    'roles',
    "send(to, { type: 'term', term: s.term, by: origin(s) }, out);",
    'void [s, to, out];',
  ]),
  mutant('a newer term is not taken from an answer', { scenario: 'member-was-away' }, [
    'roles',
    'if (isMember(s, from) && term > s.term) adoptTerm(s, term, times, out);',
    'void [s, from, term, times, out];',
  ]),
  mutant('the lease that ran out is never renewed', { scenario: 'leader-is-cut-off-for-a-moment' }, [
    'leading',
    's.leaseRound = null;\n  report(s, out);',
    "s.leaseRound = null;\n  out.push({ type: 'cancel-timer', timer: 'heartbeat' });\n  report(s, out);",
  ]),
  mutant('a candidate raises its own term before it has won', { scenario: 'candidate-asks-in-vain' }, [
    'election',
    "s.votes = { [s.id]: s.disk };\n  s.role = 'candidate';",
    "s.term = s.seeking;\n  s.votedFor = { id: s.id, life: s.life };\n  save(s, out);\n  s.votes = { [s.id]: s.disk };\n  s.role = 'candidate';",
  ]),
];
