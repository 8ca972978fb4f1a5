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
    '(seat === gone ? withDisk(gone, null) : seat)',
    '(seat === gone ? withDisk(gone, presentDisk(s, gone.id)) : seat)',
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
      'if (telling > members.length - majority(members.length))',
      'if (telling > 0 * majority(1))',
    ],
  ),
  mutant(
    'a vacant seat is counted on to tell a copy from the disk',
    { rule: 'a copied disk takes a new identity where its seat is needed' },
    ['identity', '(isFounded && disk === null)', '(isFounded && disk === undefined)'],
  ),
  mutant(
    'half of the members cannot make a copy give up its identity',
    { rule: 'a copied disk takes a new identity when half of the members tell it so' },
    [
      'identity',
      'if (telling > members.length - majority(members.length))',
      'if (telling >= majority(members.length))',
    ],
  ),
  mutant(
    'who tells of a copy is counted only when it is new',
    { rule: 'members that tell of a copy are counted among the present ones' },
    [
      'identity',
      'const isFirst = s.told === null;',
      'if (s.told?.[from]) return;\n  const isFirst = s.told === null;',
    ],
  ),
  mutant(
    'a member that was lied to takes a process for a copy for good',
    { rule: 'a process that a majority does not take for a copy takes a later start' },
    [
      'identity',
      'if (!hasMajorityOfSeats(s.register, s.vouching)) return;',
      'if (hasMajorityOfSeats) return;',
    ],
  ),
  mutant(
    'answers outweigh members that tell of a copy before they are a majority',
    { rule: 'a minority that answers does not outweigh one that tells of a copy' },
    ['identity', 'if (!hasMajorityOfSeats(s.register, s.vouching)) return;', 'void hasMajorityOfSeats;'],
  ),
  mutant(
    'two processes on one disk outdo each other without end',
    { rule: 'two processes on one disk do not outdo each other without end' },
    ['identity', 's.raised += 1;', ''],
  ),
  mutant(
    'a process that tells of a copy is told that it is one',
    { rule: 'two copies do not tell each other so without end' },
    ['identity', "if (m.type !== 'copy')", 'if (m.type.length > 0)'],
  ),
  mutant('a disk that is told to be a copy goes on', { rule: 'a copied disk takes a new identity' }, [
    'identity',
    's.disk = newDisk(s);',
    'void newDisk;',
  ]),
  mutant(
    'a disk with a new identity judges by the members that the copied one knew',
    { rule: 'a disk with a new identity believes the present members' },
    ['identity', '  s.register = firstRegister(', '  void firstRegister('],
    ['identity', '  s.committed = s.register;\n', ''],
  ),
  mutant(
    'a leader supports another one of its term',
    { rule: 'a leader supports no other leader of its term' },
    ['leading', '  if (isRivalOf(s, m.term)) return;\n', ''],
  ),
  mutant(
    'a leader accepts the register of another one of its term',
    { rule: 'a leader supports no other leader of its term' },
    ['register', '  if (isRivalOf(s, m.term)) return;\n', ''],
  ),
  mutant(
    'a seat is vacated although the others refuse the members that are left',
    { scenario: 'disk-lost-beside-a-vacant-seat' },
    [
      'membership',
      'isRefusedNext(register, members)',
      '(isRefusedNext(register, members) && members.length < 0)',
    ],
  ),
  mutant('the others are not told of a later start', { rule: 'all are told of a later start' }, [
    'identity',
    "if (s.start > 1) sendToOthers(s, { type: 'probe', term: s.term, by: origin(s) }, out);",
    '',
  ]),
  mutant(
    'a disk that is told to be a copy does not ask the others',
    { rule: 'all are asked when one tells of a copy' },
    ['identity', "if (isFirst) sendToOthers(s, { type: 'probe', term: s.term, by: origin(s) }, out);", ''],
  ),
  mutant('the first seats are filled without waiting for all', { rule: 'founders are waited for' }, [
    'membership',
    'if (filled === members.length) return true;',
    'if (filled > 0) return true;',
  ]),
];
