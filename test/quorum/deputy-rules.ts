/** Rules of one member about deputies (see rules.ts). */
import type { Definition, Input, Json, MemberId } from '../../src/core/index.ts';
import type { Age, Deputy, Register } from '../../src/protocols/quorum/messages.ts';
import {
  accepted,
  answer,
  by,
  five,
  heartbeat,
  ME,
  NEVER,
  preVote,
  register,
  saved,
  seats,
  Voter,
  vote,
} from '../support/quorum.ts';

export type DeputyRuleName =
  | 'a deputy acts on the answers of its leader'
  | 'a deputy acts on the answers of a majority'
  | 'a deputy acts on a lease that runs'
  | 'a deputy leads only with proof'
  | 'an answer to an earlier request is no answer to a later one'
  | 'a deputy uses no round twice'
  | 'a vote in advance is saved before it is given'
  | 'a vote in advance is given once'
  | 'a member that names itself the deputy gets no promise'
  | 'another deputy gets another term'
  | 'consent ends no promise to a deputy'
  | 'a promise to a deputy lasts as long as it asks for'
  | 'a promise to a deputy outlives a restart'
  | 'a late request of a deputy ends no promise of before a restart'
  | 'a promise to a deputy is counted when that to the leader ends'
  | 'no candidate gets the vote that a deputy has'
  | 'no member asks for votes in the term of a deputy'
  | 'a change of members names the terms of deputies'
  | 'no member asks for votes in a term that is taken'
  | 'no deputy gets a term that is taken'
  | 'a vote in advance counts once its term has come'
  | 'a deputy saves its term before it leads'
  | 'a deputy is followed in the term of its leader alone'
  | 'proof about another process makes no deputy a leader'
  | 'proof about another process frees no promise to a deputy'
  | 'a deputy that has ended an earlier round is still promised a later one'
  | 'a deputy frees no promise that its leader did not consent to end'
  | 'a leader answers a deputy that has its register'
  | 'a leader commits nothing that its deputy lacks'
  | 'another disk accepts nothing for a deputy'
  | 'a leader changes no members while its deputy may act'
  | 'a leader that has asked its deputy to take over does not go on'
  | 'a leader whose lease has ended has no deputy'
  | 'a deputy that cannot vote for itself is named for a later term'
  | 'a new leader does not repeat which deputy the one before had'
  | 'a deputy that leads publishes nothing before a majority has answered it'
  | 'a deputy that leads completes what it lacked'
  | 'a deputy that leads is sent what it lacks'
  | 'a deputy that leads and is not sent what it lacks resigns';

const WITH: { readonly settings: object } = { settings: { deputies: true } };

/** A vote in advance. */
interface Advance {
  readonly term: number;
  readonly id: MemberId;
  readonly life: string;
}

function recordOf(id: MemberId, term: number, ids: readonly MemberId[], advance?: Advance): Json {
  const first = register(0, 0, { members: seats(ids) });
  const registers = { register: first, committed: first };
  if (advance === undefined) return saved(id, term, registers);
  const votedFor = { id: advance.id, life: advance.life };
  return saved(id, advance.term, { ...registers, votedFor, before: { term, votedFor: null } });
}

const three: readonly MemberId[] = [1, 2, 3];

/** The first member leads in term 1, and has heard that all others have deputies. */
export function leading(definition: Definition, ids: readonly MemberId[] = three): Voter {
  const solo = new Voter(1, ids, { saved: recordOf(1, 0, ids), definition, ...WITH });
  solo.timer('promise').timer('election');
  for (const id of ids.slice(1)) solo.hears(id, preVote(0));
  for (const id of ids.slice(1)) solo.hears(id, vote(1));
  return renew(solo, ids.slice(1)).timer('heartbeat');
}

/** These answer the latest round. */
export function renew(solo: Voter, ids: readonly MemberId[]): Voter {
  const { term, round } = solo.state as { term: number; round: number };
  for (const id of ids) solo.hears(id, answer(term, round, { deputies: true }));
  return solo;
}

/** The second member follows the first in term 1, and is its deputy for term 2. */
export function standingBy(definition: Definition, ids: readonly MemberId[] = three): Voter {
  const solo = new Voter(2, ids, { saved: recordOf(2, 1, ids), definition, ...WITH }).timer('promise');
  const voters = ids.length === 3 ? [] : ids.slice(2);
  return solo.hears(1, heartbeat(1, 5, { deputy: { id: 2, term: 2, voters } }));
}

/** A member that follows the first in term 1. */
function following(definition: Definition, id: number, advance?: Advance): Voter {
  const solo = new Voter(id, five, { saved: recordOf(id, 1, five, advance), definition, ...WITH });
  return solo.timer('promise').hears(1, heartbeat(1, 5, { deputy: { id: 2, term: 2, voters: [3, 4, 5] } }));
}

/** The first member says with its next heartbeat that this is its deputy. */
function named(id: MemberId, term: number): Parameters<Voter['hears']>[1] {
  return heartbeat(1, 6, { deputy: { id, term, voters: [3, 4, 5] } });
}

export function ask(round: number, more: object = {}): Parameters<Voter['hears']>[1] {
  return { type: 'deputy/ask', term: 1, of: by(1).life, next: 2, round, age: NEVER, promiseMs: 200, ...more };
}

/** The same to the leader under test. */
export function askLeader(round: number, more: object = {}): Parameters<Voter['hears']>[1] {
  return ask(round, { of: ME, ...more });
}

export function supports(round: number): Parameters<Voter['hears']>[1] {
  return { type: 'deputy/answer', term: 1, next: 2, round };
}

export function gone(peer: MemberId, life: string = by(peer).life): Input {
  return { type: 'peer-gone', peer, proof: true, life };
}

export function deputyOf(solo: Voter): Deputy | null {
  return solo.state.deputy as Deputy | null;
}

const request = (term: number, release: Json = null): Parameters<Voter['hears']>[1] => ({
  type: 'vote',
  term,
  age: NEVER,
  release,
});

function isLeader(solo: Voter): boolean {
  return solo.state.role === 'leader';
}

/** What the leader before has published, and its deputy has not heard of. */
const LATER: Age = { term: 1, version: 1 };
const found = (): Register => register(1, 1, { members: seats(three), value: 'a' });

/** The second member leads in term 2, as the deputy of the first, which is dead. */
function takenOver(definition: Definition): Voter {
  return standingBy(definition).hears(1, supports(1)).take(gone(1));
}

export const deputyRules: Readonly<Record<DeputyRuleName, (definition: Definition) => boolean>> = {
  'a deputy acts on the answers of its leader'(definition) {
    const solo = standingBy(definition, five);
    for (const id of [3, 4, 5]) solo.hears(id, supports(1));
    return !isLeader(solo.take(gone(1)));
  },
  'a deputy acts on the answers of a majority'(definition) {
    return !isLeader(standingBy(definition, five).hears(1, supports(1)).take(gone(1)));
  },
  'a deputy leads only with proof'(definition) {
    const suspicion: Input = { type: 'peer-gone', peer: 1, proof: false, life: by(1).life };
    return !isLeader(standingBy(definition).hears(1, supports(1)).take(suspicion));
  },
  'a deputy acts on a lease that runs'(definition) {
    return !isLeader(standingBy(definition).hears(1, supports(1)).timer('lease/-1').take(gone(1)));
  },
  'an answer to an earlier request is no answer to a later one'(definition) {
    const solo = standingBy(definition).hears(1, heartbeat(1, 6, { deputy: { id: 2, term: 2, voters: [] } }));
    return !isLeader(solo.hears(1, supports(1)).timer('lease/-1').take(gone(1)));
  },
  'a deputy uses no round twice'(definition) {
    const solo = standingBy(definition).hears(1, { type: 'deputy/end', term: 1, next: 2 });
    solo.hears(1, heartbeat(1, 6, { deputy: { id: 2, term: 2, voters: [] } }));
    return (solo.state.standby as { round: number }).round === 2;
  },
  'a vote in advance is saved before it is given'(definition) {
    const { effects } = following(definition, 3).hears(2, ask(2, { promiseMs: 1 }));
    const isVote = (record: Json): boolean => (record as { before?: unknown }).before !== undefined;
    const save = effects.findIndex((effect) => effect.type === 'save' && isVote(effect.record));
    return save >= 0 && save < effects.findIndex((effect) => effect.type === 'send');
  },
  'a vote in advance is given once'(definition) {
    const solo = following(definition, 3).hears(2, ask(2)).timer('heir').hears(1, named(4, 2));
    return solo.hears(4, ask(2)).sent('deputy/answer').length === 0;
  },
  'a member that names itself the deputy gets no promise'(definition) {
    const solo = following(definition, 3);
    const isRefused = (from: MemberId, next: number): boolean =>
      solo.hears(from, ask(2, { next })).sent('deputy/answer').length === 0 && solo.state.heir === null;
    return isRefused(4, 2) && isRefused(4, 3) && isRefused(2, 3) && !isRefused(2, 2);
  },
  'another deputy gets another term'(definition) {
    const solo = leading(definition);
    const first = deputyOf(solo)!;
    for (let i = 0; i < 4; i++) renew(solo, [3]).timer('heartbeat');
    const second = deputyOf(solo)!;
    return first.id === 2 && second.id === 3 && second.term > first.term;
  },
  'consent ends no promise to a deputy'(definition) {
    const solo = following(definition, 3).hears(2, ask(2));
    return solo.hears(4, request(3, { term: 1, round: 9 })).sent('vote/answer').length === 0;
  },
  'a promise to a deputy lasts as long as it asks for'(definition) {
    return (
      following(definition, 3)
        .hears(2, ask(2, { promiseMs: 900 }))
        .timersSet().heir === 900
    );
  },
  'a promise to a deputy outlives a restart'(definition) {
    const solo = following(definition, 3, { term: 2, id: 2, life: by(2).life }).take(gone(1));
    return solo.hears(4, request(3)).sent('vote/answer').length === 0;
  },
  'a late request of a deputy ends no promise of before a restart'(definition) {
    const record = { ...(recordOf(3, 1, five) as object), promiseMs: 900 };
    const solo = new Voter(3, five, { saved: record, definition, ...WITH }).hears(1, named(2, 2));
    return solo.hears(2, ask(2)).timersSet().heir === 900;
  },
  'a promise to a deputy is counted when that to the leader ends'(definition) {
    const solo = following(definition, 3)
      .hears(2, ask(2, { promiseMs: 900 }))
      .timer('promise');
    return solo.state.promiseMs === 900;
  },
  'no candidate gets the vote that a deputy has'(definition) {
    const solo = following(definition, 3).hears(1, named(2, 4));
    solo
      .hears(2, ask(2, { next: 4 }))
      .timer('heir')
      .take(gone(1));
    const isRefused = (term: number): boolean =>
      solo.hears(4, request(term)).sent('vote/answer').length === 0;
    return [2, 3, 4].every(isRefused) && !isRefused(5);
  },
  'no member asks for votes in the term of a deputy'(definition) {
    const solo = following(definition, 3).hears(2, ask(2)).timer('heir').take(gone(1)).timer('election');
    for (const id of [4, 5]) solo.hears(id, preVote(1));
    return (solo.state.seeking as number) > 2;
  },
  'a change of members names the terms of deputies'(definition) {
    const solo = leading(definition, five).hears(2, askLeader(2)).command({ type: 'remove', member: 5 });
    const age = { term: 1, version: 0 };
    for (const id of [2, 3, 4, 5]) solo.hears(id, answer(1, solo.state.round as number, { age }));
    const changed = solo.timer('heir').state.register as Register;
    return changed.version === 1 && changed.taken === 2;
  },
  'no member asks for votes in a term that is taken'(definition) {
    const taken = register(1, 1, { members: seats(three), taken: 7 });
    const solo = new Voter(3, three, { saved: saved(3, 1, { register: taken }), definition });
    solo.timer('promise').timer('election').hears(2, preVote(1));
    return solo.state.seeking === 8;
  },
  'no deputy gets a term that is taken'(definition) {
    const solo = takenOver(definition).hears(3, answer(2, 2, { age: LATER }));
    solo.hears(3, { type: 'publish/copy', register: { ...found(), taken: 7 } }).timer('heartbeat');
    const more = { age: LATER, deputies: true };
    solo
      .hears(3, answer(2, 3, more))
      .hears(3, accepted(2, 1))
      .timer('heartbeat');
    return deputyOf(solo)?.term === 8;
  },
  'a vote in advance counts once its term has come'(definition) {
    const solo = following(definition, 3).hears(2, ask(2)).timer('heir').timer('promise');
    solo.hears(5, { type: 'term', term: 2 });
    return solo.hears(4, request(2)).sent('vote/answer').length === 0;
  },
  'a deputy saves its term before it leads'(definition) {
    const { effects } = standingBy(definition).hears(1, supports(1)).take(gone(1));
    const save = effects.findIndex(
      (effect) => effect.type === 'save' && (effect.record as { term: number }).term === 2,
    );
    const leads = effects.findIndex((effect) => effect.type === 'report' && effect.view.role === 'leader');
    return save >= 0 && save < leads;
  },
  'a deputy is followed in the term of its leader alone'(definition) {
    const solo = following(definition, 3);
    solo.hears(1, heartbeat(3, 2, { deputy: { id: 2, term: 4, voters: [3, 4, 5] } }));
    return solo.hears(2, ask(2, { next: 4 })).sent('deputy/answer').length === 0;
  },
  'proof about another process makes no deputy a leader'(definition) {
    return !isLeader(standingBy(definition).hears(1, supports(1)).take(gone(1, 'another life')));
  },
  'proof about another process frees no promise to a deputy'(definition) {
    return following(definition, 3).hears(2, ask(2)).take(gone(2, 'another life')).state.heir !== null;
  },
  'a deputy that has ended an earlier round is still promised a later one'(definition) {
    const solo = following(definition, 3).hears(2, ask(3));
    return solo.hears(2, { type: 'deputy/ended', term: 1, next: 2, round: 2 }).state.heir !== null;
  },
  'a deputy frees no promise that its leader did not consent to end'(definition) {
    const solo = following(definition, 3);
    const after = { life: by(1).life, release: { term: 1, round: 4 } };
    return solo.hears(2, heartbeat(2, 3, { after })).sent('heartbeat/answer').length === 0;
  },
  'a leader answers a deputy that has its register'(definition) {
    const solo = leading(definition).command({ type: 'publish', value: 'x' }).hears(3, accepted(1, 1));
    return solo.hears(2, askLeader(2)).sent('deputy/answer').length === 0;
  },
  'a leader commits nothing that its deputy lacks'(definition) {
    const solo = leading(definition).hears(2, askLeader(2)).command({ type: 'publish', value: 'x' });
    return (solo.hears(3, accepted(1, 1)).state.committed as Age).version === 0;
  },
  'another disk accepts nothing for a deputy'(definition) {
    const solo = leading(definition).hears(2, askLeader(2)).command({ type: 'publish', value: 'x' });
    solo.hears(3, accepted(1, 1)).hears(2, accepted(1, 1, { by: by(2, { disk: 'new' }) }));
    return (solo.state.committed as Age).version === 0;
  },
  'a leader changes no members while its deputy may act'(definition) {
    const solo = leading(definition, five).hears(2, askLeader(2)).command({ type: 'remove', member: 5 });
    const age = { term: 1, version: 0 };
    for (const id of [2, 3, 4, 5]) solo.hears(id, answer(1, solo.state.round as number, { age }));
    const isUnchanged = (solo.state.register as Age).version === 0;
    return isUnchanged && (solo.timer('heir').state.register as Age).version === 1;
  },
  'a leader that has asked its deputy to take over does not go on'(definition) {
    const solo = renew(leading(definition), [2, 3]).hears(2, askLeader(2));
    return !isLeader(solo.command({ type: 'transfer', to: 2 }).timer('transfer'));
  },
  // What the deputy asked before the transfer would else be answered after it; with the consent, the deputy could act.
  'a leader whose lease has ended has no deputy'(definition) {
    const solo = renew(leading(definition), [2, 3]);
    const hadOne = deputyOf(solo) !== null;
    solo.timer(`lease/${solo.state.leaseRound}`).timer('heartbeat');
    return hadOne && isLeader(solo) && deputyOf(solo) === null;
  },
  'a deputy that cannot vote for itself is named for a later term'(definition) {
    const advance = { term: 4, id: 2, life: 'an earlier life' };
    const solo = new Voter(2, three, { saved: recordOf(2, 1, three, advance), definition, ...WITH });
    solo.timer('promise').hears(1, heartbeat(1, 5, { deputy: { id: 2, term: 2, voters: [] } }));
    const [told] = solo.sent('deputy/ended');
    if (told === undefined) return false;
    const leader = leading(definition).hears(2, { ...told.message, by: by(2) });
    return deputyOf(renew(leader, [2, 3]).timer('heartbeat'))!.term === 5;
  },
  'a new leader does not repeat which deputy the one before had'(definition) {
    const solo = new Voter(1, three, { saved: recordOf(1, 1, three), definition }).timer('promise');
    solo.hears(2, heartbeat(1, 5, { deputy: { id: 3, term: 2, voters: [] } })).timer('promise');
    solo.timer('election').hears(3, preVote(1));
    solo.hears(3, vote(solo.state.seeking as number));
    return isLeader(solo) && solo.sent('heartbeat').every(({ message }) => !('deputy' in message));
  },
  'a deputy that leads publishes nothing before a majority has answered it'(definition) {
    const solo = takenOver(definition).command({ type: 'publish', value: 'x' });
    const isEarly = solo.sent('publish/send').length > 0;
    const isLacking = solo.hears(3, answer(2, 2, { age: LATER })).sent('publish/send').length > 0;
    solo.timer('heartbeat').hears(3, { type: 'publish/copy', register: found() });
    return (
      !isEarly && !isLacking && solo.hears(3, answer(2, 3, { age: LATER })).sent('publish/send').length > 0
    );
  },
  'a deputy that leads completes what it lacked'(definition) {
    const solo = takenOver(definition).hears(3, answer(2, 2, { age: LATER }));
    solo.hears(3, { type: 'publish/copy', register: found() }).timer('heartbeat');
    const [sent] = solo.hears(3, answer(2, 3, { age: LATER })).sent('publish/send');
    const completed = (sent?.message as { register?: Register } | undefined)?.register;
    return completed?.term === 2 && completed.version === 1 && completed.value === 'a';
  },
  'a deputy that leads is sent what it lacks'(definition) {
    const solo = following(definition, 3).hears(1, {
      type: 'publish/send',
      term: 1,
      register: register(1, 1),
    });
    const after = { life: by(1).life, release: null };
    return solo.hears(2, heartbeat(2, 2, { after })).sent('publish/copy').length === 1;
  },
  'a deputy that leads and is not sent what it lacks resigns'(definition) {
    const solo = takenOver(definition);
    for (let round = 2; round < 20 && isLeader(solo); round++)
      solo.hears(3, answer(2, round, { age: LATER })).timer('heartbeat');
    return !isLeader(solo) && solo.state.term === 2;
  },
};
