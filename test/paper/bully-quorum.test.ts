/** The cures of seed 003: `quorum: true`. */
import { describe, expect, it } from 'vitest';
import type { Json, MemberId } from '../../src/core/index.ts';
import { bully } from '../../src/protocols/bully/index.ts';
import { play } from '../support/play.ts';
import { Solo } from '../support/solo.ts';

const five = [1, 2, 3, 4, 5];
const at = (id: number, options = {}, saved: Json = null) =>
  new Solo(bully, id, five, {
    options: { quorum: true, missedHeartbeatTolerance: 0, ...options },
    saved,
  });
const to = (solo: Solo, type: string): MemberId[] => solo.sent(type).map((sent) => sent.to);
const types = (solo: Solo): string[] => solo.sent().map((sent) => sent.message.type);
const record = (epoch: number, acknowledged: number | null) => ({
  epoch,
  acknowledged,
  held: null,
  version: 0,
  value: null,
});

const gone = (epoch: number, is = true) => ({ type: 'leader-gone/answer', epoch, gone: is });
const ack = (epoch: number) => ({ type: 'coordinator/ack', epoch, version: 0, value: null });
const heartbeat = (epoch: number, leader: number | null, version = 0) => ({
  type: 'heartbeat',
  epoch,
  leader,
  version,
});
const alive = (epoch: number, leader: number | null) => ({ ...heartbeat(epoch, leader), type: 'alive' });

/** 5 asks whether there is a leader, hears that there is none, and proposes itself for epoch 1. */
const proposing = (options = {}) => at(5, options).hears(1, gone(0)).hears(2, gone(0));
const leading = (options = {}) => proposing(options).hears(1, ack(1)).hears(2, ack(1));
/** 3 follows 5 in epoch 1 and has just missed it. */
const following = () => at(3).hears(5, heartbeat(1, 5));
const missing = () => following().timer('check').timer('heartbeat 5');

describe('false death: "more than half of the nodes must hold that (N) is not alive; only then does the election start"', () => {
  it('whoever misses the leader asks the others first, and goes on following it meanwhile', () => {
    const member = missing();
    expect(to(member, 'leader-gone')).toEqual([1, 2, 4]);
    expect(types(member)).not.toContain('election');
    expect(member.reported()).toBeUndefined();
  });

  it('elects when more than half agree, itself included', () => {
    const member = missing().hears(1, gone(1));
    expect(member.sent()).toEqual([]);
    expect(member.hears(1, gone(1)).sent()).toEqual([]); // A second copy is no second opinion.
    expect(to(member.hears(2, gone(1)), 'election')).toEqual([4, 5]);
  });

  it('does not elect when the others hear the leader', () => {
    const member = missing().hears(1, gone(1, false)).hears(2, gone(1, false)).hears(4, gone(1));
    expect(member.sent()).toEqual([]);
    expect(member.timersSet()).toEqual({ check: 1000 });
    expect(member.reported()).toBeUndefined();
  });

  it('knows no leader, but elects none either, when too few answer', () => {
    const member = missing().timer('leader-gone 1').timer('leader-gone 2').timer('leader-gone 4');
    expect(member.sent()).toEqual([]);
    expect(member.reported()).toMatchObject({ role: 'candidate', leader: null, term: 1 });
    expect(member.timersSet()).toEqual({ again: [500, 1000] });
    expect(to(member.timer('again'), 'leader-gone')).toEqual([1, 2, 4, 5]);
  });

  it('whoever is asked checks the leader itself, and answers when it knows', () => {
    const asked = () => following().hears(2, { type: 'leader-gone', epoch: 1 });
    expect(asked().sent()).toEqual([{ to: 5, message: heartbeat(1, 5) }]);
    expect(asked().hears(5, alive(1, 5)).sent()).toEqual([{ to: 2, message: gone(1, false) }]);
    expect(asked().timer('heartbeat 5').sent()[0]).toEqual({ to: 2, message: gone(1) });
  });

  it('the leader itself says that it is there', () => {
    const leader = leading().hears(2, { type: 'leader-gone', epoch: 1 });
    expect(leader.sent()[0]).toEqual({ to: 2, message: gone(1, false) });
  });

  it('a sign of life ends the doubt', () => {
    const member = missing().hears(5, heartbeat(1, 5));
    expect(member.hears(1, gone(1)).hears(2, gone(1)).sent()).toEqual([]);
  });

  it('a started member asks in the same way, so that a preferred id that comes back joins the leader it finds', () => {
    expect(to(at(5), 'leader-gone')).toEqual([1, 2, 3, 4]);
    const back = at(5, {}, record(1, 5)).hears(4, heartbeat(2, 4));
    expect(back.reported()).toMatchObject({ role: 'follower', leader: 4, term: 2 });
    const events = [
      { atMs: 1000, do: 'crash', member: 5 },
      { atMs: 5000, do: 'restart', member: 5 },
    ];
    for (let seed = 1; seed <= 20; seed++) {
      const { final, changes } = play({ protocol: 'bully', options: { quorum: true }, events }, seed);
      expect(final).toMatchObject({ agreed: true, leader: 4 });
      expect(changes).toBe(1);
    }
  });

  it('a broken link to the leader unseats nobody, as it does without the cure', () => {
    const cut = { protocol: 'bully', events: [{ atMs: 1500, do: 'cut', from: 4, to: 5 }] };
    expect(play(cut).claims.map((claim) => claim.member)).toEqual([5, 4]);
    const cured = play({ ...cut, options: { quorum: true } });
    expect(cured.claims.map((claim) => claim.member)).toEqual([5]);
    expect(cured.final).toMatchObject({ agreed: true, leader: 5 });
  });
});

describe('split brain: "to become leader takes the confirmation of more than half of the nodes"', () => {
  it('the winner asks everybody in a new epoch, and saves it first', () => {
    const winner = proposing();
    const message = { type: 'coordinator', epoch: 1 };
    expect(winner.sent()).toEqual([1, 2, 3, 4].map((each) => ({ to: each, message })));
    expect(winner.reported()).toMatchObject({ role: 'candidate', leader: null, term: 1 });
    const kinds = winner.effects.map((effect) => effect.type);
    expect(kinds.indexOf('save')).toBeLessThan(kinds.indexOf('send'));
    expect(winner.saved()).toEqual([record(1, 5)]);
  });

  it('it leads with more than half, itself included, and then tells everybody', () => {
    const winner = proposing().hears(1, ack(1)).hears(1, ack(1)).hears(9, ack(1));
    expect(winner.reported()).toBeUndefined();
    winner.hears(2, ack(1));
    expect(winner.reported()).toMatchObject({ role: 'leader', leader: 5, term: 1 });
    expect(to(winner, 'heartbeat')).toEqual([1, 2, 3, 4]);
  });

  it('without a majority it stands aside for a while: somebody of lower rank may be better connected', () => {
    const loser = proposing().hears(1, ack(1));
    for (const each of [2, 3, 4]) loser.timer(`coordinator ${each}`);
    expect(loser.timersSet()).toEqual({ again: [500, 1000] });
    expect(loser.hears(4, { type: 'election', epoch: 1 }).sent()).toEqual([]);
    // The only links of 5 lead to 4. Without that, 4 would wait for 5 for ever.
    const events = [1, 2, 3].map((each) => ({ atMs: 0, do: 'cut', from: 5, to: each }));
    const { final } = play({ protocol: 'bully', options: { quorum: true }, events });
    expect(final).toMatchObject({ agreed: true, leader: 4 });
  });

  it('an acknowledgement that comes late still counts, one of another epoch does not', () => {
    const slow = proposing().hears(1, ack(1));
    for (const each of [2, 3, 4]) slow.timer(`coordinator ${each}`);
    expect(slow.hears(2, ack(0)).reported()).toBeUndefined();
    expect(slow.hears(2, ack(1)).reported()).toMatchObject({ role: 'leader', term: 1 });
  });

  it('a member stands behind one winner per epoch, and saves that before it says so', () => {
    const member = at(3).hears(5, { type: 'coordinator', epoch: 4 });
    expect(member.sent()).toEqual([{ to: 5, message: ack(4) }]);
    const kinds = member.effects.map((effect) => effect.type);
    expect(kinds.lastIndexOf('save')).toBeLessThan(kinds.indexOf('send'));
    expect(member.saved().at(-1)).toEqual(record(4, 5));
    expect(member.hears(4, { type: 'coordinator', epoch: 4 }).sent()).toEqual([]);
    expect(member.hears(5, { type: 'coordinator', epoch: 4 }).sent()).toEqual([{ to: 5, message: ack(4) }]);
  });

  it('it saves that too where it had heard of the epoch before', () => {
    const member = at(3, {}, record(4, null)).hears(5, { type: 'coordinator', epoch: 4 });
    expect(member.effects.slice(0, 2).map((effect) => effect.type)).toEqual(['save', 'send']);
    expect(member.saved()).toEqual([record(4, 5)]);
  });

  it('it remembers after a restart; epochs only grow', () => {
    const member = at(3, {}, record(4, 5)).hears(4, { type: 'coordinator', epoch: 4 });
    expect(member.sent()).toEqual([]);
    const winner = at(5, {}, record(7, 2)).hears(1, gone(7)).hears(2, gone(7));
    expect(winner.sent('coordinator')[0]!.message).toEqual({ type: 'coordinator', epoch: 8 });
  });

  it('it names a leader only when that leader says that it leads', () => {
    const member = at(3).hears(5, { type: 'coordinator', epoch: 1 });
    expect(member.reported()).toMatchObject({ role: 'candidate', leader: null, term: 1 });
    expect(member.hears(4, heartbeat(1, 4)).reported()).toMatchObject({ leader: 4, term: 1 });
  });

  it('older epochs are answered with the newer one, so that a stale winner learns', () => {
    const newer = { to: 5, message: { type: 'newer-epoch', epoch: 4 } };
    const stale = [
      { type: 'coordinator', epoch: 3 },
      { type: 'election', epoch: 3 },
      { type: 'leader-gone', epoch: 3 },
      heartbeat(3, 5),
      { type: 'publish/send', epoch: 3, version: 1, value: 1 },
      { type: 'publish/commit', epoch: 3, version: 1 },
      { type: 'publish/state', epoch: 3, version: 1, value: 1 },
    ];
    for (const message of stale) expect(at(3, {}, record(4, 4)).hears(5, message).sent()).toEqual([newer]);
    const winner = proposing().hears(3, { type: 'newer-epoch', epoch: 4 });
    expect(winner.saved()).toEqual([record(4, null)]);
    expect(winner.hears(1, ack(1)).hears(2, ack(1)).reported()).toBeUndefined();
    expect(winner.hears(1, ack(4)).hears(2, ack(4)).reported()).toBeUndefined(); // It never asked for those.
  });

  it('a minority never wins, whatever it tries', () => {
    const events = [{ atMs: 0, do: 'partition', groups: [[4, 5], [1], [2, 3]] }];
    const { claims, final } = play({ protocol: 'bully', options: { quorum: true }, events });
    expect(claims).toEqual([]);
    expect(final.views['5']).toMatchObject({ term: 0 });
  });
});

describe('"the leader demotes itself in two cases"', () => {
  it('"the leader finds that it can connect to fewer than n/2 + 1 nodes, and becomes candidate"', () => {
    const leader = leading();
    for (const each of [1, 2]) leader.hears(each, alive(1, 5));
    for (const each of [3, 4]) leader.timer(`heartbeat ${each}`);
    expect(leader.reported()).toBeUndefined(); // It reaches three of five.
    leader.timer('check').hears(1, alive(1, 5));
    for (const each of [2, 3, 4]) leader.timer(`heartbeat ${each}`);
    expect(leader.reported()).toMatchObject({ role: 'candidate', leader: null, term: 1 });
    expect(leader.hears(3, ack(1)).reported()).toBeUndefined(); // An epoch is won once.
  });

  it('those it did not reach are asked again first, as often as a missed heartbeat is tolerated', () => {
    const leader = leading({ missedHeartbeatTolerance: 1 });
    for (const each of [1, 2, 3]) leader.timer(`heartbeat ${each}`);
    leader.timer('heartbeat 4');
    expect(to(leader, 'heartbeat')).toEqual([1, 2, 3, 4]);
    expect(leader.reported()).toBeUndefined();
  });

  it('once demoted it is no leader to those who still follow it', () => {
    const member = following().hears(5, { type: 'leader-gone', epoch: 1 });
    expect(member.reported()).toMatchObject({ role: 'candidate', leader: null });
    expect(member.sent()).toEqual([{ to: 5, message: gone(1) }]);
  });

  it('"when pinging other nodes the leader finds another leader": the older epoch steps down and joins the other', () => {
    const older = leading().hears(4, heartbeat(2, 4));
    expect(older.reported()).toMatchObject({ role: 'follower', leader: 4, term: 2 });
    const newer = leading().hears(4, heartbeat(0, 4));
    expect(newer.reported()).toBeUndefined();
    expect(newer.sent()).toEqual([{ to: 4, message: heartbeat(1, 5) }]);
  });

  it('"if the version of the present leader is smaller, it demotes itself": within one epoch, should that happen', () => {
    const older = leading().hears(4, heartbeat(1, 4, 9));
    expect(older.reported()).toMatchObject({ role: 'follower', leader: 4 });
    const preferred = leading().hears(4, heartbeat(1, 4, 0));
    expect(preferred.reported()).toBeUndefined();
  });

  it('a leader in the minority is replaced and joins its successor; two at a time are possible, one per epoch', () => {
    const events = [
      {
        atMs: 1000,
        do: 'partition',
        groups: [
          [5, 1],
          [2, 3, 4],
        ],
      },
      { atMs: 8000, do: 'heal' },
    ];
    const { final, claims, violations } = play({ protocol: 'bully', options: { quorum: true }, events });
    expect(claims.map(({ member, term }) => [member, term])).toEqual([
      [5, 1],
      [4, 2],
    ]);
    expect(claims[0]!.toMs).toBeLessThan(3000);
    expect(final).toMatchObject({ agreed: true, leader: 4 });
    expect(violations.filter((violation) => violation.claimed)).toEqual([]);
    const stopped = [
      { atMs: 1000, do: 'pause', member: 5 },
      { atMs: 8000, do: 'resume', member: 5 },
    ];
    const both = play({ protocol: 'bully', options: { quorum: true }, events: stopped });
    expect(both.doubleMs).toBeGreaterThan(0);
    expect(both.violations.map(({ property, claimed }) => [property, claimed])).toContainEqual([
      'S10',
      false,
    ]);
    expect(both.final).toMatchObject({ agreed: true, leader: 4 });
  });
});

describe('network load: "in production, limit the number of concurrent connections"', () => {
  const limited = () => at(1, { maxInFlight: 2 });

  it('at most so many requests await an answer; the next leaves when one is answered or times out', () => {
    expect(to(limited(), 'leader-gone')).toEqual([2, 3]);
    expect(to(limited().hears(3, gone(0, false)), 'leader-gone')).toEqual([4]);
    expect(to(limited().timer('leader-gone 2'), 'leader-gone')).toEqual([4]);
  });

  it('what has lost its meaning makes room and is not sent', () => {
    const member = limited().hears(5, heartbeat(1, 5));
    expect(to(member, 'leader-gone')).toEqual([]);
    expect(to(member.timer('check'), 'heartbeat')).toEqual([5]);
  });

  it('the election works with one at a time, also among many', () => {
    const options = { quorum: true, maxInFlight: 1 };
    const events = [{ atMs: 5000, do: 'crash', member: 'leader' }];
    const { final } = play({ protocol: 'bully', members: 15, options, events, untilMs: 30_000 });
    expect(final).toMatchObject({ agreed: true, leader: 14 });
  });
});

describe('commands', () => {
  it('campaign lets the preferred id take the place of a healthy leader', () => {
    const events = [
      { atMs: 1000, do: 'crash', member: 5 },
      { atMs: 4000, do: 'restart', member: 5 },
      { atMs: 8000, do: 'campaign', member: 5 },
    ];
    expect(play({ protocol: 'bully', options: { quorum: true }, events }).final.leader).toBe(5);
  });

  it('after a resignation the best of the others leads within a few messages', () => {
    const events = [{ atMs: 2000, do: 'resign', member: 'leader' }];
    const { final, claims } = play({ protocol: 'bully', options: { quorum: true }, events });
    expect(final).toMatchObject({ agreed: true, leader: 4 });
    expect(claims[1]!.fromMs).toBeLessThan(2050);
  });

  it('one member alone is its own majority; two need each other', () => {
    const alone = play({ protocol: 'bully', members: 1, options: { quorum: true } });
    expect(alone.final).toMatchObject({ agreed: true, leader: 1 });
    const events = [{ atMs: 2000, do: 'crash', member: 2 }];
    const half = play({ protocol: 'bully', members: 2, options: { quorum: true }, events });
    expect(half.claims.map((claim) => claim.member)).toEqual([2]);
  });

  it('the scenario with its own timing elects again soon after the leader crashed', () => {
    const scenario = {
      protocol: 'bully',
      options: { quorum: true },
      timing: { heartbeatMs: 50, timeoutMs: [150, 300] },
      events: [
        { atMs: 1000, do: 'crash', member: 'leader' },
        { atMs: 5000, do: 'restart', member: 5, amnesia: false },
      ],
    };
    const { final, claims } = play(scenario);
    expect(final).toMatchObject({ agreed: true, leader: 4 });
    expect(claims[1]!.fromMs).toBeLessThan(1500);
  });
});
