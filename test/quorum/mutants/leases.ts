import { type Mutant, mutant } from './mutant.ts';

export const leases: readonly Mutant[] = [
  mutant('the lease is measured from the receipt of the answers', { seed: 165 }, [
    'leading',
    's.leaseRound = round;\n  report(s, out);',
    "s.leaseRound = round;\n  out.push({ type: 'set-timer', timer: leaseTimer(round), delayMs: times.leaseMs });\n  report(s, out);",
  ]),
  mutant('the lease is twice as long as the promise', { seed: 1 }, [
    'settings',
    'leaseMs: (promiseMs * (1 - maxDrift))',
    'leaseMs: 2 * (promiseMs * (1 - maxDrift))',
  ]),
  mutant('the lease is not shortened by the drift', { seed: 94 }, [
    'settings',
    'leaseMs: (promiseMs * (1 - maxDrift)) / (1 + maxDrift)',
    'leaseMs: promiseMs',
  ]),
  mutant('the leadership has no lease', { seed: 1 }, [
    'state',
    "const lease = s.role !== 'leader' ? null : s.leaseRound",
    "const lease = s.role !== 'candidate' ? null : s.leaseRound",
  ]),
  mutant('the promise is half as long as the lease', { seed: 132 }, [
    'state',
    "timer: 'promise', delayMs: times.promiseMs",
    "timer: 'promise', delayMs: times.promiseMs / 2",
  ]),
  mutant(
    'votes are given within the promise',
    { seed: 4 },
    [
      'election',
      'if (isPromisedAgainst(s, from, m.release) || s.leaseRound !== null) return;',
      'if (s.leaseRound !== null) return;',
    ],
    ['election', 'else if (willing && !isPromisedAgainst(s, from, null))', 'else if (willing)'],
  ),
  mutant('a pre-candidate that is bound by a promise counts itself', { seed: 91 }, [
    'election',
    's.votes = isPromisedAgainst(s, s.id, null) ? {} : { [s.id]: s.life };',
    's.votes = { [s.id]: s.life };',
  ]),
  mutant('pre-votes count although the own voice is bound', { hunt: 'leases' }, [
    'election',
    'if (m.granted && s.votes[s.id] !== undefined) {',
    'if (m.granted) {',
  ]),
  mutant('the promise is forgotten on restart', { seed: 29 }, [
    'recall',
    'promiseTo(s, { to: null, term: 0, round: 0 }, times, out);',
    '',
  ]),
  mutant('a heartbeat is answered without a promise', { seed: 4 }, [
    'leading',
    'promiseTo(s, { to: from, term: m.term, round: m.round }, times, out);',
    '',
  ]),
  mutant('a vote is no promise', { hunt: 'leases' }, [
    'election',
    'promiseTo(s, { to: from, term: m.term, round: VOTES }, times, out);',
    '',
  ]),
  mutant('an answer to an old round counts for the newest', { seed: 165 }, [
    'leading',
    'peer.round = m.round;',
    'peer.round = s.round;',
  ]),
  mutant('answers of another term renew the lease', { hunt: 'terms' }, [
    'leading',
    "s.role !== 'leader' || m.term !== s.term) return;\n  const peer",
    "s.role !== 'leader') return;\n  const peer",
  ]),
  mutant('two members carry the lease, however many there are', { seed: 135 }, [
    'leading',
    'const round = rounds[majority(members.length) - 1]!;',
    'const round = rounds[1] ?? rounds[0]!;',
  ]),
  mutant('evidence without proof releases the promise', { seed: 18 }, [
    'election',
    'if (proof && s.promise?.to === s.leader)',
    'if (s.promise?.to === s.leader)',
  ]),
];
