/** Who may act, by the clock. */
import { type Mutant, mutant } from './mutant.ts';

export const holds: readonly Mutant[] = [
  mutant('a lapsed token is granted again', 1, [
    'hold',
    'token !== null && token === this.#lapsed;',
    'token !== null && token === this.#lapsed && token < 0n;',
  ]),
  mutant('a leadership without a lease lapses', 'a leadership without a lease may come back', [
    'hold',
    'if (stoodOn !== null) this.#lapsed',
    'this.#lapsed',
  ]),
  mutant('a lease without its timer never ends', 15, [
    'hold',
    'if (timer === undefined || timer.sleeps !== sleeps) return NO_LEASE;',
    'if (timer === undefined) return ENDLESS;\n  if (timer.sleeps !== sleeps) return NO_LEASE;',
  ]),
  mutant('the lease is longer than its timer', 7, [
    'hold',
    '  return timer;\n',
    '  return { endsAtMs: timer.endsAtMs + timer.lengthMs, lengthMs: timer.lengthMs };\n',
  ]),
  mutant('a sleep does not end a lease', 'a sleep ends every lease', [
    'hold',
    'if (timer === undefined || timer.sleeps !== sleeps) return NO_LEASE;',
    'if (timer === undefined || timer.sleeps > sleeps) return NO_LEASE;',
  ]),
  mutant(
    'a sleep that nothing came of explains a later loss',
    'a sleep that ended nothing explains nothing',
    ['hold', ' &&\n      this.#clock.sleeps === this.#sleeps\n', '\n'],
  ),
  mutant(
    'a new token is held as the leadership before',
    'another token is another leadership, and the one before is over',
    ['hold', 'hasRunOut || !mayAct || this.held.token !== (token ?? 0n)', 'hasRunOut || !mayAct'],
  ),
  mutant(
    'a leadership that has ended lasts as long as the next one',
    'another token is another leadership, and the one before is over',
    [
      'hold',
      'return this.held === held ? this.#host.lease.endsAtMs : 0;',
      'return this.held !== null || held === null ? this.#host.lease.endsAtMs : 0;',
    ],
  ),
  mutant(
    'a sleep that was not yet noticed does not end a lease',
    'a sleep that is noticed by looking ends a lease at that look',
    ['hold', 'this.#clock.now(); // Detects a sleep of the machine, which ends every lease.', ''],
  ),
  mutant('a leader that may not act is shown as one', 'a leader that may not act is not shown as one', [
    'hold',
    'view.leader === this.#self && !acting ? null : view.leader',
    'view.leader',
  ]),
  mutant('a loss is told twice', 'a loss is told once', [
    'hold',
    'if (isSame(before, after)) return;',
    'if (isSame(before, after) && before.acting) return;',
  ]),
  mutant('the history has no end', 'a thousand changes are kept', [
    'hold',
    'if (this.#changes.length > LONGEST_HISTORY) this.#changes.shift();',
    'void LONGEST_HISTORY;',
  ]),
];
