import { type Mutant, mutant } from './mutant.ts';

export const disks: readonly Mutant[] = [
  mutant('an empty disk votes at once', { seed: 4 }, [
    'recall',
    'return sendRecalls(s, times, out);\n  }\n  Object.assign(s, saved as unknown as Saved);',
    '}\n  Object.assign(s, (saved ?? {}) as unknown as Saved);',
  ]),
  mutant('an empty disk asks one member less', { seed: 4 }, [
    'recall',
    'Math.min(majority(newest.members.length), voters.length)',
    'Math.min(majority(newest.members.length), voters.length) - 1',
  ]),
  mutant('an empty disk may vote again in the term that it recalled', { hunt: 'empty disks' }, [
    'recall',
    's.votedFor = s.id; //',
    's.votedFor = null; //',
  ]),
  mutant('an empty disk forgets the term', { seed: 4 }, [
    'recall',
    's.term = Math.max(0, ...answers.map((answer) => answer.term));',
    '',
  ]),
];
