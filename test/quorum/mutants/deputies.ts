/** Bugs in deputies. */
import { type Mutant, mutant } from './mutant.ts';

export const deputies: readonly Mutant[] = [
  mutant(
    'a deputy acts without the answer of its leader',
    { rule: 'a deputy acts on the answers of its leader' },
    [
      'deputy',
      'const newest = Math.min(ofMajority, answered[leader] ?? 0);',
      'const newest = ofMajority; void leader;',
    ],
  ),
  mutant('a deputy acts without a majority', { rule: 'a deputy acts on the answers of a majority' }, [
    'deputy',
    'const newest = Math.min(ofMajority, answered[leader] ?? 0);',
    'const newest = answered[leader] ?? 0; void ofMajority;',
  ]),
  mutant('a deputy acts although its lease has ended', { rule: 'a deputy acts on a lease that runs' }, [
    'deputy',
    'return open.includes(newest) ? newest : 0;',
    'return open.length >= 0 ? newest : 0;',
  ]),
  mutant(
    'an answer to an earlier request of a deputy counts for its latest',
    { rule: 'an answer to an earlier request is no answer to a later one' },
    ['deputy', '[from]: m.round };', '[from]: standby.round };'],
  ),
  mutant('the rounds of a deputy start again', { rule: 'a deputy uses no round twice' }, [
    'deputy',
    'const standby = s.standby!;\n  s.standbyRound += 1;',
    'const standby = s.standby!;\n  s.standbyRound = standby.round === 0 ? 1 : s.standbyRound + 1;',
  ]),
  mutant('a vote in advance is not saved', { rule: 'a vote in advance is saved before it is given' }, [
    'deputy',
    's.advance = { term: next, id, life };\n    save(s, out);',
    's.advance = { term: next, id, life };',
  ]),
  mutant('two deputies are named for one term', { rule: 'another deputy gets another term' }, [
    'deputy',
    's.named = Math.max(s.named, s.term, s.advance?.term ?? 0, s.register.taken ?? 0) + 1;',
    's.named = s.term + 1;',
  ]),
  mutant('a vote in advance is given twice', { rule: 'a vote in advance is given once' }, [
    'deputy',
    'if (advance === null || advance.term < next) {',
    'if (advance === null || advance.term <= next) {',
  ]),
  mutant(
    'a member promises support to a deputy that its leader did not name',
    { rule: 'a member that names itself the deputy gets no promise' },
    [
      'deputy',
      'if (deputy?.id !== from || deputy.term !== m.next) return false;',
      'if (deputy === null || from === null) return false;',
    ],
  ),
  mutant(
    'the consent of a leader ends the promise to its deputy',
    { rule: 'consent ends no promise to a deputy' },
    [
      'state',
      'if (isHeirOther(s, candidate, life)) return true;',
      'if (release === null && isHeirOther(s, candidate, life)) return true;',
    ],
  ),
  mutant(
    'a member that has promised a deputy helps another candidate',
    { rule: 'a promise to a deputy outlives a restart' },
    ['state', 'if (isHeirOther(s, candidate, life)) return true;\n', ''],
  ),
  mutant('the promise to a deputy is half as long', { hunt: 'deputies, handovers and deaths' }, [
    'deputy',
    "timer: 'heir', delayMs: ms }",
    "timer: 'heir', delayMs: ms / 2 }",
  ]),
  mutant('the promise to a deputy is forgotten on restart', { scenario: 'deputy-voter-restarts' }, [
    'identity',
    '  keepHeir(s, promiseMs, out);\n',
    '',
  ]),
  mutant(
    'the disk forgets how long a deputy was promised support',
    { rule: 'a promise to a deputy is counted when that to the leader ends' },
    ['election', 'Math.max(times.promiseMs, s.heir?.ms ?? 0)', 'times.promiseMs'],
  ),
  mutant(
    'a candidate gets a vote in the term of a deputy',
    { rule: 'no candidate gets the vote that a deputy has' },
    ['election', 'if (s.advance !== null && m.term <= s.advance.term) return;', ''],
  ),
  mutant(
    'a candidate asks in the term of a deputy',
    { rule: 'no member asks for votes in the term of a deputy' },
    [
      'election',
      'Math.max(s.term, s.seeking, spent, taken) + 1',
      'Math.max(s.term, s.seeking, spent, 0 * taken) + 1',
    ],
  ),
  mutant(
    'a late request of a deputy shortens what was promised before a restart',
    { rule: 'a late request of a deputy ends no promise of before a restart' },
    ['deputy', 'const ms = longEnough(s, m.promiseMs, out);', 'const ms = m.promiseMs; void longEnough;'],
  ),
  mutant(
    'a change of members does not name the terms of deputies',
    { scenario: 'deputy-wakes-after-two-changes' },
    ['register', 'Math.max(s.register.taken ?? 0, s.named)', 'Math.max(s.register.taken ?? 0, 0 * s.named)'],
  ),
  mutant(
    'a candidate asks in a term that is taken',
    { rule: 'no member asks for votes in a term that is taken' },
    ['election', 's.deputy?.term ?? 0, s.register.taken ?? 0)', 's.deputy?.term ?? 0, 0)'],
  ),
  mutant('a deputy gets a term that is taken', { rule: 'no deputy gets a term that is taken' }, [
    'deputy',
    's.advance?.term ?? 0, s.register.taken ?? 0) + 1',
    's.advance?.term ?? 0) + 1',
  ]),
  mutant(
    'a vote in advance is forgotten when its term comes',
    { rule: 'a vote in advance counts once its term has come' },
    [
      'roles',
      'advance !== null && advance.term === term ? { id: advance.id, life: advance.life } : null',
      'null',
    ],
  ),
  mutant('a deputy leads before its term is saved', { rule: 'a deputy saves its term before it leads' }, [
    'deputy',
    'enterTerm(s, next);\n  save(s, out);',
    'enterTerm(s, next);',
  ]),
  mutant(
    'a deputy is supported in another term than that of its leader',
    { rule: 'a deputy is followed in the term of its leader alone' },
    ['deputy', 'if (!s.deputies || m.term !== s.term || !isMember', 'if (!s.deputies || !isMember'],
  ),
  mutant(
    'proof about another process of the leader makes its deputy lead',
    { rule: 'proof about another process makes no deputy a leader' },
    [
      'deputy',
      'standby.leader !== leader || standby.life !== life) return false;',
      'standby.leader !== leader || life === null) return false;',
    ],
  ),
  mutant('evidence without proof makes a deputy lead', { hunt: 'deputies' }, [
    'election',
    'if (life !== null && mayTakeOver(s, peer, life)) takeOver',
    "if (mayTakeOver(s, peer, life ?? s.standby?.life ?? '')) takeOver",
  ]),
  mutant(
    'proof about another process frees the promise to a deputy',
    { rule: 'proof about another process frees no promise to a deputy' },
    [
      'election',
      's.heir?.to === peer && s.heir.life === life) onHeirEnds',
      's.heir?.to === peer) onHeirEnds',
    ],
  ),
  mutant(
    'the end of an earlier round frees the promise to a deputy',
    { rule: 'a deputy that has ended an earlier round is still promised a later one' },
    ['deputy', 'if (heir.round <= m.round) onHeirEnds(s, out);', 'onHeirEnds(s, out);'],
  ),
  mutant(
    'a deputy frees promises that its leader was given after it consented',
    { rule: 'a deputy frees no promise that its leader did not consent to end' },
    [
      'deputy',
      '(release.term === promise.term && release.round >= promise.round)',
      'release.term === promise.term',
    ],
  ),
  mutant(
    'a leader supports a deputy that lacks its register',
    { rule: 'a leader answers a deputy that has its register' },
    [
      'deputy',
      'return sameAge(s.register, s.committed) && sameAge(m.age, s.register);',
      'return m.age.term >= 0;',
    ],
  ),
  mutant(
    'a leader commits what its deputy lacks',
    { rule: 'a leader commits nothing that its deputy lacks' },
    ['register', 'if (lacksDeputy(s)) return;\n', 'if (lacksDeputy(s)) s.sending &&= true;\n'],
  ),
  mutant(
    'another disk under the name of a deputy accepts for it',
    { rule: 'another disk accepts nothing for a deputy' },
    [
      'register',
      'function lacksDeputy({ id, heir, peers, register }: State): boolean {',
      'function lacksDeputy({ id, heir, peers: seated, newcomers, register }: State): boolean {\n  const peers = { ...seated, ...newcomers };',
    ],
  ),
  mutant(
    'a leader changes the members while its deputy may act',
    { rule: 'a leader changes no members while its deputy may act' },
    [
      'membership',
      'if (s.heir !== null) return recallDeputy(s, out);',
      'if (s.heir !== null) recallDeputy(s, out);',
    ],
  ),
  mutant(
    'a leader goes on after it has asked its deputy to take over',
    { hunt: 'deputies and handovers' },
    ['handover', 'import { isHealthy }', 'import { isHealthy, sendHeartbeats }'],
    [
      'handover',
      "if (s.role === 'leader') resign",
      "if (s.role === 'leader' && s.heir?.to === transfer.to) sendHeartbeats(s, times, out);\n  else if (s.role === 'leader') resign",
    ],
  ),
  mutant(
    'a leader whose lease has ended keeps its deputy',
    { rule: 'a leader whose lease has ended has no deputy' },
    ['deputy', 'FEWEST_MEMBERS || s.leaseRound === null) return false;', 'FEWEST_MEMBERS) return false;'],
  ),
  mutant(
    'a deputy that has started again is silent',
    { rule: 'a deputy that cannot vote for itself is named for a later term' },
    ['deputy', 'return sendEnded(s, [from], s.advance!.term, out);', 'return;'],
  ),
  mutant(
    'a new leader repeats which deputy the one before had',
    { rule: 'a new leader does not repeat which deputy the one before had' },
    ['leading', '  s.deputy = null; // It knew the one of the leader before.\n', ''],
  ),
  mutant(
    'a deputy that leads publishes before a majority has answered it',
    { rule: 'a deputy that leads publishes nothing before a majority has answered it' },
    [
      'register',
      '  if (isUnconfirmed(s)) {\n    s.waiting',
      '  if (isUnconfirmed(s) && s.term < 0) {\n    s.waiting',
    ],
  ),
  mutant('a deputy that leads supersedes what it finds', { scenario: 'deputy-wakes-late' }, [
    'register',
    'if (!isUnconfirmed(s)) return renewRegister(s, times, out);',
    'if (s.term >= 0) return renewRegister(s, times, out);',
  ]),
  mutant(
    'a member that has something newer confirms a deputy',
    { rule: 'a deputy that leads publishes nothing before a majority has answered it' },
    ['register', 'peer === undefined || isOlder(register, peer.age) ? 0', 'peer === undefined ? 0'],
  ),
  mutant(
    'a member keeps from a deputy that leads what it lacks',
    { rule: 'a deputy that leads is sent what it lacks' },
    [
      'leading',
      'if (m.after !== undefined && isOlder(m.age, s.register))',
      'if (m.after !== undefined && s.term < 0)',
    ],
  ),
  mutant(
    'a deputy that leads does not take what it is sent',
    { rule: 'a deputy that leads completes what it lacked' },
    ['register', 'if (!isUnconfirmed(s) || !isMember(s, from)) return;', 'if (s.term >= 0) return;'],
  ),
];
