/** Inputs, commands, and what a host does about a leadership that lapsed. */
import { type Mutant, mutant } from './mutant.ts';

export const hosts: readonly Mutant[] = [
  mutant('of the records of a step the first is saved', 1, [
    'protocol-host',
    'unsaved = lastSaveIn(effects);',
    'unsaved = effect;',
  ]),
  mutant('a record at the end of a step is not saved', 1, [
    'protocol-host',
    'if (unsaved !== null) this.#outbox.save(unsaved.record);\n    if (this.#outbox.isHolding)',
    'if (this.#outbox.isHolding)',
  ]),
  mutant('what stands before a record waits for it', 'what stands before a record does not wait for it', [
    'protocol-host',
    'let unsaved: Save | null = null;',
    'let unsaved: Save | null = lastSaveIn(effects);',
  ]),
  mutant('what stands behind a record leaves before it is saved', 1, [
    'protocol-host',
    'if (unsaved !== null) {\n',
    "if (unsaved !== null && effect.type === 'report') {\n",
  ]),
  mutant('a lapsed leadership is not given up', 8, [
    'protocol-host',
    "if (verdict === 'lapsed') this.#startOver();",
    '',
  ]),
  mutant(
    'a lapsed leadership is given up and no new one asked for',
    'a lapsed token is not held again: the host resigns and asks for another',
    [
      'protocol-host',
      'if (successorIn(effects, ending) === null)',
      'if (successorIn(effects, ending) !== null)',
    ],
  ),
  mutant(
    'a member that hands a lapsed leadership over competes with its successor',
    'a lapsed leadership that is handed over is not asked for again',
    ['protocol-host', 'if (successorIn(effects, ending) === null)\n', ''],
  ),
  mutant('the answers to commands that a host gives itself are told', 1, [
    'protocol-host',
    'if (effect.command !== OWN_COMMAND) this',
    'this',
  ]),
  mutant('the answer to a command is told of the one before', 1, [
    'protocol-host',
    'this.#ports.answered(effect.command, effect.outcome)',
    'this.#ports.answered(effect.command - 1, effect.outcome)',
  ]),
  mutant('a message comes before what the clock has made due', 'what is due comes before what arrives', [
    'protocol-host',
    '      if (work === null) this.#timers.runDue((timer) => this.#onDue(timer));\n      else work();\n      if (input !== null) this.#take(input);\n',
    '      if (input !== null) this.#take(input);\n      if (work === null) this.#timers.runDue((timer) => this.#onDue(timer));\n      else work();\n',
  ]),
  mutant(
    'an input that comes during a step is taken within it',
    'an input that comes during a step waits for its end',
    ['protocol-host', 'if (this.#isBusy) this.#inputs.push(input);\n    else this', 'this'],
  ),
  mutant(
    'a save that ends during a step is looked at before the rest of the step',
    'a save that ends within a step is looked at after the step',
    ['protocol-host', 'if (this.#isBusy) return;', ''],
  ),
  mutant(
    'the cause of what a slow disk held up is lost',
    'what a slow disk held up keeps its cause, whatever comes meanwhile',
    [
      'protocol-host',
      'this.#exclusively(() => this.#reconsider(input, effects));',
      'this.#exclusively(() => this.#reconsider(input === null ? input : null, effects));',
    ],
  ),
  mutant('why a leader resigns is lost', 'why a leader resigns is passed on, within bounds', [
    'explain',
    'why: boundedReason(why ?? reasonOf(self, command))',
    'why: boundedReason(reasonOf(self, command) ?? why)',
  ]),
  mutant('may I act? is answered by what was reported', 7, [
    'protocol-host',
    'return this.held !== null && this.#ports.clock.now() < this.lease.endsAtMs;',
    'return this.held !== null;',
  ]),
  mutant('may I act? is answered by the lease alone', 1, [
    'protocol-host',
    'return this.held !== null && this.#ports.clock.now() < this.lease.endsAtMs;',
    'return this.#ports.clock.now() < this.lease.endsAtMs;',
  ]),
  mutant(
    'a lease ends when it is renewed, although the disk still holds the renewal up',
    'a renewed lease waits for the disk, and the one that was shown holds until its end',
    [
      'protocol-host',
      'return this.#shown.lease(this.resting.lease, this.#ports.clock);',
      "return { endsAtMs: 0, lengthMs: 0, ...this.#timers.get(this.view.lease ?? '') };",
    ],
  ),
  mutant(
    'a lease whose renewal the disk holds up ends unnoticed',
    'a renewed lease waits for the disk, and the one that was shown holds until its end',
    ['protocol-host', '    if (this.#outbox.isHolding) this.#watchLapse();\n', ''],
  ),
  mutant(
    'a lease that ended while its renewal waited for the disk is renewed',
    'a renewal that a disk held up for longer than the lease renews nothing',
    ['protocol-host', 'if (!this.#isBusy) this.#holder.look();', ''],
  ),
  mutant(
    'the timer of a lease is looked up when its report leaves',
    'a lease that was renewed twice behind a slow disk is shown as it was reported',
    [
      'protocol-host',
      'this.#shown.report(effect.view, effect.lease);',
      "this.#shown.report(effect.view, this.#timers.get(effect.view.lease ?? ''));",
    ],
  ),
  mutant('the timers of a closed host go on', 'a closed host has no alarms', [
    'protocol-host',
    '    this.#timers.clear();\n',
    '',
  ]),
  mutant(
    'a closed host takes inputs',
    'a closed host takes nothing and leads nothing',
    ['protocol-host', '    if (!this.isRunning) return [];\n', ''],
    ['protocol-host', '    if (!this.isRunning) return;\n    if (this.#isBusy)', '    if (this.#isBusy)'],
  ),
  mutant(
    'a closed host still leads',
    'a closed host takes nothing and leads nothing',
    ['protocol-host', '    this.#holder.close();\n', ''],
    ['protocol-host', '    this.#shown.close();\n', ''],
  ),
  mutant(
    'a protocol that goes on leading after a lapse is asked to resign without end',
    'a lapsed token is not held again: the host resigns and asks for another',
    ['protocol-host', 'if (this.#isStartingOver || !this', 'if (!this'],
  ),
  mutant('a lease that ran out unnoticed is renewed', 554, [
    'protocol-host',
    '    this.#holder.look();\n    const effects = this.#step(input);\n',
    '    const effects = this.#step(input);\n',
  ]),
];
