/** When timers come due. */
import { type Mutant, mutant } from './mutant.ts';

export const timers: readonly Mutant[] = [
  mutant(
    'a timer fires after its cancellation',
    'a timer that is cancelled never comes due, one that is set again does so once',
    ['timers', '    if (i >= 0) this.#timers.splice(i, 1);\n', ''],
  ),
  mutant('a timer that is set again fires at the old time', 5, [
    'timers',
    'known.endsAtMs = endsAtMs;',
    'void endsAtMs;',
  ]),
  mutant(
    'a timer that is set again fires at the old time too',
    7,
    [
      'timers',
      'const known = this.#find(name);\n',
      'const known = this.#find(name);\n    if (known !== undefined) this.#olds.push({ ...known });\n',
    ],
    [
      'timers',
      '  /** How late the first of the timers',
      '  readonly #olds: Timer[] = [];\n  /** How late the first of the timers',
    ],
    [
      'timers',
      '    let isFirst = true;\n',
      '    const olds = this.#olds.splice(0);\n    for (const each of olds) if (each.endsAtMs > nowMs) this.#olds.push(each);\n    for (const each of olds) if (each.endsAtMs <= nowMs) onDue(each.name);\n    let isFirst = true;\n',
    ],
    ['timers', 'if (this.#isOneDue) this.#host.wake();', 'this.#host.wake();'],
  ),
  mutant(
    'timers come due in the order in which they were first set',
    'timers come due in the order of their deadlines',
    [
      'timers',
      'if (first === null || timer.endsAtMs < first.endsAtMs) first',
      'if (first === null || (timer.endsAtMs < first.endsAtMs && first.endsAtMs > this.#clock.now())) first',
    ],
  ),
  mutant('an earlier deadline does not move the alarm', 126, [
    'timers',
    'if (this.#alarmAtMs <= atMs) return;',
    'if (this.#alarmAtMs < Number.POSITIVE_INFINITY) return;',
  ]),
  mutant('after an alarm no other is set', 5, [
    'timers',
    'if (next !== null) this.#setAlarm(next.endsAtMs);',
    'void next;',
  ]),
  mutant('of a range the shortest delay is taken', 'the length of a delay is drawn from its range', [
    'timers',
    '(delay[1] - delay[0]) * this.#ports.fraction()',
    '0 * this.#ports.fraction()',
  ]),
  mutant(
    'all that comes due is said to be as late as the last',
    'a process that was blocked once is not blocked for ever',
    ['timers', '    this.blockedMs = 0;\n  }', '  }'],
  ),
];
