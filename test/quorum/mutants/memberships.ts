import { type Mutant, mutant } from './mutant.ts';

export const memberships: readonly Mutant[] = [
  mutant(
    'members that are being removed still count',
    { seed: 84 },
    [
      'election',
      "sendToOthers(s, { type: 'vote', term: s.term, age: ageOf(s.register), release }, out);",
      "for (const to of s.committed.members) if (to !== s.id) out.push({ type: 'send', to, message: { type: 'vote', term: s.term, age: ageOf(s.register), release } });",
    ],
    ['election', "if (!isMember(s, from) || s.role !== 'candidate'", "if (s.role !== 'candidate'"],
    [
      'election',
      'const votes = s.register.members.filter((id)',
      'const votes = s.committed.members.filter((id)',
    ],
  ),
  mutant('a majority is counted among three, whoever has joined', { seed: 1 }, [
    'state',
    'return count >= majority(s.register.members.length);',
    'return count >= majority(Math.min(3, s.register.members.length));',
  ]),
];
