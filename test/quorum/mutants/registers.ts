import { type Mutant, mutant } from './mutant.ts';

export const registers: readonly Mutant[] = [
  mutant(
    'an older register may win',
    { seed: 21 },
    [
      'election',
      's.votedFor !== from) || isOlder(m.age, s.register)) return;',
      's.votedFor !== from)) return;',
    ],
    [
      'election',
      "const willing = s.role !== 'leader' && !isOlder(age, s.register);",
      "const willing = s.role !== 'leader';",
    ],
    ['election', '  if (isOlder(age, s.register)) {', '  if (age.version < 0) {'],
  ),
  mutant('what is accepted is not saved', { seed: 255 }, [
    'register',
    's.register = m.register;\n      save(s, out);',
    's.register = m.register;',
  ]),
  mutant('a publication is committed without a majority', { seed: 22 }, [
    'register',
    'if (!isMajority(s, accepted.length)) return;',
    '',
  ]),
  mutant('whoever answers has accepted', { seed: 22 }, [
    'register',
    '(id) => id === s.id || sameAge(s.peers[id]?.age ?? NEVER, register),',
    '(id) => id === s.id || s.peers[id] !== undefined,',
  ]),
  mutant('a heartbeat commits whatever is accepted', { seed: 22 }, [
    'leading',
    'if (m.committed === m.age.version && sameAge(m.age, s.register)) commitAccepted(s, out);',
    'commitAccepted(s, out);',
  ]),
  mutant('a commit is taken for any register', { seed: 107 }, [
    'register',
    'if (m.term === s.term && sameAge(m.age, s.register)) commitAccepted(s, out);',
    'commitAccepted(s, out);',
  ]),
  mutant(
    'an older leader may still write',
    { seed: 55 },
    ['register', 'if (m.term < s.term) return tellTerm(s, from, out);\n', ''],
    ['register', "type: 'publish/answer', term: s.term, age", "type: 'publish/answer', term: m.term, age"],
  ),
  mutant('a version is used twice', { seed: 22 }, [
    'register',
    'version: s.register.version + 1',
    'version: Math.max(1, s.register.version)',
  ]),
];
