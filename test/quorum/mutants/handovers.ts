import { type Mutant, mutant } from './mutant.ts';

export const handovers: readonly Mutant[] = [
  mutant('a leader goes on acting while it hands over', { seed: 1 }, [
    'commands',
    's.transfer = { to, command };\n  endLeases(s, out);',
    's.transfer = { to, command };',
  ]),
  mutant('consent to a transfer never ends', { seed: 884 }, [
    'state',
    'release.term !== promise.term || release.round < promise.round',
    'release.term !== promise.term',
  ]),
  mutant('a candidate claims a consent that nobody gave', { hunt: 'leases' }, [
    'election',
    'if (isMajority(s, granted.length)) startVote(s, null, times, out);',
    'if (isMajority(s, granted.length)) startVote(s, { term: s.term, round: 1000 }, times, out);',
  ]),
  mutant('a late heartbeat takes the place of a newer promise', { hunt: 'transfers' }, [
    'leading',
    "if (s.role !== 'leader' && !isPromisedLater(s, from, m)) {",
    "if (s.role !== 'leader') {",
  ]),
  mutant('a late vote takes the place of a newer promise', { hunt: 'transfers' }, [
    'election',
    'if (isPromisedLater(s, from, { term: m.term, round: VOTES })) return;\n',
    '',
  ]),
];
