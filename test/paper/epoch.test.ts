import { describe, expect, it } from 'vitest';
import { epoch } from '../../src/protocols/epoch.ts';
import { Solo } from '../support/solo.ts';

const five = [1, 2, 3, 4, 5];
const at = (id: number, saved: { epoch: number; votedFor: number | null } | null = null) =>
  new Solo(epoch, id, five, { saved });

function leaderOfEpoch1(): Solo {
  return at(1).timer('wait').hears(2, { type: 'vote', epoch: 1 }).hears(3, { type: 'vote', epoch: 1 });
}

describe('seed 004', () => {
  it('"if you are the leader send a keep alive message to all other nodes every second"', () => {
    const leader = leaderOfEpoch1();
    expect(leader.sent('keep-alive').map((sent) => sent.to)).toEqual([2, 3, 4, 5]);
    expect(leader.timersSet()).toEqual({ 'keep-alive': 1000 });
    leader.timer('keep-alive');
    expect(leader.sent('keep-alive').map((sent) => sent.to)).toEqual([2, 3, 4, 5]);
    expect(leader.timersSet()).toEqual({ 'keep-alive': 1000 });
  });

  it('"if you are not the leader wait a random period"', () => {
    expect(at(1).timersSet()).toEqual({ wait: [1500, 3000] });
  });

  it('"send all other nodes a vote request", "Before a node triggers a new election it increases its epoch by one"', () => {
    const candidate = at(1).timer('wait');
    const message = { type: 'vote-request', epoch: 1 };
    expect(candidate.sent()).toEqual([2, 3, 4, 5].map((to) => ({ to, message })));
    expect(candidate.timer('wait').sent()[0]!.message).toEqual({ type: 'vote-request', epoch: 2 });
  });

  it('"if you receive a majority of the votes you become the leader"', () => {
    const candidate = at(1).timer('wait').hears(2, { type: 'vote', epoch: 1 });
    expect(candidate.reported()).toBeUndefined();
    expect(candidate.hears(3, { type: 'vote', epoch: 1 }).reported()).toMatchObject({
      role: 'leader',
      term: 1,
    });
  });

  it('a vote that arrives twice, or from a stranger, counts once and not at all', () => {
    const candidate = at(1).timer('wait').hears(2, { type: 'vote', epoch: 1 });
    expect(candidate.hears(2, { type: 'vote', epoch: 1 }).reported()).toBeUndefined();
    expect(candidate.hears(9, { type: 'vote', epoch: 1 }).reported()).toBeUndefined();
  });

  it('"when you receive a vote request and you have not yet voted, then you send a vote to the requesting node"', () => {
    const voter = at(3).hears(1, { type: 'vote-request', epoch: 1 });
    expect(voter.sent()).toEqual([{ to: 1, message: { type: 'vote', epoch: 1 } }]);
    expect(voter.hears(2, { type: 'vote-request', epoch: 1 }).sent()).toEqual([]);
  });

  it('saves the vote before it is sent, and remembers it after a crash', () => {
    const voter = at(3).hears(1, { type: 'vote-request', epoch: 1 });
    const kinds = voter.effects.map((effect) => effect.type);
    expect(kinds.lastIndexOf('save')).toBeLessThan(kinds.indexOf('send'));
    expect(voter.saved().at(-1)).toEqual({ epoch: 1, votedFor: 1 });
    const restarted = at(3, { epoch: 1, votedFor: 1 }).hears(2, { type: 'vote-request', epoch: 1 });
    expect(restarted.sent()).toEqual([]);
  });

  it('"when you receive a keep alive you recognize the sender as leader and you reset the timer to send a vote request"', () => {
    const follower = at(3).hears(1, { type: 'keep-alive', epoch: 4 });
    expect(follower.reported()).toMatchObject({ role: 'follower', leader: 1, term: 4 });
    expect(follower.timersSet()).toEqual({ wait: [1500, 3000] });
  });

  it('"if the epoch of the message is older than the node epoch the message is discarded"', () => {
    const node = at(3, { epoch: 5, votedFor: null });
    for (const type of ['keep-alive', 'vote-request', 'vote']) {
      expect(node.hears(1, { type, epoch: 4 }).effects).toEqual([]);
    }
  });

  it('"if the epoch of the message is newer than the node epoch, then the node epoch is updated to match it"', () => {
    const leader = leaderOfEpoch1().hears(5, { type: 'vote-request', epoch: 7 });
    expect(leader.reported()).toMatchObject({ role: 'follower', leader: null, term: 7 });
    expect(leader.sent()).toEqual([{ to: 5, message: { type: 'vote', epoch: 7 } }]);
  });

  it('a leader alone among one is elected by its own vote', () => {
    expect(new Solo(epoch, 1, [1]).timer('wait').reported()).toMatchObject({ role: 'leader', term: 1 });
  });
});
