/** The two phases of seed 003, with and without quorum. */
import { describe, expect, it } from 'vitest';
import type { Json, MemberId } from '../../src/core/index.ts';
import { bully } from '../../src/protocols/bully/index.ts';
import { play } from '../support/play.ts';
import { Solo } from '../support/solo.ts';

const five = [1, 2, 3, 4, 5];
const to = (solo: Solo, type: string): MemberId[] => solo.sent(type).map((sent) => sent.to);
const outcomes = (solo: Solo) =>
  solo.effects.filter((effect) => effect.type === 'answer').map((effect) => effect.outcome);

for (const quorum of [false, true]) {
  const epoch = quorum ? 1 : 0;
  const options = { quorum };
  const ack = (version: number) => ({ type: 'publish/ack', epoch, version });
  const applied = (version: number) => ({ type: 'publish/applied', epoch, version });
  const sendOf = (version: number, value: Json) => ({ type: 'publish/send', epoch, version, value });
  const commitOf = (version: number) => ({ type: 'publish/commit', epoch, version });
  const heartbeat = (version: number, leader = 5) => ({ type: 'heartbeat', epoch, leader, version });

  const leading = (more = {}) => {
    const leader = new Solo(bully, 5, five, { options: { ...options, ...more } });
    if (!quorum) return leader;
    for (const each of [1, 2]) leader.hears(each, { type: 'leader-gone/answer', epoch: 0, gone: true });
    for (const each of [1, 2]) {
      leader.hears(each, { type: 'coordinator/ack', epoch, version: 0, value: null });
    }
    return leader;
  };
  const publish = (leader: Solo, value: Json) => leader.command({ type: 'publish', value });
  const following = (saved: Json = null) => {
    const member = new Solo(bully, 3, five, { options, saved });
    return member.hears(5, quorum ? heartbeat(0) : { type: 'coordinator', epoch });
  };

  describe(`publishing ${quorum ? 'with' : 'without'} quorum`, () => {
    it('"the leader pushes the newest cluster state to the other nodes (this is the send instruction)"', () => {
      const leader = publish(leading(), { shards: 3 });
      expect(leader.sent()).toEqual(
        [1, 2, 3, 4].map((each) => ({ to: each, message: sendOf(1, { shards: 3 }) })),
      );
      expect(leader.timersSet()).toMatchObject({ commit: 1000 });
      expect(leader.reported()).toBeUndefined();
      const kinds = leader.effects.map((effect) => effect.type);
      expect(kinds.indexOf('save')).toBeLessThan(kinds.indexOf('send'));
    });

    it('"the other nodes do not apply it at once, but respond, and wait for the commit instruction"', () => {
      const member = following().hears(5, sendOf(1, 'a'));
      expect(member.sent()).toEqual([{ to: 5, message: ack(1) }]);
      expect(member.reported()).toBeUndefined();
      expect(member.saved()).toHaveLength(1);
      const kinds = member.effects.map((effect) => effect.type);
      expect(kinds.indexOf('save')).toBeLessThan(kinds.indexOf('send'));
    });

    it('"if the leader has received enough responses, it gives the instruction to commit": minimumMasterNodes with itself', () => {
      const leader = publish(leading(), 'a').hears(1, ack(1)).hears(1, ack(1));
      expect(leader.sent()).toEqual([]);
      leader.hears(2, ack(1));
      expect(leader.sent()).toEqual([1, 2, 3, 4].map((each) => ({ to: each, message: commitOf(1) })));
      expect(leader.reported()).toMatchObject({ role: 'leader', version: 1, value: 'a' });
      const strict = publish(leading({ minimumMasterNodes: 5 }), 'a')
        .hears(1, ack(1))
        .hears(2, ack(1));
      expect(strict.hears(3, ack(1)).sent()).toEqual([]);
      expect(to(strict.hears(4, ack(1)), 'publish/commit')).toEqual([1, 2, 3, 4]);
    });

    it('"within commit_timeout not enough responses: no commit"; it certainly did not happen, and never will', () => {
      const leader = publish(leading(), 'a').hears(1, ack(1)).timer('commit');
      expect(leader.sent()).toEqual([]);
      expect(outcomes(leader)).toEqual([
        { status: 'failed', reason: '2 of 3 members acknowledged it in time', effect: 'definite' },
      ]);
      for (const each of [2, 3, 4]) expect(leader.hears(each, ack(1)).sent()).toEqual([]);
      expect(publish(leader, 'b').sent()[0]!.message).toEqual(sendOf(2, 'b'));
    });

    it('"the other nodes then apply the newest cluster state", and answer', () => {
      const member = following().hears(5, sendOf(1, 'a')).hears(5, commitOf(1));
      expect(member.reported()).toMatchObject({ leader: 5, version: 1, value: 'a' });
      expect(member.sent()).toEqual([{ to: 5, message: applied(1) }]);
    });

    it('members apply only what was committed: not what they hold, and not what they never held', () => {
      const member = following().hears(5, sendOf(1, 'a')).hears(5, sendOf(2, 'b')).hears(5, commitOf(1));
      expect(member.reported()).toBeUndefined();
      expect(member.sent()).toEqual([{ to: 5, message: applied(0) }]);
    });

    it('the command is done when as many have applied it', () => {
      const leader = publish(leading(), 'a').hears(1, ack(1)).hears(2, ack(1)).hears(3, applied(1));
      expect(outcomes(leader)).toEqual([]);
      expect(outcomes(leader.hears(4, applied(1)))).toEqual([{ status: 'done' }]);
      expect(outcomes(leader.hears(1, applied(1)).hears(2, applied(1)))).toEqual([]);
    });

    it('"waits for all, publish_timeout; if any node has not answered, the leader updates the whole cluster state again"', () => {
      const leader = publish(leading(), 'a').hears(1, ack(1)).hears(2, ack(1));
      expect(leader.timersSet()).toMatchObject({ publish: 1000 });
      for (const each of [1, 2, 3]) leader.hears(each, applied(1));
      const state = { type: 'publish/state', epoch, version: 1, value: 'a' };
      expect(leader.timer('publish').sent()).toEqual([{ to: 4, message: state }]);
      const late = following().hears(5, state);
      expect(late.reported()).toMatchObject({ version: 1, value: 'a' });
      expect(late.sent()).toEqual([{ to: 5, message: applied(1) }]);
    });

    it('a commit that too few confirm in time may have happened', () => {
      const leader = publish(leading(), 'a').hears(1, ack(1)).hears(2, ack(1)).hears(1, applied(1));
      expect(outcomes(leader.timer('publish'))).toMatchObject([{ status: 'failed', effect: 'indefinite' }]);
    });

    it('a request that was lost is sent again, within the timeouts', () => {
      const leader = publish(leading(), 'a');
      expect(leader.timer('publish/send 2').sent()).toEqual([{ to: 2, message: sendOf(1, 'a') }]);
      leader.hears(1, ack(1)).hears(2, ack(1));
      expect(leader.timer('publish/commit 3').sent()).toEqual([{ to: 3, message: commitOf(1) }]);
    });

    it('versions only grow: a member refuses what is not above all it has held, and the leader goes above that', () => {
      const held = { by: 4, epoch, version: 7, value: 'old' };
      const member = following({ epoch, acknowledged: null, held, version: 6, value: 'x' });
      const refused = { type: 'publish/refused', epoch, version: 7 };
      expect(member.hears(5, sendOf(7, 'a')).sent()).toEqual([{ to: 5, message: refused }]);
      const leader = publish(leading(), 'a').hears(1, ack(1)).hears(3, refused);
      expect(leader.sent()).toEqual([1, 2, 3, 4].map((each) => ({ to: each, message: sendOf(8, 'a') })));
      // What was acknowledged below does not count any more.
      expect(leader.hears(2, ack(1)).hears(2, ack(8)).sent()).toEqual([]);
      expect(to(leader.hears(1, ack(8)), 'publish/commit')).toEqual([1, 2, 3, 4]);
    });

    it('a leader that another one has overtaken goes above, or cannot tell what became of its own', () => {
      const state = { type: 'publish/state', epoch, version: 4, value: 'theirs' };
      const sending = publish(leading(), 'a').hears(3, state);
      expect(sending.sent('publish/send')[0]!.message).toEqual(sendOf(5, 'a'));
      const committing = publish(leading(), 'a').hears(1, ack(1)).hears(2, ack(1)).hears(3, state);
      for (const each of [1, 2, 3, 4]) expect(outcomes(committing.hears(each, applied(4)))).toEqual([]);
      expect(outcomes(committing.timer('publish'))).toMatchObject([{ effect: 'indefinite' }]);
    });

    it('two leaders that hit on the same version: what one sent is not committed by the other', () => {
      const member = following().hears(5, sendOf(1, 'a'));
      expect(member.hears(4, commitOf(1)).reported()).toBeUndefined();
    });

    it('an older state changes nothing', () => {
      const member = following({ epoch, acknowledged: null, held: null, version: 6, value: 'x' });
      const state = { type: 'publish/state', epoch, version: 5, value: 'w' };
      expect(member.hears(5, state).reported()).toBeUndefined();
      expect(member.sent()).toEqual([{ to: 5, message: applied(6) }]);
    });

    it('whoever hears that another is behind sends it the committed state, the leader included', () => {
      const member = following({ epoch, acknowledged: null, held: null, version: 6, value: 'x' });
      const state = { type: 'publish/state', epoch, version: 6, value: 'x' };
      member.timer('publish/state 5'); // With quorum it was sent once already, at the leader's first heartbeat.
      expect(member.hears(5, { ...heartbeat(2), type: 'alive' }).sent()).toEqual([{ to: 5, message: state }]);
    });

    it('a second publish while one is under way is refused; after it was answered the next may come', () => {
      const leader = publish(leading(), 'a');
      expect(outcomes(publish(leader, 'b'))).toEqual([
        { status: 'refused', reason: 'another publish is under way' },
      ]);
      leader.hears(1, ack(1)).hears(2, ack(1)).hears(1, applied(1)).hears(2, applied(1));
      expect(publish(leader, 'b').sent('publish/send')[0]!.message).toEqual(sendOf(2, 'b'));
      // The commit of the first is not mistaken for one of the second.
      expect(leader.timer('publish/commit 3').sent()).toEqual([]);
    });

    it('only the leader publishes', () => {
      expect(outcomes(publish(following(), 'a'))).toEqual([
        { status: 'refused', reason: 'only the leader can publish, and that is 5' },
      ]);
    });

    it('a member takes nothing from whom it does not follow', () => {
      expect(following().hears(4, sendOf(1, 'a')).sent()).toEqual([]);
    });

    it('a leader that steps down before the commit knows that nothing happened; after it, nobody knows', () => {
      const before = publish(leading(), 'a').command({ type: 'resign' });
      expect(outcomes(before)).toMatchObject([{ status: 'failed', effect: 'definite' }, { status: 'done' }]);
      const after = publish(leading(), 'a').hears(1, ack(1)).hears(2, ack(1)).command({ type: 'resign' });
      expect(outcomes(after)).toMatchObject([{ status: 'failed', effect: 'indefinite' }, { status: 'done' }]);
    });

    it('in the simulated world all apply it, and one that returns later gets the newest', () => {
      const events = [
        { atMs: 1000, do: 'publish', value: 'a' },
        { atMs: 2000, do: 'crash', member: 1 },
        { atMs: 3000, do: 'publish', value: 'b' },
        { atMs: 5000, do: 'restart', member: 1 },
        { atMs: 7000, do: 'crash', member: 'leader' },
        { atMs: 12_000, do: 'publish', value: 'c' },
      ];
      const { final } = play({ protocol: 'bully', options, events });
      for (const each of [1, 2, 3, 4]) {
        expect(final.views[each]).toMatchObject({ version: 3, value: 'c' });
      }
    });

    it('the minority of a partition publishes nothing', () => {
      const events = [
        {
          atMs: 1000,
          do: 'partition',
          groups: [
            [5, 4],
            [1, 2, 3],
          ],
        },
        { atMs: 1100, do: 'publish', value: 'lost', member: 5 },
        { atMs: 5000, do: 'publish', value: 'kept', member: 3 },
        { atMs: 8000, do: 'heal' },
      ];
      const { final } = play({ protocol: 'bully', options, events });
      expect(final.agreed).toBe(true);
      for (const each of five) expect(final.views[each]).toMatchObject({ value: 'kept' });
    });
  });
}

describe('with quorum', () => {
  it('a winner takes up the newest state among those who acknowledge it', () => {
    const winner = new Solo(bully, 5, five, { options: { quorum: true } });
    for (const each of [1, 2]) winner.hears(each, { type: 'leader-gone/answer', epoch: 0, gone: true });
    winner.hears(1, { type: 'coordinator/ack', epoch: 1, version: 4, value: 'd' });
    winner.hears(2, { type: 'coordinator/ack', epoch: 1, version: 3, value: 'c' });
    expect(winner.reported()).toMatchObject({ role: 'leader', version: 4, value: 'd' });
  });

  it('one member alone publishes at once', () => {
    const events = [{ atMs: 1000, do: 'publish', value: 'a' }];
    const { final } = play({ protocol: 'bully', members: 1, options: { quorum: true }, events });
    expect(final.views['1']).toMatchObject({ version: 1, value: 'a' });
  });
});
