import { type Mutant, mutant } from './mutant.ts';

export const votes: readonly Mutant[] = [
  mutant('half of the members is a majority', { seed: 1 }, [
    'state',
    'return count >= majority(s.register.members.length);',
    'return count >= Math.floor(s.register.members.length / 2);',
  ]),
  mutant('one vote less than a majority is enough', { seed: 1 }, [
    'election',
    'if (isMajority(s, votes.length)) becomeLeader',
    'if (isMajority(s, votes.length + 1)) becomeLeader',
  ]),
  mutant(
    'repeated votes count again',
    { seed: 1 },
    [
      'election',
      's.votes = { ...s.votes, [from]: m.life };',
      's.votes = { ...s.votes, [from]: m.life, ["again " + Object.keys(s.votes).length]: 0 };',
    ],
    [
      'election',
      'const votes = s.register.members.filter((id) => (s.votes[id] ?? -1) >= (s.lives[id] ?? 0));',
      'const votes = Object.keys(s.votes);',
    ],
  ),
  mutant('a vote is sent without being saved', { hunt: 'votes' }, [
    'election',
    's.votedFor = from;\n  save(s, out);',
    's.votedFor = from;',
  ]),
  mutant('a candidate does not save its own vote and term', { seed: 4 }, [
    'election',
    's.openRounds = [VOTES];\n  save(s, out);',
    's.openRounds = [VOTES];',
  ]),
  mutant('two votes in one term', { seed: 26 }, [
    'election',
    'if ((s.votedFor !== null && s.votedFor !== from) || isOlder(m.age, s.register)) return;',
    'if (isOlder(m.age, s.register)) return;',
  ]),
  mutant('a newer term is adopted without being saved', { seed: 2 }, [
    'roles',
    's.votedFor = null;\n  save(s, out);',
    's.votedFor = null;',
  ]),
  mutant('an adopted term keeps the old vote', { seed: 1 }, ['roles', 's.votedFor = null;\n', '']),
  mutant('votes of another term count', { seed: 26 }, [
    'election',
    "s.role !== 'candidate' || m.term !== s.term) return;\n  s.votes",
    "s.role !== 'candidate') return;\n  s.votes",
  ]),
  mutant('a token is used twice', { seed: 1 }, [
    'election',
    's.term += 1;',
    "s.term += s.term > 2 && s.role !== 'follower' ? 0 : 1;",
  ]),
  mutant('whoever helps another goes on asking for itself', { hunt: 'leases' }, [
    'election',
    'becomeFollower(s, null, times, out); // Whoever helps another no longer asks for itself.\n',
    '',
  ]),
  mutant('a heartbeat of an older term is followed', { seed: 6 }, [
    'leading',
    'if (m.term < s.term) return tellTerm(s, from, out);\n  if (m.term > s.term) adoptTerm',
    'if (m.term > s.term) adoptTerm',
  ]),
  mutant('a vote is given for an older term', { seed: 16 }, [
    'election',
    'if (m.term < s.term) return tellTerm(s, from, out);\n  if (isPromisedAgainst(s, from, m.release)',
    'if (m.term < s.term) s.term = m.term;\n  if (isPromisedAgainst(s, from, m.release)',
  ]),
];
