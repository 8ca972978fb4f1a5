import { describe, expect, it } from 'vitest';
import { Random } from '../../src/core/index.ts';
import {
  cast,
  certify,
  following,
  knownTo,
  leading,
  registered,
  result,
  sentTo,
  starting,
  status,
} from '../support/draw.ts';
import { play } from '../support/play.ts';
import type { Solo } from '../support/solo.ts';

const five = [1, 2, 3, 4, 5];
const quorum = { options: { quorum: true } };
const start = (election: number, voters: number[]) => ({ type: 'election/start', election, voters });

/** Everybody draws less than voter `id`, and says so. */
function wins(solo: Solo, id: number, election: number, voters: number[]): Solo {
  solo.take({ type: 'drawn', draw: `${election}/1`, value: '9' });
  const others = voters.filter((voter) => voter !== id);
  for (const other of others) solo.hears(other, cast(election, voters, '1'));
  for (const other of others) solo.hears(other, result(election, id));
  return solo;
}

describe('with quorum: "certified only with a majority of the configured voters"', () => {
  it('the winner leads as soon as a majority has certified, not before', () => {
    const winner = wins(registered(1, five, quorum).hears(2, start(1, five)), 1, 1, five);
    expect(winner.hears(2, certify(1, 1)).reported()).toBeUndefined();
    expect(winner.hears(2, certify(1, 1)).reported()).toBeUndefined();
    expect(winner.hears(4, certify(1, 1)).reported()).toMatchObject({ role: 'leader', term: 1 });
  });

  it('the majority is that of the configured voters, not of those that took part', () => {
    const voters = [1, 2];
    const winner = wins(registered(1, five, quorum).hears(2, start(1, voters)), 1, 1, voters);
    expect(winner.hears(2, certify(1, 1)).reported()).toBeUndefined();
    const plain = wins(registered(1, five).hears(2, start(1, voters)), 1, 1, voters);
    expect(plain.hears(2, certify(1, 1)).reported()).toMatchObject({ role: 'leader' });
  });

  it('voters that were added later vote, but do not count', () => {
    const voters = [1, 2, 7, 8];
    const winner = wins(registered(1, five, quorum).hears(2, start(1, voters)), 1, 1, voters);
    for (const from of [2, 7, 8]) expect(winner.hears(from, certify(1, 1)).reported()).toBeUndefined();
  });

  it('a voter that was added later learns from its registration whose majority counts', () => {
    // It was told of the others and itself: with itself, three of these five would be enough.
    const added = starting(9, [1, 2, 3, 4, 9], quorum);
    added.hears(1, { type: 'register/answer', ...status([1, 2, 3, 4]), configured: [1, 2, 3, 4] });
    const voters = [1, 2, 3, 4, 9];
    wins(added.hears(1, start(1, voters)), 9, 1, voters);
    expect(added.hears(1, certify(1, 9)).hears(2, certify(1, 9)).reported()).toBeUndefined();
    expect(added.hears(3, certify(1, 9)).reported()).toMatchObject({ role: 'leader' });
  });

  it('no election starts that could not be certified', () => {
    const voter = starting(1, five, quorum).hears(2, { type: 'register' });
    voter.timer('heartbeat').hears(2, { type: 'status/answer', ...status([1, 2]) });
    expect(voter.timer('check').effects).toEqual([]);
    expect(voter.command({ type: 'campaign' }).effects).toEqual([
      { type: 'answer', command: 1, outcome: { status: 'refused', reason: expect.any(String) } },
    ]);
  });

  it('the number of an election is saved before anything of it is sent, and used only once', () => {
    const voter = registered(1, five, quorum).hears(2, start(4, five));
    expect(voter.saved()).toEqual([{ election: 4, term: 0 }]);
    expect(voter.sent()).toEqual([]);
    const restarted = registered(1, five, { ...quorum, saved: { election: 4, term: 0 } });
    expect(restarted.hears(2, start(4, five)).effects).toEqual([]);
    expect(restarted.hears(2, cast(4, five, '1')).effects).toEqual([]);
    expect(restarted.hears(2, start(5, five)).saved()).toEqual([{ election: 5, term: 0 }]);
  });

  it('a leadership is saved before it is claimed; the term outlives a crash, the leadership does not', () => {
    const voters = [1, 2, 3];
    const leader = wins(registered(1, voters, quorum).hears(2, start(1, voters)), 1, 1, voters);
    leader.hears(3, certify(1, 1));
    const outward = leader.effects.filter((effect) => effect.type !== 'cancel-timer').map(({ type }) => type);
    expect(outward).toEqual(['save', 'report', 'send', 'send']);
    expect(leader.saved()).toEqual([{ election: 1, term: 1 }]);
    const restarted = starting(1, [1, 2, 3], { ...quorum, saved: { election: 1, term: 1 } });
    expect(restarted.reported()).toMatchObject({ role: 'none', leader: null, term: 1 });
  });

  it('a leader that has lost sight of a majority steps down', () => {
    const leader = leading(1, [1, 2, 3], quorum);
    for (let beat = 1; beat <= 4; beat++) expect(leader.timer('heartbeat').reported()).toBeUndefined();
    expect(leader.timer('heartbeat').reported()).toMatchObject({ role: 'follower', leader: null, term: 1 });
    const plain = leading(1, [1, 2, 3]);
    for (let beat = 1; beat <= 6; beat++)
      expect(plain.timer('heartbeat').reported()?.role ?? 'leader').toBe('leader');
  });

  it('a follower of a lost leader in the minority forgets it and waits', () => {
    const follower = following(2, 1, 1, [1, 2, 3], quorum);
    for (let beat = 1; beat <= 5; beat++) follower.timer('heartbeat');
    expect(follower.timer('check').reported()).toMatchObject({ leader: null, term: 1 });
    expect(sentTo(follower, 'election/start')).toEqual([]);
    expect(knownTo(follower)).toEqual([1]);
  });

  it('a minority never has a leader for long, and the majority has one', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const events = [
        { atMs: 5000, do: 'partition', groups: [['leader', 'random'], ['followers']] },
        { atMs: 25_000, do: 'heal' },
      ];
      const { doubleMs, final, claims } = play(
        { protocol: 'draw', ...quorum, untilMs: 40_000, events },
        seed,
      );
      expect(doubleMs).toBeLessThan(1500);
      expect(final.agreed).toBe(true);
      expect(claims.length).toBeLessThanOrEqual(2);
    }
  });

  it('a leader that speaks but no longer hears steps down, and cannot keep the others from electing another', () => {
    const events = [{ atMs: 5000, do: 'cut', from: 'all', to: 'leader', oneWay: true }];
    for (let seed = 1; seed <= 20; seed++) {
      const { claims, doubleMs } = play({ protocol: 'draw', ...quorum, untilMs: 60_000, events }, seed);
      expect(doubleMs).toBe(0);
      expect(claims).toHaveLength(2);
      expect(claims[1]!.fromMs).toBeLessThan(16_000);
      expect(claims[1]!.toMs).toBe(60_000);
    }
  });
});

const CALM_MS = 20_000;

/** Everything that the promises allow for, drawn from a seed; no lost disks and no forged messages. */
function attack(seed: number, options: object): object {
  const random = new Random(seed, 'attack on draw');
  const members = random.between(2, 6);
  const events: object[] = [];
  const someone = () => random.pick(['leader', 'random', 'followers'])!;
  for (let i = random.between(10, 60); i > 0; i--) {
    const atMs = random.between(0, CALM_MS - 1);
    const laterMs = Math.min(CALM_MS - 1, atMs + random.between(1, 3000));
    switch (random.below(10)) {
      case 0:
        events.push(
          { atMs, do: 'crash', member: someone() },
          { atMs: laterMs, do: 'restart', member: 'all' },
        );
        break;
      case 1:
        events.push({ atMs, do: 'pause', member: someone() }, { atMs: laterMs, do: 'resume', member: 'all' });
        break;
      case 2:
        events.push({ atMs, do: 'partition', groups: [['leader', 'random'], ['followers']] });
        events.push({ atMs: laterMs, do: 'heal' });
        break;
      case 3:
        events.push({ atMs, do: 'cut', from: someone(), to: 'random', oneWay: random.chance(0.5) });
        break;
      case 4:
        events.push({ atMs, do: 'campaign', member: random.chance(0.3) ? 'all' : 'random' });
        break;
      case 5:
        events.push({ atMs, do: 'resign', member: 'leader' });
        break;
      case 6: {
        const type = random.pick(['election/certify', 'election/result', 'election/cast', 'heartbeat']);
        events.push({ atMs, do: 'hold', type, count: random.between(1, 10) });
        events.push({ atMs: laterMs, do: 'release', count: 50 });
        break;
      }
      case 7: {
        const fault = random.pick(['stall', 'full', 'torn', 'lose-unsynced']);
        events.push({ atMs, do: 'disk', member: random.chance(0.3) ? 'all' : 'random', fault });
        events.push({ atMs: laterMs, do: 'disk', member: 'all', fault: 'lose-unsynced' });
        break;
      }
      case 8:
        events.push({ atMs, do: 'clock', member: 'random', rate: random.pick([0.2, 1, 5]) });
        break;
      default:
        events.push({ atMs, do: 'add', member: members + random.between(1, 2) });
    }
  }
  const calm = [
    { do: 'disk', member: 'all', fault: 'none' },
    { do: 'network', loss: 0, duplicate: 0, reorder: 0 },
    { do: 'heal' },
    { do: 'release', count: 1000 },
    { do: 'resume', member: 'all' },
    { do: 'clock', member: 'all', rate: 1 },
    { do: 'restart', member: 'all' },
  ].map((event) => ({ atMs: CALM_MS, ...event }));
  return {
    protocol: 'draw',
    options,
    members,
    disk: { syncMs: random.pick([1, [1, 60]]) },
    network: { loss: random.pick([0, 0.1, 0.3]), duplicate: 0.1, reorder: random.pick([0, 0.3]) },
    timing: random.chance(0.5) ? {} : { heartbeatMs: 200, timeoutMs: [50, 150] },
    untilMs: CALM_MS + 30_000,
    events: [...events, ...calm],
  };
}

describe('under attack', () => {
  it('keeps with quorum what it promises, answers every command once, and settles when it is over', () => {
    let claims = 0;
    for (let seed = 1; seed <= 200; seed++) {
      const played = play(attack(seed, { quorum: true }), seed, {
        trace: (line) => {
          if (!('input' in line) || line.input.type !== 'command') return;
          expect(line.effects.filter((effect) => effect.type === 'answer')).toHaveLength(1);
        },
      });
      claims += played.claims.length;
      const broken = played.violations.filter((violation) => violation.claimed);
      expect(broken, `seed ${seed}`).toEqual([]);
      expect(played.final.agreed, `seed ${seed}`).toBe(true);
    }
    expect(claims).toBeGreaterThan(700);
  });

  it('without quorum the same attack breaks them, which is why nothing is promised', () => {
    const broken = new Set<string>();
    for (let seed = 1; seed <= 60; seed++) {
      for (const { property, claimed } of play(attack(seed, {}), seed).violations) {
        expect(claimed).toBe(false);
        broken.add(property);
      }
    }
    for (const property of ['S1', 'S4', 'S9']) expect(broken).toContain(property);
  });
});
