import { type Mutant, mutant } from './mutant.ts';

export const leases: readonly Mutant[] = [
  mutant('the lease is measured from the receipt of the answers', { scenario: 'late-answers' }, [
    'leading',
    's.leaseAge = ageOf(s.register);\n    report(s, out);',
    "s.leaseAge = ageOf(s.register);\n    out.push({ type: 'set-timer', timer: leaseTimer(round), delayMs: times.leaseMs });\n    report(s, out);",
  ]),
  mutant('the lease is twice as long as the promise', { seed: 9 }, [
    'settings',
    'return (promiseMs * (1 - maxDrift))',
    'return 2 * (promiseMs * (1 - maxDrift))',
  ]),
  mutant('the lease is not shortened by the drift', { scenario: 'clocks-at-their-worst' }, [
    'settings',
    'return (promiseMs * (1 - maxDrift)) / (1 + maxDrift)',
    'return promiseMs',
  ]),
  mutant('the leadership has no lease', { seed: 6 }, [
    'state',
    "const lease = s.role !== 'leader' ? null : s.leaseRound",
    "const lease = s.role !== 'candidate' ? null : s.leaseRound",
  ]),
  mutant('the promise is half as long as the lease', { scenario: 'clocks-at-their-worst' }, [
    'state',
    "timer: 'promise', delayMs: promise.ms",
    "timer: 'promise', delayMs: promise.ms / 2",
  ]),
  mutant(
    'votes are given within the promise',
    { seed: 14 },
    [
      'election',
      'if (isPromisedAgainst(s, from, life, m.release) || s.leaseRound !== null) return;',
      'if (s.leaseRound !== null) return;',
    ],
    ['election', 'else if (willing && !isPromisedAgainst(s, from, by.life, null))', 'else if (willing)'],
  ),
  mutant('a pre-candidate that is bound by a promise counts itself', { scenario: 'promised-member-asks' }, [
    'election',
    's.votes = isPromisedAgainst(s, s.id, s.life, null) ? {} : { [s.id]: s.disk };',
    's.votes = { [s.id]: s.disk };',
  ]),
  mutant('pre-votes count although the own voice is bound', { hunt: 'leases' }, [
    'election',
    'if (m.granted && s.votes[s.id] !== undefined) {',
    'if (m.granted) {',
  ]),
  mutant('the promise is forgotten on restart', { scenario: 'promised-member-restarts' }, [
    'identity',
    's.promise = { to: null, life: null, term: 0, round: 0, ms: promiseMs };\n',
    's.promise = null;\n',
  ]),
  mutant(
    'the promise after a restart is as short as the present settings',
    { rule: 'a promise lasts as long as before the restart' },
    ['identity', 'const promiseMs = Math.max(s.promiseMs, times.promiseMs);', 'const { promiseMs } = times;'],
  ),
  mutant('a heartbeat is answered without a promise', { scenario: 'promised-member-asks' }, [
    'leading',
    'promiseTo(s, { to: from, life: m.by.life, term: m.term, round: m.round, ms }, out);',
    'void [ms, promiseTo];',
  ]),
  mutant('a vote is no promise', { scenario: 'voter-is-asked-again' }, [
    'election',
    'promiseTo(s, { to: from, life, term: m.term, round: VOTES, ms }, out);',
    'void ms;',
  ]),
  mutant('a promise is made to a name, not to a process', { scenario: 'second-process-asks-for-votes' }, [
    'state',
    'if (promise === null || (promise.to === candidate && promise.life === life)) return false;',
    'if (promise === null || promise.to === candidate) return false;',
  ]),
  mutant('an answer to an old round counts for the newest', { scenario: 'late-answers' }, [
    'leading',
    'peer.round = m.round;',
    'peer.round = s.round;',
  ]),
  mutant('answers of another term renew the lease', { scenario: 'answer-of-an-earlier-term' }, [
    'leading',
    "s.role !== 'leader' || m.term !== s.term || !heard",
    "s.role !== 'leader' || !heard",
  ]),
  mutant('two members carry the lease, however many there are', { scenario: 'leader-keeps-one-follower' }, [
    'seats',
    'return nth(members, roundOf, majority(members.length));',
    'return nth(members, roundOf, Math.min(2, members.length));',
  ]),
  mutant(
    'a new disk renews the lease as the one that has the seat would',
    { scenario: 'second-process-accepts' },
    [
      'leading',
      'id !== s.id ? (s.peers[id]?.round ?? 0) :',
      'id !== s.id ? Math.max(s.peers[id]?.round ?? 0, s.newcomers[id]?.round ?? 0) :',
    ],
  ),
  mutant('where names make a leader, they give it a lease too', { rule: 'names give no lease' }, [
    'leading',
    's.openRounds.includes(VOTES) && hasMajorityOfSeats(s.register, s.votes)',
    's.openRounds.includes(VOTES)',
  ]),
  mutant(
    'an answer to an earlier process renews the lease',
    { rule: 'an answer to an earlier process renews no lease' },
    ['leading', "if (m.to !== s.life || s.role !== 'leader'", "if (s.role !== 'leader'"],
  ),
  mutant('evidence without proof releases the promise', { scenario: 'leader-is-called-gone' }, [
    'election',
    'if (life !== null && s.promise?.to === s.leader && s.promise.life === life)',
    'if (s.promise?.to === s.leader)',
  ]),
  mutant(
    'proof about another process of the leader releases the promise',
    { scenario: 'second-process-dies' },
    ['election', 's.promise?.to === s.leader && s.promise.life === life)', 's.promise?.to === s.leader)'],
  ),
  mutant(
    'proof that comes after the suspicion is ignored',
    { rule: 'proof that comes after the suspicion frees the promise, and what was refused is granted' },
    [
      'election',
      'else if (life !== null && s.promise?.to === peer',
      'else if (life === undefined && s.promise?.to === peer',
    ],
  ),
  mutant(
    'proof after the suspicion releases the promise to another process',
    { rule: 'proof after the suspicion frees no promise to another process' },
    [
      'election',
      'else if (life !== null && s.promise?.to === peer && s.promise.life === life)',
      'else if (life !== null && s.promise?.to === peer)',
    ],
  ),
  mutant(
    'after proof that comes late, a member goes on waiting for the answers that it was refused',
    { rule: 'a member that asks in vain asks again once there is proof' },
    [
      'election',
      'if (isFirst(s, gone)) onElectionTimer(s, times, out);',
      'if (gone === null) onElectionTimer(s, times, out);',
    ],
  ),
  mutant(
    'a heartbeat of a later term puts a promise aside',
    { rule: 'a member that is bound to a leader supports no other' },
    [
      'leading',
      "if (s.role !== 'leader' && isBoundToOther(s, from, m.by.life) && !isSucceeded(s, m)) return;",
      'void isBoundToOther;',
    ],
  ),
];
