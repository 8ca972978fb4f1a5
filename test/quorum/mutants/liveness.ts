import { type Mutant, mutant } from './mutant.ts';

export const liveness: readonly Mutant[] = [
  mutant('no pre-vote', { seed: 1 }, [
    'election',
    "sendToOthers(s, { type: 'pre-vote', term: s.term, age: ageOf(s.register) }, out);\n  startVoteWithMajority(s, times, out);",
    'if (s.votes[s.id] !== undefined) startVote(s, null, times, out);',
  ]),
  mutant(
    'a leader that is heard is given up by those who are asked',
    { seed: 4 },
    [
      'election',
      "const willing = s.role !== 'leader' && !isOlder(age, s.register);",
      'const willing = !isOlder(age, s.register);',
    ],
    [
      'election',
      'if (isPromisedAgainst(s, from, m.release) || s.leaseRound !== null) return;',
      'if (isPromisedAgainst(s, from, m.release)) return;',
    ],
  ),
  mutant('no check-quorum', { seed: 1 }, [
    'leading',
    "if (s.role === 'leader') becomeFollower(s, null, times, out);",
    'void [s, times, out];',
  ]),
  mutant('an older term is not answered', { seed: 7 }, [
    'roles',
    "out.push({ type: 'send', to, message: { type: 'term', term: s.term } });",
    'void [s, to, out];',
  ]),
  mutant('a newer term is not taken from an answer', { seed: 210 }, [
    'roles',
    'if (isMember(s, from) && term > s.term) adoptTerm(s, term, times, out);',
    'void [s, from, term, times, out];',
  ]),
  mutant('the lease that ran out is never renewed', { seed: 10 }, [
    'leading',
    's.leaseRound = null;\n  report(s, out);',
    "s.leaseRound = null;\n  out.push({ type: 'cancel-timer', timer: 'heartbeat' });\n  report(s, out);",
  ]),
];
