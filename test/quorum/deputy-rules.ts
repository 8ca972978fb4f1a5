/** Rules of one member about deputies and votes in advance (see rules.ts). */
import type { Definition, Json } from '../../src/core/index.ts';
import type { Advance } from '../../src/protocols/quorum/messages.ts';
import {
  answer,
  at,
  by,
  heartbeat,
  leader,
  ME,
  NEVER,
  preVote,
  saved,
  type Voter,
} from '../support/quorum.ts';

export type DeputyRuleName =
  | 'a vote in advance is saved'
  | 'a vote in advance is acknowledged once it is saved'
  | 'a member that voted in advance has no other vote in that term'
  | 'a vote in advance is not forgotten on restart'
  | 'a vote in advance belongs to one process'
  | 'a vote in advance is not taken back'
  | 'a vote in advance waits for the end of the promise'
  | 'a vote in advance leaves before the new term is saved'
  | 'a vote in advance is no vote for an older register'
  | 'a deputy asks at once when the leader is proven dead'
  | 'a deputy does not ask for votes on suspicion'
  | 'a deputy that is bound to another promise does not ask'
  | 'the term of a deputy is on its disk before it leads'
  | 'a deputy asks for each term once'
  | 'a candidate asks for a term after every vote in advance'
  | 'a leader without a lease names no deputy'
  | 'a leader names its deputy after its heartbeats'
  | 'a leader names another deputy for a later term'
  | 'a leader names the new process of its deputy'
  | 'a leader resigns for its deputy'
  | 'a recovery exceeds votes in advance'
  | 'no vote in advance for the present term is believed';

const DEPUTIES = { options: { deputies: true } };

export const deputyRules: Readonly<Record<DeputyRuleName, (definition: Definition) => boolean>> = {
  'a vote in advance is saved'(definition) {
    const solo = follower(definition, ahead(2, 3));
    return (solo.saved().at(-1) as { advance?: Advance } | undefined)?.advance?.id === 3;
  },
  'a vote in advance is acknowledged once it is saved'(definition) {
    const solo = follower(definition, ahead(2, 3));
    const first = solo.sent('heartbeat/answer')[0]!.message as unknown as { advance?: number };
    solo.hears(1, heartbeat(1, 3, { advance: ahead(2, 3) }));
    const second = solo.sent('heartbeat/answer')[0]!.message as unknown as { advance?: number };
    return first.advance === undefined && second.advance === 2;
  },
  'a member that voted in advance has no other vote in that term'(definition) {
    const solo = follower(definition, ahead(3, 3)).timer('promise');
    return solo.hears(4, request(2)).sent('vote/answer').length === 0 && !votes(solo.hears(4, request(3)));
  },
  'a vote in advance is not forgotten on restart'(definition) {
    const solo = at(2, saved(2, 1, { advance: ahead(2, 3) }), { definition });
    return !votes(solo.hears(4, request(2))) && votes(solo.hears(3, request(2)));
  },
  'a vote in advance belongs to one process'(definition) {
    const solo = follower(definition, ahead(2, 3)).timer('promise');
    return !votes(solo.hears(3, { ...request(2), by: by(3, { life: 'later', start: 2 }) }));
  },
  'a vote in advance is not taken back'(definition) {
    const solo = follower(definition, ahead(2, 3)).hears(1, heartbeat(1, 3, { advance: ahead(2, 4) }));
    return (solo.state.advance as Advance).id === 3;
  },
  'a vote in advance waits for the end of the promise'(definition) {
    const solo = follower(definition, ahead(2, 3)).hears(3, request(2));
    return !votes(solo) && votes(dead(solo));
  },
  'a vote in advance leaves before the new term is saved'(definition) {
    const { effects } = dead(follower(definition, ahead(2, 3)).hears(3, request(2)));
    const sent = effects.findIndex((effect) => effect.type === 'send');
    const save = effects.findIndex((effect) => effect.type === 'save' && termIn(effect.record) === 2);
    return sent >= 0 && save > sent;
  },
  'a vote in advance is no vote for an older register'(definition) {
    const record = saved(2, 1, { advance: ahead(2, 3) }) as { register: object };
    const newer = { ...record, register: { ...record.register, term: 1, version: 1 } } as unknown as Json;
    return !votes(at(2, newer, { definition }).hears(3, request(2)));
  },
  'a deputy asks at once when the leader is proven dead'(definition) {
    const asked = dead(deputy(definition)).sent('vote');
    return asked.length === 4 && asked.every(({ message }) => (message as { term?: number }).term === 2);
  },
  'a deputy does not ask for votes on suspicion'(definition) {
    const solo = deputy(definition).take({ type: 'peer-gone', peer: 1, proof: false, life: null });
    return solo.sent('vote').length === 0 && solo.sent('pre-vote').length === 4;
  },
  'a deputy that is bound to another promise does not ask'(definition) {
    const solo = deputy(definition).take({ type: 'peer-gone', peer: 1, proof: true, life: 'another life' });
    return solo.sent('vote').length === 0;
  },
  'the term of a deputy is on its disk before it leads'(definition) {
    const solo = dead(deputy(definition));
    const record = solo.saved().at(-1) as { term: number; votedFor: { id: number; life: string } };
    if (record?.term !== 2 || record.votedFor.life !== ME || solo.state.term !== 1) return false;
    const { effects } = solo.hears(3, voted(2)).hears(4, voted(2));
    return solo.state.role === 'leader' && effects.every((effect) => effect.type !== 'save');
  },
  'a deputy asks for each term once'(definition) {
    const solo = dead(deputy(definition)).timer('election');
    for (const id of [3, 4]) solo.hears(id, preVote(1));
    return (solo.sent('vote')[0]?.message as { term?: number } | undefined)?.term === 3;
  },
  'a candidate asks for a term after every vote in advance'(definition) {
    const solo = at(1, saved(1, 1, { advance: ahead(5, 3) }), { definition }).timer('election');
    for (const id of [2, 3]) solo.hears(id, preVote(1));
    return (solo.sent('vote')[0]?.message as { term?: number } | undefined)?.term === 6;
  },
  'a leader without a lease names no deputy'(definition) {
    const solo = leading(definition);
    solo.timer(`lease/${solo.state.round}`).timer('heartbeat');
    return solo.state.advance === null;
  },
  'a leader names its deputy after its heartbeats'(definition) {
    const { effects } = leading(definition).timer('heartbeat');
    const save = effects.findIndex((effect) => effect.type === 'save');
    return save > effects.findLastIndex((effect) => effect.type === 'send');
  },
  'a leader names another deputy for a later term'(definition) {
    const solo = leading(definition).timer('heartbeat');
    const first = solo.state.advance as Advance;
    const others = [2, 3, 4, 5].filter((id) => id !== first.id);
    for (let i = 0; i < 4; i++) rounds(solo, others);
    const second = solo.state.advance as Advance;
    return second.id !== first.id && second.term === first.term + 1;
  },
  'a leader names the new process of its deputy'(definition) {
    const solo = leading(definition).timer('heartbeat');
    const first = solo.state.advance as Advance;
    const round = solo.state.round as number;
    for (const id of [2, 3, 4, 5].filter((each) => each !== first.id)) solo.hears(id, answer(1, round));
    solo.hears(first.id, { ...answer(1, round), by: by(first.id, { life: 'later', start: 2 }) });
    const { life, term } = solo.timer('heartbeat').state.advance as Advance;
    return term === first.term + 1 && life !== first.life;
  },
  'a leader resigns for its deputy'(definition) {
    const solo = leading(definition).timer('heartbeat');
    const { id } = solo.state.advance as Advance;
    rounds(solo, [2, 3, 4, 5]);
    return solo.command({ type: 'resign' }).sent('transfer')[0]?.to === id;
  },
  'a recovery exceeds votes in advance'(definition) {
    return definition.recovering!.read(saved(2, 1, { advance: ahead(9, 3) })).term === 9;
  },
  'no vote in advance for the present term is believed'(definition) {
    return follower(definition, ahead(1, 3)).state.advance === null;
  },
};

function ahead(term: number, id: number): Advance {
  return { term, id, life: id === 2 ? ME : `life ${id}` };
}

/** 2 follows 1 in term 1, and is asked for a vote in advance. */
function follower(definition: Definition, advance: Advance): Voter {
  return at(2, saved(2, 1), { definition }).hears(1, heartbeat(1, 2, { advance }));
}

/** 2 is the deputy of 1. */
function deputy(definition: Definition): Voter {
  return follower(definition, ahead(2, 2));
}

function dead(solo: Voter): Voter {
  return solo.take({ type: 'peer-gone', peer: 1, proof: true, life: by(1).life });
}

/** 1 leads with a lease, and all have answered its round. */
function leading(definition: Definition): Voter {
  const solo = leader(undefined, { definition, ...DEPUTIES });
  return rounds(solo, [2, 3, 4, 5], false);
}

/** These answer the round, and the next one begins. */
function rounds(solo: Voter, ids: readonly number[], isNext = true): Voter {
  const { round } = solo.state as { round: number };
  for (const id of ids) solo.hears(id, answer(1, round));
  return isNext ? solo.timer('heartbeat') : solo;
}

function request(term: number): Parameters<Voter['hears']>[1] {
  return { type: 'vote', term, age: NEVER, release: null };
}

function voted(term: number): Parameters<Voter['hears']>[1] {
  return { type: 'vote/answer', term };
}

function votes(solo: Voter): boolean {
  return solo.sent('vote/answer').length === 1;
}

function termIn(record: Json): number {
  return (record as { term: number }).term;
}
