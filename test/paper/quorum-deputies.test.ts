/** The rules of deputies, one sentence at a time (src/protocols/quorum/deputy.ts). */
import { describe, expect, it } from 'vitest';
import { quorum } from '../../src/protocols/quorum/index.ts';
import {
  ask,
  askLeader,
  deputyOf,
  gone,
  leading,
  renew,
  standingBy,
  supports,
} from '../quorum/deputy-rules.ts';
import { answer, five, heartbeat, lease, ME, NEVER, type Voter } from '../support/quorum.ts';

const sentTo = (solo: Voter, type: string) => solo.sent(type).map(({ to }) => to);

/** What kinds of effects come before the report that it leads. */
const beforeLeading = ({ effects }: Voter): string[] => {
  const leads = effects.findIndex((effect) => effect.type === 'report' && effect.view.role === 'leader');
  return effects.slice(0, leads).map(({ type }) => type);
};

describe('a leader', () => {
  it('names a deputy, for a later term, once the members have answered', () => {
    const solo = leading(quorum);
    const deputy = { id: 2, term: 2, voters: [] };
    expect(solo.sent('heartbeat').map(({ message }) => message)).toMatchObject([{ deputy }, { deputy }]);
  });

  it('asks no other member for its deputy where there are three, and all others where there are five', () => {
    expect(deputyOf(leading(quorum))!.voters).toEqual([]);
    expect(deputyOf(leading(quorum, five))!.voters).toEqual([3, 4, 5]);
  });

  it('does not count on members that take no part', () => {
    const solo = leading(quorum, five);
    for (const id of [2, 4]) solo.hears(id, answer(1, 3));
    renew(solo, [3, 5]).timer('heartbeat');
    expect(deputyOf(solo)).toMatchObject({ id: 3, voters: [5] });
  });

  it('votes for its deputy in advance, promises it support, and leads on', () => {
    const solo = leading(quorum).hears(2, askLeader(1));
    expect(solo.saved()[0]).toMatchObject({ term: 2, votedFor: { id: 2 }, before: { term: 1 } });
    expect(solo.sent('deputy/answer')).toMatchObject([{ to: 2, message: { term: 1, next: 2, round: 1 } }]);
    expect(solo.timersSet()).toMatchObject({ heir: 200 });
    expect(solo.state).toMatchObject({ role: 'leader', term: 1 });
  });

  it('names the next one, for a later term, if its deputy does not answer', () => {
    const solo = leading(quorum);
    for (let i = 0; i < 4; i++) renew(solo, [3]).timer('heartbeat');
    expect(deputyOf(solo)).toMatchObject({ id: 3, term: 3 });
  });
});

describe('a deputy', () => {
  it('votes for itself in advance and asks its leader, and no other of three', () => {
    const solo = standingBy(quorum);
    expect(solo.saved().at(-1)).toMatchObject({
      term: 2,
      votedFor: { id: 2, life: ME },
      before: { term: 1 },
    });
    expect(sentTo(solo, 'deputy/ask')).toEqual([1]);
  });

  it('asks the members that its leader names, where there are five', () => {
    expect(sentTo(standingBy(quorum, five), 'deputy/ask')).toEqual([1, 3, 4, 5]);
  });

  it('asks anew with every heartbeat', () => {
    const solo = standingBy(quorum).hears(1, heartbeat(1, 6, { deputy: { id: 2, term: 2, voters: [] } }));
    expect(solo.sent('deputy/ask')).toMatchObject([{ message: { next: 2, round: 2 } }]);
  });

  it('leads once its leader is proven dead: it saves its term, and asks no member before it acts', () => {
    const solo = standingBy(quorum).hears(1, supports(1)).take(gone(1));
    expect(solo.state).toMatchObject({ role: 'leader', term: 2 });
    expect(lease(solo)).toBe('lease/-1');
    expect(beforeLeading(solo)).toContain('save');
    expect(beforeLeading(solo)).not.toContain('send');
    expect(sentTo(solo, 'vote')).toEqual([]);
  });

  it('needs the answers of a majority with its leader, where there are five', () => {
    const solo = standingBy(quorum, five).hears(1, supports(1)).hears(4, supports(1)).take(gone(1));
    expect(solo.state).toMatchObject({ role: 'leader', term: 2 });
  });

  it('leads once its leader hands over, and says with whose consent', () => {
    const solo = standingBy(quorum).hears(1, supports(1)).hears(1, { type: 'transfer', term: 1, round: 5 });
    expect(solo.state).toMatchObject({ role: 'leader', term: 2 });
    const after = { life: 'life 1', release: { term: 1, round: 5 } };
    expect(solo.sent('heartbeat')[0]!.message).toMatchObject({ term: 2, after });
  });

  it('asks like any other member if its lease has ended', () => {
    const solo = standingBy(quorum).hears(1, supports(1)).timer('lease/-1').take(gone(1));
    expect(solo.state).toMatchObject({ role: 'pre-candidate', term: 1 });
    expect(sentTo(solo, 'pre-vote')).toEqual([1, 3]);
  });

  it('asks for votes in a later term than its own if it is handed the lead after its lease has ended', () => {
    const solo = standingBy(quorum).hears(1, supports(1)).timer('lease/-1');
    solo.hears(1, { type: 'transfer', term: 1, round: 5 });
    expect(solo.sent('vote')[0]!.message).toMatchObject({ term: 3, release: { term: 1, round: 5 } });
  });

  it('is not moved by proof about another process of its leader', () => {
    const solo = standingBy(quorum).hears(1, supports(1)).take(gone(1, 'another life'));
    expect(solo.state).not.toMatchObject({ role: 'leader' });
  });
});

describe('another member', () => {
  const bound = (): Voter => {
    const solo = leading(quorum, five); // Any member: it steps down to follow 2 in term 4.
    return solo.hears(2, heartbeat(4, 2, { deputy: { id: 3, term: 5, voters: [1] } }));
  };
  const asked = { term: 4, of: 'life 2', next: 5, age: NEVER };

  it('votes in advance for the deputy of the leader that it follows', () => {
    const solo = bound().hears(3, ask(1, asked));
    expect(solo.saved()[0]).toMatchObject({ term: 5, votedFor: { id: 3 }, before: { term: 4 } });
    expect(sentTo(solo, 'deputy/answer')).toEqual([3]);
  });

  it('follows the deputy once that says that the process of its leader is dead', () => {
    const solo = bound().hears(3, ask(1, asked));
    solo.hears(3, heartbeat(5, 2, { after: { life: 'life 2', release: null } }));
    expect(solo.state).toMatchObject({ role: 'follower', leader: 3, term: 5 });
    expect(sentTo(solo, 'heartbeat/answer')).toEqual([3]);
  });

  it('does not follow it before, as long as it is bound to its leader', () => {
    const solo = bound().hears(3, ask(1, asked)).hears(3, heartbeat(5, 2));
    expect(solo.state).toMatchObject({ leader: 2, term: 4 });
  });
});
