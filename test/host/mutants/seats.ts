/** Bugs in the seat of a program on a host. No run of the swarm has programs. */
import { type Mutant, seatMutant } from './mutant.ts';

export const seats: readonly Mutant[] = [
  seatMutant(
    'a program that only observes is shown the lead of its member as its own',
    'a program that does not stand holds nothing',
    ['held: this.#isStanding ? held : null,', 'held,'],
  ),
  seatMutant(
    'a program that stands does not get its priority',
    'a program that stands is given its priority once, and asks where there is no leader',
    ["void this.#host.order({ type: 'priority', priority: this.#priority });", ''],
  ),
  seatMutant(
    'a program that stands where there is no leader waits for a time-out',
    'a program that stands is given its priority once, and asks where there is no leader',
    ["else if (this.#host.view.leader === null) void this.#host.order({ type: 'campaign' });", ''],
  ),
  seatMutant(
    'a program that stands twice asks twice',
    'a program that stands is given its priority once, and asks where there is no leader',
    ['if (this.#isStanding) return;', ''],
  ),
  seatMutant(
    'a program that stands calls an election although one leads',
    'a program that stands disturbs no leader',
    ['if (this.#host.view.leader === null) void', 'void'],
  ),
  seatMutant(
    'a program that begins to stand is not told what its member holds',
    'a program that begins to stand is told what its member holds',
    ['    a.held === b.held &&\n', ''],
  ),
  seatMutant(
    'a member whose program has withdrawn still wants to lead',
    'a program that withdraws stands no more, says why, and is told why',
    ["this.#host.order({ type: 'priority', priority: 0 }, this.#said(why))", 'Promise.resolve()'],
  ),
  seatMutant(
    'a program that withdraws is told of its loss before the reason is known',
    'a program that withdraws stands no more, says why, and is told why',
    [
      "const released = this.#can('priority')",
      "this.#isStanding = false;\n    this.#onChange();\n    const released = this.#can('priority')",
    ],
  ),
  seatMutant(
    'the others are not told why a program withdraws',
    'a program that withdraws stands no more, says why, and is told why',
    [
      "this.#host.order({ type: 'priority', priority: 0 }, this.#said(why))",
      "this.#host.order({ type: 'priority', priority: 0 }, undefined)",
    ],
  ),
  seatMutant(
    'the others are told why, but not which member',
    'a program that withdraws stands no more, says why, and is told why',
    ['{this.name} resigned: ', "{''}"],
  ),
  seatMutant(
    'a program whose protocol knows no priorities keeps what it holds',
    'a program whose protocol knows no priorities gives up what it holds',
    [': this.#giveUp(why);', ': Promise.resolve();'],
  ),
  seatMutant('a member that does not lead resigns', 'only a leader resigns', [
    "    if (this.#host.view.role !== 'leader') return;\n    if (!this.#can('resign'))",
    "    if (!this.#can('resign'))",
  ]),
  seatMutant('a protocol that cannot resign is asked to', 'a protocol that cannot resign is not asked to', [
    "if (!this.#can('resign')) throw unsupported(this.#host.protocol, 'resign');",
    '',
  ]),
  seatMutant(
    'a program that does not hold the lead publishes',
    'only a program that holds the lead publishes',
    ['if (this.standing.held === null) {', 'if (this.#host.held === null) {'],
  ),
  seatMutant('a command that failed is told as done', 'a command that was not carried out is an error', [
    "if (outcome.status === 'failed') {",
    "if (outcome.status === 'failed' && outcome.effect === 'definite') {",
  ]),
  seatMutant('a command that was refused is told as done', 'a command that was not carried out is an error', [
    "if (outcome.status === 'refused') throw",
    "if (outcome.status === 'refused' && what === '') throw",
  ]),
  seatMutant(
    'a transfer that cannot come about is begun',
    'a transfer that the host would refuse is refused beforehand',
    ['return reason === null ? null : new', 'return reason !== null ? null : new'],
  ),
  seatMutant(
    'a leader that may not act is shown to programs',
    'a leader that may not act is shown to no program',
    ["const isIdle = view.role === 'leader' && held === null;", "const isIdle = view.role === 'none';"],
  ),
  seatMutant('a standing is as it was when it was last told', 'a standing is always as it is now', [
    'const now = this.#look();',
    'const now = this.#told;',
  ]),
  seatMutant('a program is told of what did not change', 'a program is told each change once', [
    'if (standing === this.#told) return;',
    '',
  ]),
  seatMutant('a new value is not told', 'a program is told each change once', [
    '    a.version === b.version &&\n',
    '',
  ]),
  seatMutant('a new reason is not told', 'a program is told each change once', [
    ' &&\n    a.cause === b.cause &&\n    a.detail === b.detail',
    '',
  ]),
  seatMutant('a listener that was taken away is told', 'a listener that was taken away is told nothing', [
    'this.#listeners = this.#listeners.filter((each) => each !== listener);',
    'void listener;',
  ]),
  seatMutant(
    'a seat that is closed keeps the lead',
    'a seat that is closed gives up, tells nothing more, and stands no more',
    ["    await this.withdraw({ cause: 'closed', detail: 'the election was closed' });\n", ''],
  ),
  seatMutant(
    'a seat that is closed can stand again',
    'a seat that is closed gives up, tells nothing more, and stands no more',
    ['    this.isClosed = true;\n', ''],
  ),
  seatMutant(
    'a seat that is closed goes on telling',
    'a seat that is closed gives up, tells nothing more, and stands no more',
    ['    this.#unsubscribe();\n    this.#listeners = [];\n', ''],
  ),
];
