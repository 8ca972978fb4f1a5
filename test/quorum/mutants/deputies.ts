import { type Mutant, mutant } from './mutant.ts';

export const deputies: readonly Mutant[] = [
  mutant('a vote in advance is not saved', { rule: 'a vote in advance is saved' }, [
    'deputies',
    '  s.advance = asked;\n  save(s, out);',
    '  s.advance = asked;',
  ]),
  mutant(
    'a vote in advance is acknowledged before it is saved',
    { rule: 'a vote in advance is acknowledged once it is saved' },
    [
      'leading',
      'const isGiven = asked !== undefined && isVotedAhead(s, asked.id, asked.life, asked.term);',
      'const isGiven = asked !== undefined && (isVotedAhead(s, asked.id, asked.life, asked.term) || true);',
    ],
  ),
  mutant(
    'a member that voted in advance votes for another too',
    { rule: 'a member that voted in advance has no other vote in that term' },
    ['election', 'if (!isAdvanced && isVotedAway(s, m.term)) return;', 'void isVotedAway;'],
  ),
  mutant(
    'a member that voted in advance votes for another in an earlier term',
    { rule: 'a member that voted in advance has no other vote in that term' },
    ['deputies', 'asked <= advance.term', 'asked === advance.term'],
  ),
  mutant(
    'votes in advance are forgotten on restart',
    { rule: 'a vote in advance is not forgotten on restart' },
    ['identity', 'advance: record.advance ?? null', 'advance: null'],
  ),
  mutant(
    'a vote in advance is given to a later process too',
    { rule: 'a vote in advance belongs to one process' },
    [
      'deputies',
      'advance.term === asked && advance.id === id && advance.life === life',
      'advance.term === asked && advance.id === id && life !== ""',
    ],
  ),
  mutant('a vote in advance is taken back', { rule: 'a vote in advance is not taken back' }, [
    'deputies',
    'if (isVotedAway(s, asked.term)) return;',
    'if (isVotedAway(s, asked.term + 1)) return;',
  ]),
  mutant(
    'a vote in advance is lost if the promise still stands',
    { rule: 'a vote in advance waits for the end of the promise' },
    ['election', 'if (isAdvanced) s.held = { from, message: m };', 'void isAdvanced;'],
  ),
  mutant(
    'a vote in advance is given while the promise stands',
    { rule: 'a vote in advance waits for the end of the promise' },
    [
      'election',
      'if (isPromisedAgainst(s, from, life, m.release) || s.leaseRound !== null) {',
      'if ((!isAdvanced && isPromisedAgainst(s, from, life, m.release)) || s.leaseRound !== null) {',
    ],
  ),
  mutant(
    'a vote in advance waits for the disk',
    { rule: 'a vote in advance leaves before the new term is saved' },
    [
      'election',
      '  sendVote(s, from, m, out);\n  save(s, out);\n',
      '  save(s, out);\n  sendVote(s, from, m, out);\n',
    ],
  ),
  mutant(
    'a vote in advance is given to a member that lacks the newest register',
    { rule: 'a vote in advance is no vote for an older register' },
    ['election', 'if (isAdvanced && !isOlder(m.age, s.register)) return', 'if (isAdvanced) return'],
  ),
  mutant(
    'a deputy asks whether it would win',
    { rule: 'a deputy asks at once when the leader is proven dead' },
    [
      'election',
      'if (life !== null && isDeputy(s) && mayLead(s) &&',
      'if (life === "" && isDeputy(s) && mayLead(s) &&',
    ],
  ),
  mutant('a deputy asks on suspicion', { rule: 'a deputy does not ask for votes on suspicion' }, [
    'election',
    'if (life !== null && isDeputy(s) && mayLead(s) && !isPromisedAgainst(s, s.id, s.life, null)) {',
    'if (isDeputy(s) && mayLead(s)) {',
  ]),
  mutant(
    'a deputy asks although it is bound to another process',
    { rule: 'a deputy that is bound to another promise does not ask' },
    [
      'election',
      'if (life !== null && isDeputy(s) && mayLead(s) && !isPromisedAgainst(s, s.id, s.life, null)) {',
      'if (life !== null && isDeputy(s) && mayLead(s)) {',
    ],
  ),
  mutant(
    'a deputy leads without having saved its term',
    { rule: 'the term of a deputy is on its disk before it leads' },
    ['election', '    s.ahead = s.seeking;\n    save(s, out);', '    s.ahead = s.seeking;'],
  ),
  mutant('a deputy asks for its term again', { rule: 'a deputy asks for each term once' }, [
    'deputies',
    'advance.term > Math.max(term, seeking)',
    'advance.term > term',
  ]),
  mutant(
    'a candidate asks for the term of a deputy',
    { rule: 'a candidate asks for a term after every vote in advance' },
    ['election', 's.advance === null ? 0 : s.advance.term', '0'],
  ),
  mutant('a leader without a lease names a deputy', { rule: 'a leader without a lease names no deputy' }, [
    'deputies',
    '  if (s.leaseRound === null) return;\n',
    '',
  ]),
  mutant(
    'a leader names its deputy before its heartbeats',
    { rule: 'a leader names its deputy after its heartbeats' },
    [
      'leading',
      '  sendToAll(heard(s), message, out);\n  if (times.deputies) nameDeputy(s, out);\n',
      '  if (times.deputies) nameDeputy(s, out);\n  sendToAll(heard(s), message, out);\n',
    ],
  ),
  mutant(
    'a leader names another deputy for the same term',
    { rule: 'a leader names another deputy for a later term' },
    ['deputies', 'Math.max(s.term, s.advance?.term ?? 0) + 1', 's.term + 1'],
  ),
  mutant(
    'a leader keeps the process of its deputy that is gone',
    { rule: 'a leader names the new process of its deputy' },
    ['deputies', 's.peers[present.id]!.life === present.life', 's.peers[present.id]!.life !== ""'],
  ),
  mutant('a leader resigns for any member', { rule: 'a leader resigns for its deputy' }, [
    'handover',
    'Number(b === deputy) - Number(a === deputy) ||',
    'Number(a === deputy) - Number(b === deputy) ||',
  ]),
  mutant('a recovery knows of no votes in advance', { rule: 'a recovery exceeds votes in advance' }, [
    'identity',
    'Math.max(own, advance?.term ?? 0)',
    'own',
  ]),
  mutant(
    'a vote in advance for the present term is believed',
    { rule: 'no vote in advance for the present term is believed' },
    [
      'bounds',
      'advance !== undefined && (advance.term <= term || advance.term > MOST)',
      'advance !== undefined && advance.term > MOST',
    ],
  ),
];
