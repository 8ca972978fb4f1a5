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
    "this.#decide({ type: 'gone', peer: this.#id, proof, life: identity.life });",
    "this.#decide({ type: 'gone', peer: this.#id, proof, life: [...this.#lives.keys()][0] ?? identity.life });",
  ]),
  mutant('another process under the id proves the death of the one before', { seed: 7 }, [
    'death-watch',
    'this.#gone(before, isDead);',
    'this.#gone(before, true);',
  ]),
  mutant('proof about an earlier life is told of the present one', { seed: 31 }, [
    'death-watch',
    "this.#decide({ type: 'gone', peer: this.#id, proof, life: identity.life });",
    "this.#decide({ type: 'gone', peer: this.#id, proof, life: this.#known?.identity.life ?? identity.life });",
  ]),
  mutant('a connection that was reset proves a death, trusted or not', { seed: 39 }, [
    'death-watch',
    'if (this.#trustConnections && !this.#livingOn.has(peer.life)',
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
  mutant('a life that two processes used still proves a death', { seed: 383 }, [
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
];
