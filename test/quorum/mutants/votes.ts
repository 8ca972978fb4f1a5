import { type Mutant, mutant } from './mutant.ts';

export const votes: readonly Mutant[] = [
  mutant('half of the members is a majority', { seed: 2 }, [
    'seats',
    'return seated.length >= majority(members.length);',
    'return seated.length >= Math.floor(members.length / 2);',
  ]),
  mutant('one vote less than a majority is enough', { seed: 4 }, [
    'election',
    'if (!isQuorum(s.register, s.votes)) return;\n  enterTerm',
    'if (Object.keys(s.votes).length < s.register.members.length / 2) return;\n  enterTerm',
  ]),
  mutant(
    'repeated votes count again',
    { scenario: 'vote-arrives-twice' },
    [
      'seats',
      'if (before === disk || (before !== undefined && isSeated(register, id, before))) return supporters;',
      "if (before !== undefined) return { ...supporters, ['again ' + Object.keys(supporters).length]: disk };",
    ],
    [
      'seats',
      'return seated.length >= majority(members.length);',
      "return seated.length + Object.keys(supporters).filter((each) => each.startsWith('again ')).length >= majority(members.length);",
    ],
  ),
  mutant('a vote is sent without being saved', { scenario: 'voter-restarts' }, [
    'election',
    's.votedFor = { id: from, life };\n  save(s, out);',
    's.votedFor = { id: from, life };',
  ]),
  mutant('a candidate does not save its own vote and term', { scenario: 'members-restart' }, [
    'election',
    's.votedFor = { id: s.id, life: s.life };\n  save(s, out);',
    's.votedFor = { id: s.id, life: s.life };',
  ]),
  mutant('two votes in one term', { scenario: 'voter-restarts' }, [
    'election',
    'if (s.votedFor !== null && (s.votedFor.id !== from || s.votedFor.life !== life)) return;\n',
    '',
  ]),
  mutant('a newer term is adopted without being saved', { scenario: 'members-restart' }, [
    'roles',
    'enterTerm(s, term);\n  save(s, out);',
    'enterTerm(s, term);',
  ]),
  mutant('an adopted term keeps the old vote', { seed: 6 }, [
    'roles',
    'life: advance.life } : null;',
    'life: advance.life } : s.votedFor;',
  ]),
  mutant('votes of another term count', { scenario: 'vote-for-an-earlier-request' }, [
    'election',
    "s.role !== 'candidate' || m.term !== s.seeking) return;",
    "s.role !== 'candidate') return;",
  ]),
  mutant(
    'a vote counts for a later request than the one that it answers',
    { scenario: 'vote-for-an-earlier-request' },
    ['election', 's.seeking = Math.max(s.term, s.seeking, spent, taken) + 1;', 's.seeking = s.term + 1;'],
  ),
  mutant('a token is used twice', { seed: 5 }, [
    'election',
    's.seeking = Math.max(s.term, s.seeking, spent, taken) + 1;',
    "s.seeking = Math.max(s.term, s.seeking, spent, taken) + (s.term > 2 && s.role !== 'follower' ? 0 : 1);",
  ]),
  mutant('a member that helps another goes on asking for itself', { hunt: 'leases' }, [
    'election',
    'becomeFollower(s, null, times, out); // A member that helps another no longer asks for itself.\n',
    '',
  ]),
  mutant(
    'a heartbeat of an older term is followed',
    { rule: 'a leader of an older term is told of the newer one' },
    [
      'leading',
      'if (m.term < s.term) return tellTerm(s, from, out);\n  if (isRivalOf(s, m.term)) return;\n  // A leader',
      'if (isRivalOf(s, m.term)) return;\n  // A leader',
    ],
  ),
  mutant('a vote is given for an older term', { scenario: 'late-vote-request' }, [
    'election',
    'if (m.term < s.term) return tellTerm(s, from, out);\n  if (isPromisedAgainst(s, from, life, m.release)',
    'if (m.term < s.term) s.term = m.term;\n  if (isPromisedAgainst(s, from, life, m.release)',
  ]),
];
