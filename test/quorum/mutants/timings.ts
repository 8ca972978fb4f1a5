import { type Mutant, mutant } from './mutant.ts';

/** Bugs that show only where the timing changes while a cluster runs. */
export const timings: readonly Mutant[] = [
  mutant(
    'a leader counts on a longer promise than it asks for',
    { rule: 'a leader asks for a promise as long as it counts on' },
    ['timing', 'if (promiseMs > s.asksMs) s.asksMs = promiseMs;', ''],
  ),
  mutant(
    'a shorter promise is asked for while a longer lease runs',
    { scenario: 'leader-shortens-its-lease' },
    ['timing', 'if (promiseMs > s.asksMs) s.asksMs = promiseMs;', 's.asksMs = promiseMs;'],
  ),
  mutant(
    'a leader that shortens its leases counts the longer ones until it asks for less',
    { scenario: 'leader-asks-for-less' },
    [
      'leading',
      'timer: leaseTimer(s.round), delayMs: times.leaseMs',
      'timer: leaseTimer(s.round), delayMs: (times.leaseMs * promiseMs) / times.promiseMs',
    ],
  ),
  mutant('a member promises what it has set, not what it is asked for', { seed: 1790 }, [
    'leading',
    'longEnough(s, m.promiseMs ?? times.unaskedMs, out)',
    'longEnough(s, times.promiseMs, out)',
  ]),
  mutant(
    'a voter promises what it has set, not what it is asked for',
    { rule: 'a voter promises what it is asked for' },
    ['election', 'const ms = m.promiseMs ?? times.unaskedMs;', 'const ms = times.promiseMs;'],
  ),
  mutant(
    'a longer promise is not saved before it is given',
    { rule: 'a longer promise is saved before it is given' },
    ['state', 's.promiseMs = promise.ms;\n    save(s, out);', 's.promiseMs = promise.ms;'],
  ),
  mutant(
    'a late heartbeat shortens what was promised before a restart',
    { scenario: 'voter-forgets-a-longer-promise' },
    [
      'leading',
      'longEnough(s, m.promiseMs ?? times.unaskedMs, out)',
      'm.promiseMs ?? times.unaskedMs; void longEnough',
    ],
  ),
  mutant(
    'a second late heartbeat shortens what was promised before a restart',
    { rule: 'a late request ends no promise of before a restart' },
    ['timing', '  return earlier.ms;\n', '  s.earlier = null;\n  return earlier.ms;\n'],
  ),
  mutant(
    'a second change does not prolong the wait for longer leases',
    { scenario: 'leader-shortens-its-lease-twice' },
    [
      'timing',
      'if (promiseMs < s.countsMs) out',
      'if (promiseMs < s.countsMs && s.asksMs === s.countsMs) out',
    ],
  ),
  mutant(
    'a member takes a promise for saved that is only set',
    { rule: 'a promise that is only set does not count as saved' },
    ['election', 'Math.min(s.promiseMs, Math.max(times.promiseMs, s.heir?.ms ?? 0));', 'times.promiseMs;'],
  ),
  mutant('times that were set are lost with the next publication', { rule: 'times that were set stay' }, [
    'register',
    'timing = s.register.timing } = publication',
    'timing } = publication',
  ]),
  mutant(
    'a leader counts with the smaller drift until all have agreed on another',
    { rule: 'the larger drift counts until another is committed' },
    ['timing', 'Math.max(one.maxDrift, other.maxDrift)', 'Math.min(one.maxDrift, other.maxDrift)'],
  ),
  mutant(
    'a leader counts on the longer lease of two drifts',
    { rule: 'the larger drift counts until another is committed' },
    ['timing', 'leaseMs: leaseOf(promiseMs, maxDrift),', 'leaseMs: Math.max(one.leaseMs, other.leaseMs),'],
  ),
  mutant(
    'times that are set come with the default drift',
    { rule: 'times that are set leave the drift as configured' },
    ['timing', 'maxDrift: maxDrift ?? configured.maxDrift', 'maxDrift: maxDrift ?? options.maxDrift.default'],
  ),
  mutant(
    'a drift that was set is lost with other times',
    { rule: 'a drift that was set stays with other times' },
    ['timing', '...(maxDrift === undefined ? {} : { maxDrift }),', ''],
  ),
  mutant(
    'a member that lacks the new times does not wait for a leader that has longer ones',
    { rule: 'a member waits for a leader with longer times' },
    [
      'roles',
      'waitForSlot(s, s.leader, Math.max(leastMs, s.promise?.ms ?? 0), mostMs - leastMs, out);',
      'waitForSlot(s, s.leader, leastMs, mostMs - leastMs, out);',
    ],
  ),
];
