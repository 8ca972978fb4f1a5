import { type Mutant, mutant } from './mutant.ts';

export const disks: readonly Mutant[] = [
  mutant('as many names decide as seats', { scenario: 'disk-lost-after-accepting' }, [
    'seats',
    'return Math.min(most, majority(members.length) + 1);',
    'return Math.min(most, majority(members.length));',
  ]),
  mutant(
    'a vote of a new disk counts as one of the disk that has the seat',
    { scenario: 'voter-loses-its-disk' },
    [
      'election',
      's.votes = withSupporter(s.register, s.votes, from, m.by.disk);\n    return',
      's.votes = { ...s.votes, [from]: s.register.members.find(({ id }) => id === from)?.disk ?? m.by.disk };\n    return',
    ],
    [
      'election',
      's.votes = withSupporter(s.register, s.votes, from, m.by.disk);\n  winWithQuorum',
      's.votes = { ...s.votes, [from]: s.register.members.find(({ id }) => id === from)?.disk ?? m.by.disk };\n  winWithQuorum',
    ],
  ),
  mutant(
    'a vote for an earlier process of the candidate counts',
    { scenario: 'vote-for-an-earlier-process' },
    [
      'election',
      "if (m.to !== s.life || !isMember(s, from) || s.role !== 'candidate'",
      "if (!isMember(s, from) || s.role !== 'candidate'",
    ],
  ),
  mutant(
    'a later process of the candidate gets the same vote again',
    { scenario: 'second-process-won-before' },
    ['election', '(s.votedFor.id !== from || s.votedFor.life !== life)', 's.votedFor.id !== from'],
  ),
  mutant('a seat goes from one disk to another in one step', { scenario: 'second-process-takes-the-seat' }, [
    'membership',
    '(seat === gone ? { ...seat, disk: null } : seat)',
    '(seat === gone ? { ...seat, disk: presentDisk(s, seat.id) } : seat)',
  ]),
  mutant('a seat is taken from a disk that answers', { rule: 'a disk that answers keeps its seat' }, [
    'membership',
    'present !== disk && (id === s.id || isSilent(s, id, times));',
    'present !== disk && (void [isSilent, times], true);',
  ]),
  mutant('the founders are written down anew with every change', { rule: 'the founders never change' }, [
    'register',
    'const founding = s.register.founding ?? foundersIn(s.register, members);',
    'const founding = foundersIn(s.register, members) ?? members;',
  ]),
  mutant('starts are not counted on the disk', { rule: 'starts are counted' }, [
    'identity',
    's.start += 1;\n  if (s.start === 1) s.disk ||= life;',
    's.disk ||= life;\n  s.start = 1;',
  ]),
  mutant('a copy of a disk is not recognised', { rule: 'a copied disk is told so' }, [
    'identity',
    'if (by.start <= seen.start) {',
    'if (by.start < 0) {',
  ]),
  mutant(
    'one member alone makes a disk give up its identity',
    { rule: 'one member cannot take an identity away' },
    [
      'identity',
      'if (s.told.length < Math.min(majority(s.register.members.length), s.register.members.length - 1)) return;\n',
      'void majority;\n',
    ],
  ),
  mutant(
    'a process that tells of a copy is told that it is one',
    { rule: 'two copies do not tell each other so without end' },
    ['identity', "if (type !== 'copy') send(", 'if (type.length > 0) send('],
  ),
  mutant('a disk that is told to be a copy goes on', { rule: 'a copied disk takes a new identity' }, [
    'identity',
    's.disk = newDisk(s);',
    'void newDisk;',
  ]),
  mutant('the others are not told of a later start', { rule: 'all are told of a later start' }, [
    'identity',
    "if (s.start > 1) sendToOthers(s, { type: 'probe', term: s.term }, out);",
    '',
  ]),
  mutant(
    'a disk that is told to be a copy does not ask the others',
    { rule: 'all are asked when one tells of a copy' },
    ['identity', "if (s.told.length === 1) sendToOthers(s, { type: 'probe', term: s.term }, out);", ''],
  ),
  mutant('the first seats are filled without waiting for all', { rule: 'founders are waited for' }, [
    'membership',
    'if (filled === members.length) return true;',
    'if (filled > 0) return true;',
  ]),
];
