import { type Mutant, mutant } from './mutant.ts';

export const registers: readonly Mutant[] = [
  mutant(
    'a member that hears its leader takes a register from another',
    { rule: 'a member that is bound to a leader takes registers from it alone' },
    ['register', 'if (s.promise !== null && s.promise.to !== null) return;', ''],
  ),
  mutant(
    'an older register may win',
    { scenario: 'acceptor-restarts' },
    ['election', 'if (isOlder(m.age, s.register)) return;\n', ''],
    [
      'election',
      "const willing = s.role !== 'leader' && !isOlder(age, s.register);",
      "const willing = s.role !== 'leader';",
    ],
    ['election', '  if (isOlder(age, s.register))\n', '  if (age.version < 0)\n'],
  ),
  mutant('what is accepted is not saved', { scenario: 'acceptor-restarts' }, [
    'register',
    's.register = register;\n  save(s, out);\n  if (isMember',
    's.register = register;\n  if (isMember',
  ]),
  mutant('a publication is committed without a majority', { scenario: 'commit-meets-another-register' }, [
    'register',
    'if (!isQuorum(register, acceptors(s))) return;',
    '',
  ]),
  mutant('a member that answers has accepted', { scenario: 'commit-meets-another-register' }, [
    'register',
    '.find((each) => each && sameAge(each.age, s.register));',
    '.find((each) => each !== undefined);',
  ]),
  mutant('a new disk accepts for the one that has the seat', { scenario: 'second-process-accepts' }, [
    'register',
    'if (peer) accepted[id] = peer.disk;',
    'if (peer) accepted[id] = s.register.members.find((each) => each.id === id)?.disk ?? peer.disk;',
  ]),
  mutant(
    'an answer to an earlier process says what was accepted',
    { rule: 'an answer to an earlier process commits nothing' },
    ['register', 'if (m.to !== s.life || !isMember(s, from)', 'if (!isMember(s, from)'],
  ),
  mutant('a heartbeat commits whatever is accepted', { scenario: 'commit-meets-another-register' }, [
    'leading',
    'if (sameAge(m.committed, s.register)) commitAccepted(s, out);',
    'commitAccepted(s, out);',
  ]),
  mutant('a commit is taken for any register', { scenario: 'commit-meets-another-register' }, [
    'register',
    'if (m.term === s.term && sameAge(m.age, s.register)) commitAccepted(s, out);',
    'commitAccepted(s, out);',
  ]),
  mutant(
    'an older leader may still write',
    { scenario: 'late-publication' },
    ['register', 'if (m.term < s.term) return tellTerm(s, from, out);\n', ''],
    [
      'register',
      "{ type: 'publish/answer', to: m.by.life, term: s.term, age",
      "{ type: 'publish/answer', to: m.by.life, term: m.term, age",
    ],
  ),
  mutant('a version is used twice', { scenario: 'disk-lost-beside-a-removal' }, [
    'register',
    'version: s.register.version + 1',
    'version: Math.max(1, s.register.version)',
  ]),
  mutant('a copy of a register comes without its term', { rule: 'a copy brings its term' }, [
    'register',
    'if (m.register.term > s.term) adoptTerm(s, m.register.term, times, out);\n',
    '',
  ]),
  mutant(
    'a register may name a term out of all proportion',
    { rule: 'no register of a term out of all proportion is believed' },
    [
      'bounds',
      'aboutNumbers(m.by, latestIn(m.register), m.register.version)',
      'aboutNumbers(m.by, 0, m.register.version)',
    ],
  ),
];
