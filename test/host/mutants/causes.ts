/** Why it came to this: no decision rests on it, so no run of the swarm shows it. */
import { type Mutant, mutant } from './mutant.ts';

export const causes: readonly Mutant[] = [
  mutant(
    'what another member writes is shown as the cause, whatever it is',
    'a reason that no leader can have is not shown',
    [
      'explain',
      'const cause = GIVEN_UP.find((each) => each === reason?.cause);',
      'const cause = reason?.cause as Cause | undefined;\n  void GIVEN_UP;',
    ],
  ),
  mutant('what another member writes is shown as it came', 'the reason of a leader is shown in one line', [
    'explain',
    '{ cause, detail: oneLine(reason.detail) }',
    '{ cause, detail: reason.detail }',
  ]),
  mutant('a reason may be as long as a program likes', 'why a leader resigns is passed on, within bounds', [
    'explain',
    'line.length > LONGEST_DETAIL ? ',
    'line.length < 0 ? ',
  ]),
  mutant('a lease that was lost to a sleep is said to have expired', 'a sleep explains the loss of a lease', [
    'explain',
    'if (before.acting && happening.sleptMs > 0) {',
    'if (before.acting && happening.sleptMs < 0) {',
  ]),
  mutant(
    'a lease that was lost while nothing ran is said to have had no majority',
    'a lease that was lost late was lost to what blocked the process',
    ['explain', 'if (blockedMs > leaseMs / 2) {', 'if (blockedMs < 0 && leaseMs < 0) {'],
  ),
  mutant('a member that is removed is told of another leader', 'a member that is removed is told so', [
    'explain',
    'if (before.isMember && !after.isMember) return removed(self, after);',
    '',
  ]),
];
