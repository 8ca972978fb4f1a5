import { describe, expect, it } from 'vitest';
import { following, knownTo, registered, sentTo, starting, status } from '../support/draw.ts';
import { play } from '../support/play.ts';

const three = [1, 2, 3];
const heartbeat = (knownVoters: number[], about: object = {}) => ({
  type: 'heartbeat',
  ...status(knownVoters, about),
});

describe('seed 002, bootstrap', () => {
  it('"When a voter process starts, it needs to register with other voters": "invoke the register API of each of the seed URLs"', () => {
    const voter = starting(1, three);
    expect(voter.sent()).toEqual([2, 3].map((to) => ({ to, message: { type: 'register' } })));
    expect(voter.reported()).toMatchObject({ role: 'none', leader: null });
  });

  it('"the voter enters a lazy loop …, based on the heartbeat interval that is configured"', () => {
    const voter = starting(1, three, { timing: { heartbeatMs: 700 } });
    expect(voter.timersSet()).toEqual({ heartbeat: 700 });
    for (let round = 0; round < 3; round++) {
      expect(sentTo(voter.timer('heartbeat'), 'register')).toEqual([2, 3]);
      expect(voter.sent('heartbeat')).toEqual([]);
      expect(voter.timersSet()).toEqual({ heartbeat: 700 });
    }
  });

  it('"The loop is broken when … the voter successfully registers with another voter"', () => {
    const voter = starting(1, three);
    voter.hears(2, { type: 'register/answer', ...status([1, 2]), configured: three });
    expect(voter.reported()).toMatchObject({ role: 'follower', leader: null });
    expect(sentTo(voter.timer('heartbeat'), 'register')).toEqual([]);
    expect(sentTo(voter, 'heartbeat')).toEqual([2, 3]);
  });

  it('"The loop is broken when … the voter receives a registration message from another voter"', () => {
    const voter = starting(1, three).hears(3, { type: 'register' });
    expect(voter.reported()).toMatchObject({ role: 'follower' });
    expect(voter.sent()).toMatchObject([
      { to: 3, message: { type: 'register/answer', leader: null, knownVoters: [1, 3], configured: three } },
    ]);
    expect(sentTo(voter.timer('heartbeat'), 'register')).toEqual([]);
  });

  it('"If the response is from the sender, then try the other seed addresses"', () => {
    const voter = starting(1, three);
    voter.hears(1, { type: 'register/answer', ...status([1]), configured: three });
    expect(voter.effects).toEqual([]);
    expect(sentTo(voter.timer('heartbeat'), 'register')).toEqual([2, 3]);
  });

  it('"The voter is the first one to bootstrap": it leads nobody until another one comes', () => {
    const members = [{ id: 1 }, { id: 2, startMs: 30_000 }, { id: 3, startMs: 60_000 }];
    const { claims, final } = play({ protocol: 'draw', members, untilMs: 90_000 });
    expect(claims).toHaveLength(1);
    expect(claims[0]!.fromMs).toBeGreaterThan(30_000);
    expect(claims[0]!.fromMs).toBeLessThan(33_000);
    expect(final).toMatchObject({ agreed: true });
  });

  it('a voter that is configured alone waits for nobody and elects itself', () => {
    const { claims, messages } = play({ protocol: 'draw', members: 1 });
    expect(claims).toMatchObject([{ member: 1, term: 1 }]);
    expect(claims[0]!.fromMs).toBeLessThan(2000);
    expect(messages.total).toBe(0);
  });

  it('an unregistered voter takes no part: it answers who asks, and heeds no heartbeat and no election', () => {
    const voter = starting(1, three);
    expect(voter.hears(2, heartbeat(three, { leader: 2, term: 4 })).effects).toEqual([]);
    expect(voter.hears(2, { type: 'election/start', election: 1, voters: three }).effects).toEqual([]);
    expect(voter.hears(2, { type: 'status' }).sent()).toMatchObject([
      { to: 2, message: { type: 'status/answer', role: 'none', leader: null, knownVoters: [1] } },
    ]);
  });
});

describe('seed 002, health check processing', () => {
  it('"Each voter will periodically register their health with the other voters", with its list of known voters', () => {
    const voter = registered(1, three).timer('heartbeat');
    const message = heartbeat(three);
    expect(voter.sent('heartbeat')).toEqual([2, 3].map((to) => ({ to, message })));
    expect(voter.timersSet()).toMatchObject({ heartbeat: 1000 });
  });

  it('"status: Get the current leader, and the list of voters", "The health response is a StatusDto object"', () => {
    expect(following(2, 4, 1, three).hears(3, { type: 'status' }).sent()).toEqual([
      {
        to: 3,
        message: {
          type: 'status/answer',
          role: 'follower',
          leader: 2,
          term: 4,
          election: 4,
          knownVoters: three,
          offline: [],
        },
      },
    ]);
  });

  it('"the number of missed heartbeats allowed before marking a Voter as offline": it is asked once more, then removed', () => {
    const voter = following(2, 1, 1, three, { options: { missedHeartbeatTolerance: 2 } });
    const leaderBeats = () => voter.hears(2, heartbeat(three, { leader: 2, term: 1 }));
    for (let beat = 1; beat <= 2; beat++) {
      expect(voter.timer('heartbeat').sent('status')).toEqual([]);
      leaderBeats();
    }
    expect(sentTo(voter.timer('heartbeat'), 'status')).toEqual([3]);
    leaderBeats();
    expect(knownTo(voter)).toEqual([1, 2]);
  });

  it('a voter that answers in time stays', () => {
    const voter = following(2, 1, 1, three, { options: { missedHeartbeatTolerance: 1 } });
    const leaderBeats = () => voter.hears(2, heartbeat(three, { leader: 2, term: 1 }));
    voter.timer('heartbeat');
    leaderBeats();
    expect(sentTo(voter.timer('heartbeat'), 'status')).toEqual([3]);
    leaderBeats();
    voter.hears(3, { type: 'status/answer', ...status(three) });
    expect(knownTo(voter)).toEqual(three);
  });

  it('heartbeats go to configured voters that are not known too, so that parted groups meet again', () => {
    const voter = starting(1, three).hears(2, { type: 'register' }).timer('heartbeat');
    expect(voter.sent('heartbeat')).toMatchObject([
      { to: 2, message: { knownVoters: [1, 2] } },
      { to: 3, message: { knownVoters: [1, 2] } },
    ]);
  });
});

describe('seed 002, reconciliation of voters', () => {
  it('"Compare the list of known voters in the heartbeat message with its own list": the same list changes nothing', () => {
    expect(registered(1, three).hears(2, heartbeat(three)).effects).toEqual([]);
    expect(registered(1, three).hears(2, heartbeat([3, 1, 2])).effects).toEqual([]);
  });

  it('"The receiving voter sends its own known voter list back to the reconcile endpoint", and "invokes the status endpoint of any unknown voters in the heartbeat message"', () => {
    const voter = registered(1, three).hears(2, heartbeat([1, 2, 7]));
    expect(voter.sent()).toEqual([
      { to: 2, message: { type: 'reconcile', knownVoters: three } },
      { to: 7, message: { type: 'status' } },
    ]);
    expect(voter.timersSet()).toEqual({ status: [250, 500] });
  });

  it('"The voter who sent the heartbeat invokes the status endpoint of any unknown voters in the list received"', () => {
    const voter = registered(1, three).hears(2, { type: 'reconcile', knownVoters: [2, 7, 8] });
    expect(sentTo(voter, 'status')).toEqual([7, 8]);
  });

  it('"If it receives a response then it adds the voter to its list"', () => {
    const voter = registered(1, three).hears(2, { type: 'reconcile', knownVoters: [2, 7] });
    voter.hears(7, { type: 'status/answer', ...status([7]) });
    expect(voter.timer('status').sent()).toEqual([]);
    expect(knownTo(voter)).toEqual([1, 2, 3, 7]);
  });

  it('"If it does not receive a response, then it invokes the remove endpoint of the sending voter"', () => {
    const voter = registered(1, three).hears(2, { type: 'reconcile', knownVoters: [2, 7] });
    voter.hears(3, heartbeat([1, 2, 3, 7]));
    expect(voter.timer('status').sent()).toEqual(
      [2, 3].map((to) => ({ to, message: { type: 'remove', voterId: 7, reason: 'no-answer' } })),
    );
    expect(knownTo(voter)).toEqual(three);
  });

  it('an unknown voter is known by its own heartbeat once it answers; if not, it is not told to remove itself', () => {
    const voter = registered(1, three).hears(7, heartbeat([1, 2, 3, 7]));
    expect(sentTo(voter, 'status')).toEqual([7]);
    expect(voter.timer('status').sent()).toEqual([]);
  });

  it('two groups that formed apart become one, with the same list everywhere', () => {
    const lists = new Map<number, unknown>();
    const { final } = play(
      {
        protocol: 'draw',
        members: 5,
        untilMs: 30_000,
        events: [
          {
            atMs: 0,
            do: 'partition',
            groups: [
              [1, 2],
              [3, 4, 5],
            ],
          },
          { atMs: 15_000, do: 'heal' },
        ],
      },
      1,
      {
        trace: (line) => {
          if (!('effects' in line)) return;
          for (const effect of line.effects) {
            if (effect.type !== 'send' || effect.message.type !== 'heartbeat') continue;
            const { knownVoters } = effect.message as unknown as { knownVoters: number[] };
            lists.set(line.member as number, knownVoters);
            if (line.atMs > 3000 && line.atMs < 15_000) {
              expect([
                [1, 2],
                [3, 4, 5],
              ]).toContainEqual(knownVoters);
            }
          }
        },
      },
    );
    expect([...lists.values()]).toEqual([1, 2, 3, 4, 5].map(() => [1, 2, 3, 4, 5]));
    expect(final.agreed).toBe(true);
  });
});

describe('seed 002, "remove: Remove a voter"', () => {
  const unreachable = (voterId: number) => ({ type: 'remove', voterId, reason: 'no-answer' });

  it('a voter that another one cannot reach is removed if we have not heard it lately either', () => {
    const voter = following(2, 1, 1, [1, 2, 3, 4]).timer('heartbeat').timer('heartbeat');
    voter.hears(4, heartbeat([1, 2, 3, 4], { leader: 2, term: 1 }));
    voter.hears(2, unreachable(3)).hears(2, unreachable(4));
    expect(knownTo(voter)).toEqual([1, 2, 4]);
  });

  it('not the leader, for which all must agree; not the one that is told', () => {
    const voter = following(2, 1, 1, three).timer('heartbeat').timer('heartbeat');
    expect(voter.hears(3, unreachable(2)).hears(3, unreachable(1)).effects).toEqual([]);
    expect(knownTo(voter)).toEqual(three);
  });

  it('by request it is obeyed at once, also about the leader and by the voter itself', () => {
    const voter = following(2, 1, 1, three).hears(3, { type: 'remove', voterId: 2 });
    expect(voter.reported()).toMatchObject({ role: 'follower', leader: null });
    expect(knownTo(voter)).toEqual([1, 3]);
    expect(voter.hears(3, { type: 'remove', voterId: 1 }).reported()).toMatchObject({ role: 'none' });
  });

  it('a removed voter is silent and takes no part until it starts again', () => {
    const voter = following(2, 1, 1, three).hears(2, { type: 'remove', voterId: 1 });
    const cancelled = voter.effects.filter((effect) => effect.type === 'cancel-timer');
    expect(cancelled.map((effect) => effect.timer)).toContain('heartbeat');
    for (const message of [
      heartbeat([2, 3], { leader: 2, term: 1 }),
      { type: 'status' },
      { type: 'register' },
      { type: 'election/start', election: 9, voters: three },
    ]) {
      expect(voter.hears(2, message).effects).toEqual([]);
    }
    expect(voter.command({ type: 'campaign' }).effects).toEqual([
      {
        type: 'answer',
        command: 1,
        outcome: { status: 'refused', reason: expect.stringContaining('removed') },
      },
    ]);
  });
});

describe('adding and removing voters from outside', () => {
  it('remove: the voter and the others are told, again at each heartbeat, until it has been silent for as many as are tolerated and one', () => {
    const leader = following(2, 1, 1, three).command({ type: 'remove', member: 3 });
    const told = [3, 2].map((to) => ({ to, message: { type: 'remove', voterId: 3 } }));
    expect(leader.sent()).toEqual(told);
    for (let beat = 1; beat <= 10; beat++) {
      // A heartbeat of the leaving voter that was under way does not bring it back. It has not been told yet.
      expect(leader.hears(3, heartbeat(three)).sent('status')).toEqual([]);
      expect(leader.timer('heartbeat').sent('remove')).toEqual(told);
    }
    for (let beat = 1; beat <= 3; beat++) expect(leader.timer('heartbeat').sent('remove')).toEqual(told);
    expect(leader.timer('heartbeat').sent('remove')).toEqual([]);
  });

  it('a voter knows no more voters than fit into a message', () => {
    const voter = registered(1, three);
    for (let id = 4; id <= 1100; id++) voter.hears(id, { type: 'register' });
    expect(knownTo(voter)).toHaveLength(1000);
  });

  it('a removed voter that registers anew is a voter again, and no longer told to go', () => {
    const leader = following(2, 1, 1, three).command({ type: 'remove', member: 3 });
    expect(leader.hears(3, { type: 'register' }).sent('register/answer')).toHaveLength(1);
    expect(leader.timer('heartbeat').sent('remove')).toEqual([]);
    expect(knownTo(leader)).toEqual(three);
  });

  it('an unknown voter cannot be removed', () => {
    const outcome = { status: 'refused', reason: '9 is not a known voter' };
    expect(registered(1, three).command({ type: 'remove', member: 9 }).effects).toEqual([
      { type: 'answer', command: 1, outcome },
    ]);
  });

  it('add: it joins by itself, follows the leader, votes and can win', () => {
    const winners = new Set<unknown>();
    for (let seed = 1; seed <= 20; seed++) {
      const { final, claims } = play(
        {
          protocol: 'draw',
          members: 3,
          untilMs: 20_000,
          events: [
            { atMs: 3000, do: 'add', member: 4 },
            { atMs: 6000, do: 'campaign', member: 4 },
          ],
        },
        seed,
      );
      expect(final.agreed).toBe(true);
      expect(claims).toHaveLength(2);
      winners.add(final.leader);
    }
    expect(winners).toEqual(new Set([1, 2, 3, 4]));
  });

  it('remove: role none, forgotten by all, back after a restart', () => {
    const events = [{ atMs: 3000, do: 'remove', member: 1 }];
    const scenario = { protocol: 'draw', members: 4, untilMs: 20_000, network: { loss: 0.1 } };
    for (let seed = 1; seed <= 20; seed++) {
      const { views } = play({ ...scenario, events }, seed).final;
      expect(views['1']).toMatchObject({ role: 'none', leader: null });
      const restart = { atMs: 10_000, do: 'restart', member: 1 };
      const { final } = play({ ...scenario, events: [...events, restart] }, seed);
      expect(final.agreed).toBe(true);
    }
  });
});
