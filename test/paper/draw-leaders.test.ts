import { describe, expect, it } from 'vitest';
import { cast, following, leading, registered, sentTo, status } from '../support/draw.ts';
import { play } from '../support/play.ts';
import type { Solo } from '../support/solo.ts';

const three = [1, 2, 3];
const start = (election: number, voters: number[]) => ({ type: 'election/start', election, voters });
const drawn = (solo: Solo, draw: string, value: string) => solo.take({ type: 'drawn', draw, value });
const toAll = (voters: number[], message: object) => voters.map((to) => ({ to, message }));

describe('commands', () => {
  const outcomes = (solo: Solo) =>
    solo.effects.filter((effect) => effect.type === 'answer').map((effect) => effect.outcome.status);

  it('resign: the leader stops at once and casts 0 in the election that it starts', () => {
    const leader = leading(1, three).command({ type: 'resign' });
    expect(leader.reported()).toMatchObject({ role: 'follower', leader: null });
    expect(sentTo(leader, 'election/start')).toEqual([2, 3]);
    expect(outcomes(leader)).toEqual(['done']);
    expect(drawn(leader, '2/1', '777').sent()).toEqual(toAll([2, 3], cast(2, three, '0')));
  });

  it('resign hands over for certain, and within a few round trips', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const events = [{ atMs: 5000, do: 'resign', member: 'leader' }];
      const { claims, final } = play({ protocol: 'draw', untilMs: 10_000, events }, seed);
      expect(claims).toHaveLength(2);
      expect(claims[1]!.member).not.toBe(claims[0]!.member);
      expect(claims[1]!.fromMs).toBeLessThan(5060);
      expect(final.agreed).toBe(true);
    }
  });

  it('resign is refused by a follower, and by a leader that knows nobody else', () => {
    expect(outcomes(following(2, 1, 1, three).command({ type: 'resign' }))).toEqual(['refused']);
    const alone = drawn(registered(1, [1]).timer('heartbeat').timer('check'), '1/1', '5');
    expect(alone.reported()).toMatchObject({ role: 'leader', term: 1 });
    expect(outcomes(alone.command({ type: 'resign' }))).toEqual(['refused']);
  });

  it('a leader can be told to remove itself', () => {
    const leader = leading(1, three).command({ type: 'remove', member: 1 });
    expect(leader.sent()).toEqual(toAll([2, 3], { type: 'remove', voterId: 1 }));
    expect(leader.reported()).toMatchObject({ role: 'none', leader: null });
    expect(outcomes(leader)).toEqual(['done']);
  });

  it('every command has exactly one answer, in every role', () => {
    const voters = [() => registered(1, three), () => leading(1, three), () => following(2, 1, 1, three)];
    for (const voter of voters) {
      const refused = voter();
      expect(outcomes(refused.command({ type: 'transfer', to: 2 }))).toEqual(['refused']);
      expect(outcomes(refused.command({ type: 'publish', value: 1 }))).toEqual(['refused']);
      expect(outcomes(voter().command({ type: 'campaign' }))).toEqual(['done']);
      expect(outcomes(voter().command({ type: 'campaign' }).command({ type: 'campaign' }))).toEqual(['done']);
      expect(outcomes(voter().command({ type: 'add', member: 9 }))).toEqual(['done']);
      expect(outcomes(voter().command({ type: 'remove', member: 3 }))).toEqual(['done']);
    }
  });
});

describe('two leaders that meet', () => {
  const claim = (leader: number, term: number) => ({
    type: 'heartbeat',
    ...status(three, { role: 'leader', leader, term, election: term }),
  });

  it('the one of the older election follows the other', () => {
    const leader = leading(1, three).hears(3, claim(3, 2));
    expect(leader.reported()).toMatchObject({ role: 'follower', leader: 3, term: 2 });
    expect(leading(1, three).hears(3, claim(3, 0)).effects).toEqual([]);
  });

  it('if both elections have the same number, they hold a new one, which one of them calls; their followers wait for it', () => {
    expect(leading(1, three).hears(3, claim(3, 1)).sent()).toEqual(toAll([2, 3], start(2, three)));
    expect(leading(3, three).hears(1, claim(1, 1)).effects).toEqual([]);
    expect(following(2, 1, 1, three).hears(3, claim(3, 1)).effects).toEqual([]);
  });

  it('"The voter is orphaned in an isolated region": each part elects its own leader; when they meet, one is left', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const groups = [
        [1, 2],
        [3, 4, 5],
      ];
      const events = [
        { atMs: 0, do: 'partition', groups },
        { atMs: 20_000, do: 'heal' },
      ];
      const { claims, final, doubleMs } = play({ protocol: 'draw', untilMs: 40_000, events }, seed);
      expect(doubleMs).toBeGreaterThan(15_000);
      expect(final.agreed).toBe(true);
      expect(Math.max(...claims.map((each) => each.fromMs))).toBeLessThan(23_000);
    }
  });
});

describe('how it runs', () => {
  it('in calm, the first leader stays: no change in ten minutes', () => {
    for (const options of [{}, { quorum: true }]) {
      const { claims } = play({ protocol: 'draw', options, untilMs: 600_000 });
      expect(claims).toMatchObject([{ term: 1, toMs: 600_000 }]);
      expect(claims[0]!.fromMs).toBeLessThan(1600);
    }
  });

  it('and so it does when every tenth message is lost and every tenth comes twice', () => {
    for (const options of [{}, { quorum: true }]) {
      const { claims } = play({
        protocol: 'draw',
        options,
        untilMs: 600_000,
        network: { loss: 0.1, duplicate: 0.1 },
      });
      expect(claims).toHaveLength(1);
    }
  });

  it('every voter can win, and about as often as any other', () => {
    const wins = new Map<unknown, number>();
    for (let seed = 1; seed <= 300; seed++) {
      const { leader } = play({ protocol: 'draw', members: 3, untilMs: 3000 }, seed).final;
      wins.set(leader, (wins.get(leader) ?? 0) + 1);
    }
    for (const id of three) expect(wins.get(id)).toBeGreaterThan(70);
  });

  it('a leader that dies is replaced once it has missed more heartbeats than are tolerated', () => {
    const events = [{ atMs: 10_000, do: 'crash', member: 'leader' }];
    for (let seed = 1; seed <= 20; seed++) {
      const { claims, final } = play({ protocol: 'draw', untilMs: 30_000, events }, seed);
      expect(claims).toHaveLength(2);
      expect(claims[1]!.fromMs).toBeGreaterThan(13_000);
      expect(claims[1]!.fromMs).toBeLessThan(15_000);
      expect(final.agreed).toBe(true);
    }
  });
});
