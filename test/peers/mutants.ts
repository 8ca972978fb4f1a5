/**
 * Bugs planted in `src/peers`, each a small patch over its source. Most fall to the swarm, in a seed whose processes have
 * connections: a death that is proven although the process lives, or a cluster that does not come to agree. The others fall to a
 * rule of the machine, since no run of the swarm shows them: what a stranger steals for a while is lost anyway, and a connection that
 * leads nowhere is given up by the other side too.
 */
import { type Bug, patchesIn } from '../support/plant.ts';
import type { RuleName } from './rules.ts';

export interface Mutant extends Bug {
  readonly killer: { readonly seed: number } | { readonly rule: RuleName };
}

function mutant(
  name: string,
  killer: Mutant['killer'],
  ...patches: readonly (readonly [file: string, from: string, to: string])[]
): Mutant {
  return { name, killer, patches: patchesIn('peers', patches) };
}

export const mutants: readonly Mutant[] = [
  mutant('the death of a second process is told of the first', { seed: 7 }, [
    'death-watch',
    "this.#decide({ type: 'gone', peer: this.#id, proof, life: identity.life, ...by });",
    "this.#decide({ type: 'gone', peer: this.#id, proof, life: [...this.#lives.keys()][0] ?? identity.life, ...by });",
  ]),
  mutant('another process under the id proves the death of the one before', { seed: 7 }, [
    'death-watch',
    'this.#gone(before, isDead);',
    'this.#gone(before, true);',
  ]),
  mutant('proof about an earlier life is told of the present one', { seed: 31 }, [
    'death-watch',
    "this.#decide({ type: 'gone', peer: this.#id, proof, life: identity.life, ...by });",
    "this.#decide({ type: 'gone', peer: this.#id, proof, life: this.#known?.identity.life ?? identity.life, ...by });",
  ]),
  mutant('a connection that was reset proves a death, trusted or not', { seed: 39 }, [
    'death-watch',
    'if (this.#options.trustConnections && !this.#livingOn.has(peer.life)',
    'if (!this.#livingOn.has(peer.life)',
  ]),
  mutant('a connection that this side gave up proves a death', { seed: 7 }, [
    'death-watch',
    'if (!isAbandoned(closing)) this.#livingOn.add(life);',
    "if (!isAbandoned(closing) && closing !== 'by-us') this.#livingOn.add(life);",
  ]),
  mutant('a process that said that it lives on is dead when its connection is closed', { seed: 7 }, [
    'death-watch',
    'if (!isAbandoned(closing)) this.#livingOn.add(life);',
    "if (closing === 'by-us') this.#livingOn.add(life);",
  ]),
  mutant(
    'the end of a connection that was kept counts, whichever side opened it',
    { rule: 'the end of a connection that the other side opened proves nothing if a duplicate was closed' },
    [
      'peer',
      "if (closing === 'duplicate' && this.#standing.some(({ isDialled }) => isDialled)) return;",
      "if (closing === 'duplicate') return;",
    ],
  ),
  mutant('what a process says of itself shows that it runs here', { seed: 7 }, [
    'death-watch',
    'this.#known = { identity: peer, isLocal: false };',
    'this.#known = { identity: peer, isLocal: true };',
  ]),
  mutant('a process that is not seen to be dead in time is', { seed: 31 }, [
    'death-watch',
    'else if (isDead || nowMs >= look.untilMs) this.#gone(look.about, isDead);',
    'else if (isDead || nowMs >= look.untilMs) this.#gone(look.about, true);',
  ]),
  mutant('a life that two processes used still proves a death', { seed: 111 }, [
    'death-watch',
    '} else if (before !== null && !isSameProcess(before, peer)) this.#lives.set(peer.life, null);',
    '}',
  ]),
  mutant(
    'a process is the same if it says the same life',
    { rule: 'a process that says the life of another is another one if it runs elsewhere' },
    [
      'identity',
      'return one.life === other.life && isSamePlace(one, other);',
      'return one.life === other.life && (isSamePlace(one, other) || true);',
    ],
  ),
  mutant('a peer whose connection was lost is not dialled again', { seed: 119 }, [
    'peer',
    'if (!isEnd) this.dialling.again(nowMs - this.#upSinceMs >= LASTING_MS);',
    '',
  ]),
  mutant('a peer that could not be reached is not dialled again', { seed: 119 }, [
    'dialling',
    'this.#after(delayMs ?? this.#backOff());\n',
    'void (delayMs ?? this.#backOff());\n',
  ]),
  mutant(
    'a greeting of another process replaces one that answers',
    { rule: 'a process that answers keeps its place' },
    ['peer', 'if (isHeld && oldest !== null) {', 'if (isHeld && oldest !== null && oldest < 0) {'],
  ),
  mutant(
    'a half-open connection counts as alive for ever',
    { rule: 'a connection that answers no pings is closed' },
    [
      'peer',
      'if (each.unanswered < this.#options.missedPings) continue;',
      'if (each.unanswered > 0) continue;',
    ],
  ),
  mutant(
    "a stranger's connection takes the place of the member's",
    { rule: 'messages go to the oldest connection that answers' },
    [
      'peer',
      'const first = poll.answers.findIndex((answer) => answer !== false);',
      'const first = poll.answers.findLastIndex((answer) => answer !== false);',
    ],
  ),
  mutant(
    'a connection is used before it is known which one answers',
    { rule: 'messages wait while it is found out which connection answers' },
    ['peer', 'return this.#polls.some(({ claim }) => claim === null);', 'return this.#polls.length < 0;'],
  ),
  mutant(
    'where no connection has answered, the newest is used',
    { rule: 'messages go to the oldest connection as long as none has answered' },
    ['peer', 'this.#standing[0]?.connection ?? null', 'this.#standing.at(-1)?.connection ?? null'],
  ),
  mutant(
    'an older connection that answers again is not used again',
    { rule: 'a connection that was silent for a moment is used again when it answers' },
    [
      'peer',
      'if (!this.#isPassedOver(found) || this.#isUndecided) return;',
      'if (this.#isPassedOver(found) || this.#isUndecided) return;',
    ],
  ),
  mutant(
    'an older connection that is silent is closed for a newer one that answers',
    { rule: 'a connection that was silent for a moment is used again when it answers' },
    [
      'peer',
      'const newer = poll.asked.slice(poll.asked.indexOf(oldest) + 1);',
      'const newer = poll.asked.filter((each) => each !== oldest);',
    ],
  ),
  mutant(
    'a connection that was closed after its answer has answered',
    { rule: 'messages do not go by the answer of a connection that is closed' },
    [
      'peer',
      'const isKnown = poll.answers[at] === false || poll.answers[at] === answered;',
      'const isKnown = poll.answers[at] !== null;',
    ],
  ),
  mutant(
    'another process takes the place of one that has connected again',
    { rule: 'a process that connects again while another claims its place keeps it' },
    [
      'peer',
      'if (isHeld && this.#standing.some((each) => !asked.includes(each.connection)))',
      'if (isHeld && this.#standing.length < asked.length - asked.length)',
    ],
  ),
  mutant(
    'an id that spoke by POST casts no doubt on who connects next',
    { rule: 'a process that connects after its id spoke by POST proves nothing' },
    [
      'death-watch',
      'this.#lives.set(peer.life, isDoubtful ? null : peer);',
      'this.#lives.set(peer.life, isDoubtful && !isDoubtful ? null : peer);',
    ],
  ),
  mutant(
    'any process that authenticates itself is a trusted witness',
    { rule: 'only a witness that is trusted is believed' },
    [
      'witness',
      '(trusted !== true && !trusted.includes(witness.id))',
      '(trusted !== true && trusted.length < 0)',
    ],
  ),
  mutant(
    'witnesses are believed although none is trusted',
    { rule: 'no witness is believed unless that is configured' },
    ['witness', 'if (trusted === false || ', 'if (trusted !== false && '],
  ),
  mutant('a witness attests for every host', { rule: 'a witness attests for its own host alone' }, [
    'witness',
    "witness.host === null || !isSameHost(witness.host, report.process) ? 'other-host' : null",
    "witness.host === null ? 'other-host' : null",
  ]),
  mutant(
    'a boot id alone names a host, whatever the namespace of the pids is',
    { rule: 'a witness attests for its own namespace of pids alone' },
    [
      'witness',
      'return one.bootId === other.bootId && one.pidNamespace === other.pidNamespace;',
      'return one.bootId === other.bootId && (one.pidNamespace === other.pidNamespace || true);',
    ],
  ),
  mutant(
    'a report about a life that is not known counts',
    { rule: 'a report about a life that never greeted has no effect' },
    [
      'death-watch',
      "if (greeted === undefined) return 'unknown-life';",
      'if (greeted === undefined) return null;',
    ],
  ),
  mutant(
    'a report about another process with the same life counts',
    { rule: 'a report counts only for the process that greeted' },
    [
      'death-watch',
      "if (greeted.process === null || !isSamePid(greeted.process, process)) return 'other-process';",
      "if (greeted.process === null || !isSamePid(process, process)) return 'other-process';",
    ],
  ),
  mutant(
    'a report about a life that two processes used counts',
    { rule: 'a report about a life that two processes used has no effect' },
    ['death-watch', "if (greeted === null) return 'doubtful-life';", 'if (greeted === null) return null;'],
  ),
  mutant(
    'a late report about an earlier life is told of the present one',
    { rule: 'a late report about an earlier life has no effect' },
    ['death-watch', "if (this.#known?.identity.life !== life) return 'earlier-life';", 'void life;'],
  ),
  mutant('a report that is replayed counts again', { rule: 'a report that is replayed has no effect' }, [
    'death-watch',
    "if (this.#proven.has(life) || this.#witnesses.has(life)) return 'known';",
    '',
  ]),
  mutant(
    'a process that was reported dead and greets again is as certain as before',
    { rule: 'a process that greets after it was reported dead proves nothing any more' },
    ['death-watch', 'if (this.#witnesses.has(peer.life)) {', 'if (this.#witnesses.size < 0) {'],
  ),
  mutant(
    'a process that is only suspected to be dead is reported',
    { rule: 'what was not seen is not reported' },
    ['death-watch', 'if (isDead && process !== null) this.#attest(', 'if (process !== null) this.#attest('],
  ),
  mutant(
    'a process that was seen to be dead is not reported',
    { rule: 'a death that was seen is reported to those that take reports, before anything else' },
    [
      'death-watch',
      'if (isDead && process !== null) this.#attest(',
      'if (isDead && process === null) this.#attest(',
    ],
  ),
  mutant(
    'reports are sent to members of earlier releases',
    { rule: 'nothing is reported to a member that takes no reports' },
    [
      'peers',
      'process?.features?.includes(TAKES_REPORTS)',
      '(process?.features?.includes(TAKES_REPORTS) || true)',
    ],
  ),
  mutant(
    'a member that reports its own death is believed',
    { rule: 'a member that reports its own death lives' },
    ['witness', "if (witness.isMember && report.id === witness.id) return 'of-itself';", ''],
  ),
  mutant(
    'what a process that was reported dead still sends is taken',
    { rule: 'the connections of a process that was reported dead are closed' },
    [
      'peer',
      "      this.#decide({ type: 'terminate', connection, why });\n      this.onClosed(connection, 'by-us', why, nowMs);\n",
      '      if (connection < 0) this.onClosed(connection, why as Closing, why, nowMs);\n',
    ],
  ),
  mutant(
    'a suspicion does not wait for the report',
    { rule: 'a suspicion waits for the report of a witness, and not for long' },
    [
      'death-watch',
      'else if (this.#canBeReported(peer)) {',
      'else if (nowMs < 0 && this.#canBeReported(peer)) {',
    ],
  ),
];
