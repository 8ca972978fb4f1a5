/** What waits for the disk, and what does not. */
import { type Mutant, mutant } from './mutant.ts';

export const outbox: readonly Mutant[] = [
  mutant('a message passes a save that is under way', 1, [
    'outbox',
    'else if (this.#line.length === 0) this.#host.emit(effect);',
    "else if (this.#line.length === 0 || effect.type === 'send') this.#host.emit(effect);",
  ]),
  mutant('a report passes a save that is under way', 1, [
    'outbox',
    'else if (this.#line.length === 0) this.#host.emit(effect);',
    "else if (this.#line.length === 0 || effect.type === 'report') this.#host.emit(effect);",
  ]),
  mutant('an answer passes a save that is under way', 7, [
    'outbox',
    'else if (this.#line.length === 0) this.#host.emit(effect);',
    "else if (this.#line.length === 0 || effect.type === 'answer') this.#host.emit(effect);",
  ]),
  mutant('the first message behind a save does not wait', 1, [
    'outbox',
    'else this.#line.push(effect);',
    "else if (this.#line.length === 1 && effect.type === 'send') this.#host.emit(effect);\n    else this.#line.push(effect);",
  ]),
  mutant('a failed save counts as done', 120, [
    'outbox',
    'if (failure === null) this.#onSaved',
    'if (failure === null || failure !== null) this.#onSaved',
  ]),
  mutant('the end of one save lets out what waits for a later one', 1, [
    'outbox',
    "if (first.type === 'barrier' && !this.#isOpen(first)) break;",
    '',
  ]),
  mutant('a message that was held back is sent twice', 'a message that waited is sent once', [
    'outbox',
    '      this.#host.emit(first);\n',
    "      this.#host.emit(first);\n      if (first.type === 'send') this.#host.emit(first);\n",
  ]),
  mutant('a message that was held back is forgotten', 5, [
    'outbox',
    '      this.#host.emit(first);\n',
    "      if (first.type !== 'send') this.#host.emit(first);\n",
  ]),
  mutant(
    'an older save that ends opens what a newer one has shut',
    'an older record opens nothing that a newer one has shut',
    ['outbox', 'if (this.#refused !== null) return; // A newer record was refused since.', ''],
  ),
  mutant(
    'an older record that is refused late takes the place of a newer one',
    'an older record that was refused is not saved after a newer one',
    ['outbox', 'else if (number === this.#saves) this.#onRefused', 'else this.#onRefused'],
    ['outbox', '      else this.#onReplaced(barrier);\n', ''],
  ),
  mutant(
    'of two records that are refused the one that was refused last is tried again',
    'of records that were refused the newest is tried again, whichever was refused last',
    [
      'outbox',
      'else if (number === this.#saves) this.#onRefused',
      'else if (number === this.#saves || this.#refused !== null) this.#onRefused',
    ],
  ),
  mutant(
    'what waited for a record that was refused does not wait for the newer one',
    'an older record that was refused is not saved after a newer one',
    ['outbox', 'isDurable || (isReplaced && ', 'isDurable || (isReplaced || '],
  ),
  mutant(
    'what waited for a record that was refused waits for ever',
    'an older record that was refused is not saved after a newer one',
    ['outbox', 'return isDurable || (isReplaced && ', 'return isDurable || (!isDurable && !isReplaced && '],
  ),
  mutant(
    'a record that was refused after the newer one was durable is waited for',
    'a record that is refused after a newer one was durable shuts nothing',
    ['outbox', '    if (this.#letOut()) this.#host.onBarrier();\n', ''],
  ),
  mutant('a disk that refused a record is not tried again', 396, [
    'outbox',
    'this.#cancelRetry ??= clock.set(clock.after(DISK_RETRY_MS), () => this.#retry());',
    'void [clock, DISK_RETRY_MS, this.#retry];',
  ]),
  mutant(
    'a report that was held back is forgotten',
    'a record that was refused is tried again, and then all is told',
    ['outbox', 'if (this.#heldBack !== null) this.#line.push(this.#heldBack);', ''],
  ),
  mutant('a report that was held back is told before the record is durable', 120, [
    'outbox',
    'if (this.#heldBack !== null) this.#line.push(this.#heldBack);',
    'if (this.#heldBack !== null) this.#host.emit(this.#heldBack);',
  ]),
  mutant('a report that was held back is told again with every record', 396, [
    'outbox',
    '    this.#heldBack = null;\n    this.#ports.save',
    '    this.#ports.save',
  ]),
  mutant('stepping down waits for a slow disk', 3, [
    'outbox',
    '      this.#stopActing(report);\n    }\n    this.#line.push',
    '    }\n    this.#line.push',
  ]),
  mutant('stepping down waits for a disk that refuses records', 363, [
    'outbox',
    '      if (!mayAct(effect)) this.#stopActing(effect);\n',
    '',
  ]),
  mutant(
    'a leader that steps down tells at once what a crash may undo',
    'a leader stops at once, whatever its disk does',
    [
      'outbox',
      '{ ...view, role, leader: null, lease: null };\n    this.#host.emit',
      '{ ...next.view };\n    this.#host.emit',
    ],
    [
      'outbox',
      '#stopActing({ view: { role, lease } }: Report): void {\n',
      '#stopActing(next: Report): void {\n    const { role, lease } = next.view;\n',
    ],
  ),
  mutant(
    'a leader that gives up its lease acts until its disk is done',
    'a leader that gives up its lease stops at once, whatever its disk does',
    [
      'outbox',
      "return view.role === 'leader' && (view.lease === null || lease !== undefined);",
      "return view.role === 'leader' && (view.lease === null || lease !== undefined || lease === undefined);",
    ],
  ),
  mutant('a leadership that was given up is reported once the disk is done', 946, [
    'outbox',
    "this.#line = this.#line.filter((each) => each.type !== 'report');",
    '',
  ]),
  mutant('a command is done although the disk refused its record', 582, [
    'outbox',
    "outcome: outcome.status === 'done' ? BARRED : outcome",
    "outcome: outcome.status === 'failed' ? BARRED : outcome",
  ]),
  mutant('messages leave although the disk refused the record', 120, [
    'outbox',
    "    } else if (effect.type === 'answer') {",
    "    } else if (effect.type === 'send') this.#host.emit(effect);\n    else if (effect.type === 'answer') {",
  ]),
  mutant('a closed host lets out what waited for a save', 'a closed host lets nothing out', [
    'outbox',
    '    this.#isStopped = true;\n    this.#line = [];\n',
    '',
  ]),
  mutant('a closed host goes on saving', 785, [
    'outbox',
    '    this.#isStopped = true;\n    this.#line = [];\n    this.#cancelRetry?.();\n    this.#cancelRetry = null;\n',
    '    this.#line = [];\n',
  ]),
  mutant(
    'what a save let out is not looked at',
    'a leadership that waited for a disk is taken up when its record is durable',
    [
      'outbox',
      'if (wasShut || hasEmitted) this.#host.onBarrier();',
      'if (wasShut && !hasEmitted) this.#host.onBarrier();',
    ],
  ),
  mutant(
    'a disk that works again is not told',
    'a record that was refused is tried again, and then all is told',
    ['outbox', '    this.illness = null;\n', ''],
  ),
  mutant('that a disk refuses records is not told', 'that a disk refuses a record is told when it does', [
    'outbox',
    'if (!wasShut) this.#host.onBarrier();',
    '',
  ]),
];
