import { type Mutant, mutant } from './mutant.ts';

export const memberships: readonly Mutant[] = [
  mutant(
    'members that are being removed still count',
    { rule: 'a member that is being removed does not vote' },
    [
      'election',
      "sendToOthers(s, { type: 'vote', term: s.seeking, age, release, promiseMs, by: origin(s) }, out);",
      "for (const { id } of s.committed.members) if (id !== s.id) send(id, { type: 'vote', term: s.seeking, age, release, promiseMs, by: origin(s) }, out);",
    ],
    [
      'election',
      "if (m.to !== s.life || !isMember(s, from) || s.role !== 'candidate'",
      "if (m.to !== s.life || s.role !== 'candidate'",
    ],
    [
      'election',
      'if (!isQuorum(s.register, s.votes)) return;\n  enterTerm',
      'if (!isQuorum(s.committed, s.votes)) return;\n  enterTerm',
    ],
  ),
  mutant('a majority is counted among three, however many have joined', { seed: 6 }, [
    'seats',
    'return seated.length >= majority(members.length);',
    'return seated.length >= majority(Math.min(3, members.length));',
  ]),
  mutant('a change does not wait for the lease', { scenario: 'changes-between-promises' }, [
    'membership',
    'if (s.leaseRound !== null && s.leaseAge !== null && !sameAge(s.leaseAge, register)) return;\n',
    '',
  ]),
  mutant('a change is made before this term has committed anything', { scenario: 'changes-of-two-leaders' }, [
    'membership',
    'if (register.term !== s.term) return renewRegister(s, times, out);\n',
    'void renewRegister;\n',
  ]),
  mutant('a change is made on top of one that is not committed', { scenario: 'disk-lost-beside-a-removal' }, [
    'membership',
    'if (!sameAge(register, s.committed)) return;\n',
    '',
  ]),
  mutant('three members become two in one step', { scenario: 'disk-lost-beside-a-removal' }, [
    'membership',
    'return isVacant ? rest :',
    'return isVacant || rest.length > 0 ? rest :',
  ]),
  mutant('two members become three in one step', { scenario: 'disk-lost-after-a-return' }, [
    'membership',
    'const disk = members.length === 2 ? null : joiner.disk;',
    'const { disk } = joiner;',
  ]),
  mutant(
    'a leader acts before a majority holds the first seats',
    { rule: 'the first lease waits for the first seats' },
    ['leading', ' && isFounded(s)) {', ') {\n    void isFounded;'],
  ),
  mutant('a member is added without waiting for it', { rule: 'a joiner is waited for' }, [
    'membership',
    'if (joiner === undefined) return null;\n  const disk = members.length === 2 ? null : joiner.disk;',
    'const disk = members.length === 2 ? null : (joiner?.disk ?? null);',
  ]),
  mutant(
    'members are removed and added without a healthy majority',
    { scenario: 'removal-without-a-majority' },
    ['membership', 'if (healthy.length >= needed) return null;', 'if (healthy.length >= 0) return null;'],
  ),
  mutant(
    'a member that was removed judges its return by the members that it knew',
    { rule: 'a member that was removed can be added again' },
    [
      'bounds',
      'if (!committed.members.some((seat) => seat.id === id))\n    return aboutReturn(committed.members, register.members);',
      'void [id, aboutReturn];',
    ],
  ),
  mutant(
    'a member that was removed believes any register that adds it',
    { rule: 'a member that was removed is not made a majority with a liar' },
    [
      'bounds',
      'return kept >= needed ? null : tooFew(kept, needed);',
      'return kept >= 0 ? null : tooFew(kept, needed);',
    ],
  ),
];
