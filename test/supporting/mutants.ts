/**
 * Bugs planted in support (`src/support`), in how an election of `quorum` rests, and in how the host wakes it. Most fall
 * to a storm over several elections (`src/simulation/many`), the others to a rule.
 */
import type { Bug } from '../support/plant.ts';
import type { RuleName } from './rules.ts';

export interface Mutant extends Bug {
  readonly killer: { readonly seed: number } | { readonly rule: RuleName };
}

function mutant(name: string, killer: Mutant['killer'], file: string, from: string, to: string): Mutant {
  return { name, killer, patches: [{ file, from, to }] };
}

const giving = 'support/giving';
const asking = 'support/asking';
const endings = 'support/endings';
const resting = 'protocols/quorum/resting';

export const mutants: readonly Mutant[] = [
  mutant(
    'a late request renews the promise',
    { rule: 'a late request renews nothing' },
    giving,
    'if (m.round <= given.round) return; // Late or duplicate: it must not replace a newer promise.',
    '',
  ),
  mutant(
    'what the leader woke goes on resting',
    { rule: 'what the leader woke is awake before the promise is renewed' },
    giving,
    'for (const election of news) given.resting.get(election)?.host.wake();',
    '',
  ),
  mutant(
    'a voter rests without looking whether it follows that leader',
    { seed: 1 },
    giving,
    'if (host === null || !host.accepts({ leader, life, mark, promiseMs, round })) return false;',
    'if (host === null || host.accepts({ leader, life, mark, promiseMs, round }) === undefined) return false;',
  ),
  mutant(
    'a voter does not say that an election woke',
    { seed: 46 },
    giving,
    'given.own.add(this.#election);',
    '',
  ),
  mutant(
    'the promise of an election that wakes ends early',
    { seed: 1 },
    giving,
    'sentAtMs: given.heardAtMs } };',
    'sentAtMs: given.heardAtMs - given.promiseMs } };',
  ),
  mutant(
    'the promise of an election that wakes has the round of its rest',
    { rule: 'an election that wakes has promised the newest round' },
    giving,
    'round: given.round + this.ahead,',
    'round: this.ahead + 1,',
  ),
  mutant(
    'another process of the leader is taken for the one before',
    { seed: 8 },
    giving,
    'if (known?.life === life) return known;',
    'if (known !== undefined) return known;',
  ),
  mutant(
    'no election wakes when the leader is silent',
    { rule: 'elections wake when the leader is silent' },
    giving,
    'if (this.#ports.clock.now() >= given.heardAtMs + given.promiseMs) this.#wakeAll(given);',
    'if (this.#ports.clock.now() >= given.heardAtMs + given.promiseMs) return;',
  ),
  mutant(
    'a lying sender uses up the numbers of the requests',
    { rule: 'a request far ahead is ignored' },
    giving,
    'if (given.round > 0 && m.round > given.round + LARGEST_STEP) return;',
    '',
  ),
  mutant(
    'elections that woke are forgotten before the other side knows',
    { seed: 46 },
    endings,
    'if (ended > count) return;',
    '',
  ),
  mutant(
    'too many endings to list are none',
    { rule: 'too many endings to list end every rest' },
    endings,
    'if (this.#unseen.size > MOST_LISTED) return null;',
    'if (this.#unseen.size > MOST_LISTED) return [];',
  ),
  mutant(
    'an ending counts each time it is listed',
    { rule: 'an ending counts once' },
    endings,
    'if (each.count > before) news.push(each.election);',
    'news.push(each.election);',
  ),
  mutant(
    'an answer to a request that was never sent counts',
    { rule: 'an answer to a request that was not sent is ignored' },
    asking,
    'm.to !== this.#ports.life || m.round > this.#round',
    'm.to !== this.#ports.life',
  ),
  mutant(
    'an answer to an earlier process counts',
    { rule: 'an answer to another process is ignored' },
    asking,
    'm.to !== this.#ports.life || m.round > this.#round',
    'm.round > this.#round',
  ),
  mutant(
    'elections go on resting with another process of the voter',
    { rule: 'nothing rests with another process of a voter' },
    asking,
    'if (voter.life !== m.life) this.#meet(voter, m.life);',
    'voter.life = m.life;',
  ),
  mutant(
    'a late answer counts',
    { rule: 'a late answer is ignored' },
    asking,
    'if (m.round <= voter.answered) return; // Late or duplicate.',
    '',
  ),
  mutant(
    'an answer counts in elections that do not rest with the voter any more',
    { seed: 46 },
    asking,
    'for (const name of ended) this.#unback(voter, name);',
    '',
  ),
  mutant(
    'an answer about an earlier rest counts',
    { rule: 'an answer about an earlier rest does not count' },
    asking,
    'return led !== undefined && round > led.restedIn;',
    'return led !== undefined;',
  ),
  mutant(
    'a voter that cannot rest is not told',
    { rule: 'an election that a voter refuses wakes' },
    asking,
    'for (const name of m.refused) if (this.#isOffered(voter, name, m.round)) this.#led.get(name)!.host.wake();',
    '',
  ),
  mutant(
    'a lease is counted from the answer',
    { seed: 187 },
    asking,
    'const sentAtMs = timer.endsAtMs - timer.lengthMs;',
    'const sentAtMs = clock.now();',
  ),
  mutant(
    'a voter counts although the election does not rest with it',
    { seed: 20 },
    asking,
    'backers.includes(id) ? this.#voters.get(id)!.answered : 0,',
    'this.#voters.get(id)!.answered,',
  ),
  mutant(
    'a lease that has ended is renewed',
    { seed: 9 },
    asking,
    `    // A lease that has ended is not renewed: its leadership ends (host/hold.ts).
    this.#wakeThoseWithoutLease();`,
    '',
  ),
  mutant(
    'the voters are not told that an election woke',
    { rule: 'voters are told which elections woke' },
    asking,
    'voter.own.add(led.name);',
    '',
  ),
  mutant(
    'a lease survives a sleep of the machine',
    { rule: 'a sleep of the machine ends every lease' },
    asking,
    'if (best === null || best.sleeps !== this.#ports.clock.sleeps) return',
    'if (best === null) return',
  ),
  mutant(
    'an election rests although a voter that answers cannot',
    { rule: 'no election rests while a voter that answers does not understand it' },
    asking,
    'if (!answering.every((id) => this.#ports.understands(id) === true)) return false;',
    '',
  ),
  mutant(
    'elections with other times rest together',
    { rule: 'elections with other times do not rest together' },
    asking,
    'if (!isSame(this.#times!, offer.times)) return false;',
    '',
  ),
  mutant(
    'a process whose elections have a lease of before only is not asked for long',
    { seed: 2 },
    asking,
    'this.#tickBy(clock.after(times.heartbeatMs));',
    'this.#tickBy(clock.after(times.heartbeatMs * 4));',
  ),
  mutant(
    'a voter rests in another term than the leader',
    { rule: 'a voter rests only with the term and register of the leader' },
    resting,
    '  if (promise.ms !== promiseMs || promise.round >= round || mark !== markOf(s, s.priority)) return false;',
    '  if (promise.ms !== promiseMs) return false;',
  ),
  mutant(
    'a leader that wakes has longer leases',
    { seed: 4 },
    resting,
    'delayMs: leaseMs,',
    'delayMs: leaseMs * 2,',
  ),
  mutant(
    'a follower that wakes has a shorter promise',
    { seed: 26 },
    resting,
    "{ timer: 'promise', delayMs: promise.ms,",
    "{ timer: 'promise', delayMs: promise.ms / 4,",
  ),
  mutant(
    'what a late request of an earlier process woke is forgotten',
    { seed: 5476 },
    giving,
    'if (known !== undefined) given.own.addAll(known.own.count);',
    '',
  ),
  mutant(
    'a late request of an earlier process starts the counts again',
    { rule: 'what a late request of an earlier process woke is told to the leader' },
    giving,
    'if (known !== undefined) given.own.addAll(known.own.count);',
    '',
  ),
  mutant(
    'a count of another process confirms an ending',
    { rule: 'a count of another process confirms no ending' },
    giving,
    'if (m.to === this.#ports.life) given.own.seen(m.seen);',
    'given.own.seen(m.seen);',
  ),
  mutant(
    'a voter goes on with an earlier rest',
    { rule: 'a voter that missed the end of a rest begins the next one' },
    giving,
    'if (known?.mark === mark && known.ahead === ahead) return true;',
    'if (known !== undefined) return true;',
  ),
  mutant(
    'another process of a voter is taken for the one that knows the endings',
    { rule: 'another process of a voter is told that every rest ended' },
    asking,
    'voter.own.addAll(voter.own.count);',
    '',
  ),
  mutant(
    'a late answer of an earlier process of a voter counts',
    { rule: 'a late answer of an earlier process counts for nothing that woke since' },
    asking,
    'voter.answered = this.#round;',
    'voter.answered = 0;',
  ),
  mutant(
    'a voter that asks for longer promises rests',
    { rule: 'a voter that asks for longer promises does not rest' },
    resting,
    'if (s.asksMs !== s.countsMs) return false;',
    '',
  ),
  mutant(
    'a voter rests while it keeps promises of before its start, and keeps them for ever',
    { rule: 'a member that still keeps promises of before its start does not rest' },
    resting,
    'if (s.earlier?.isEnding === true) return false;',
    '',
  ),
  mutant(
    'a leader rests while it keeps promises of before its start, and keeps them for ever',
    { rule: 'a member that still keeps promises of before its start does not rest' },
    resting,
    'if (s.earlier?.isEnding === true) return null;',
    '',
  ),
  mutant(
    'a disk that lost its seat keeps an election awake',
    { rule: 'a disk that lost its seat does not keep an election awake' },
    resting,
    'freshNewcomer(s, id) === null',
    's.newcomers[id] === undefined',
  ),
  mutant(
    'an election rests although a voter that is connected cannot',
    { rule: 'no election rests while a voter that answers does not understand it' },
    asking,
    'if (voters.some((id) => this.#ports.understands(id) === false)) return false;',
    '',
  ),
  mutant(
    'a voter rests with a priority that the leader does not know',
    { rule: 'a voter rests only if the leader knows its priority' },
    resting,
    'mark !== markOf(s, s.priority)',
    "mark !== markOf(s, Number(mark.split(' ')[3]))",
  ),
  mutant(
    'a voter without a seat counts',
    { rule: 'a voter without a seat does not rest' },
    resting,
    ' || !isSeated(s.register, s.id, s.disk)) return false;',
    ') return false;',
  ),
  mutant(
    'a probe keeps a voter awake for ever',
    { rule: 'a probe without an answer does not keep a voter awake' },
    resting,
    'return s.asked === null && s.told === null && s.heir === null && s.deputy === null;',
    'return s.asked === null && s.probes === null && s.told === null && s.heir === null && s.deputy === null;',
  ),
  mutant('a leader that wakes forgets its rounds', { seed: 36 }, resting, 's.round = round;', ''),
  mutant(
    'a leader rests while a register is on its way',
    { seed: 38 },
    resting,
    'if (s.publishing !== null || s.sending || !sameAge(s.register, s.committed)) return null;',
    '',
  ),
];
