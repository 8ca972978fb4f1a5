import { describe, expect, it } from 'vitest';
import type { MemberId, Message } from '../../src/core/index.ts';
import { changRoberts } from '../../src/protocols/chang-roberts/index.ts';
import { play } from '../support/play.ts';
import { Solo } from '../support/solo.ts';

const five = [1, 2, 3, 4, 5];
const at = (id: number, options: object = {}) => new Solo(changRoberts, id, five, { options });

/** The n-th message of its sender, as it goes round. */
const passed = (n: number, body: Message & Record<string, unknown>) => ({
  ...body,
  incarnation: 1,
  sequence: n,
});
const election = (candidate: MemberId | null) => ({ type: 'election', candidate });
const elected = (leader: MemberId) => ({ type: 'elected', leader });

/** A member whose first message was taken by the next one. */
const participant = (id: number) => at(id).hears((id % 5) + 1, passed(1, { type: 'ack' }));
/** A member of a ring in which 5 leads. */
const follower = (id: number) =>
  participant(id)
    .hears(id - 1 || 5, passed(1, elected(5)))
    .hears((id % 5) + 1, passed(2, { type: 'ack' }));
const leader = () =>
  participant(5)
    .hears(4, passed(1, election(5)))
    .hears(1, passed(2, { type: 'ack' }));

function bodies(member: Solo): { to: MemberId; body: Record<string, unknown> }[] {
  return member
    .sent()
    .filter(({ message }) => message.type !== 'ack')
    .map(({ to, message }) => {
      const { incarnation: _, sequence: __, ...body } = message as unknown as Record<string, unknown>;
      return { to, body };
    });
}

function silence(member: Solo): Solo {
  return member.timer('ack').timer('ack').timer('ack');
}

describe('seed 001, ring algorithm', () => {
  it('"the initial state of a process is undefined"', () => {
    expect(at(3).effects.find((effect) => effect.type === 'report')).toMatchObject({
      view: { leader: null },
    });
  });

  it('"at the start of an election, the process marks itself as participating, and sends a message in the direction of the ring, indicating that it is the leader"', () => {
    const member = at(3);
    expect(member.reported()).toMatchObject({ role: 'candidate', leader: null });
    expect(bodies(member)).toEqual([{ to: 4, body: election(3) }]);
  });

  it('"if not participating: changes its state to participating, compares the identifier with its own, replaces it if its own is larger, and forwards the message"', () => {
    const larger = follower(3).hears(2, passed(2, election(2)));
    expect(larger.reported()).toMatchObject({ role: 'candidate', leader: null });
    expect(bodies(larger)).toEqual([{ to: 4, body: election(3) }]);
    const smaller = follower(3).hears(2, passed(2, election(4)));
    expect(smaller.reported()).toMatchObject({ role: 'candidate', leader: null });
    expect(bodies(smaller)).toEqual([{ to: 4, body: election(4) }]);
  });

  it('"if participating: smaller than its own, it does not forward the message"', () => {
    expect(bodies(participant(3).hears(2, passed(1, election(2))))).toEqual([]);
  });

  it('"if participating: larger than its own, it forwards the message"', () => {
    const member = participant(3).hears(2, passed(1, election(4)));
    expect(bodies(member)).toEqual([{ to: 4, body: election(4) }]);
    expect(member.reported()).toBeUndefined();
  });

  it('"if participating: equal to its own, then it is the leader", "changes its state to not participating, and sends a message leader elected"', () => {
    const member = participant(3).hears(2, passed(1, election(3)));
    expect(member.reported()).toMatchObject({ role: 'leader', leader: 3, term: null });
    expect(bodies(member)).toEqual([{ to: 4, body: elected(3) }]);
    member.hears(4, passed(2, { type: 'ack' }));
    // Not participating: it joins the next election anew.
    member.hears(2, passed(2, election(1)));
    expect(member.reported()).toMatchObject({ role: 'candidate', leader: null });
  });

  it('"when a process receives leader elected, it changes its state to not participating, and records the new leader; if the identifier is not its own, it forwards the message"', () => {
    const member = participant(3).hears(2, passed(1, elected(5)));
    expect(member.reported()).toMatchObject({ role: 'follower', leader: 5 });
    expect(bodies(member)).toEqual([{ to: 4, body: elected(5) }]);
    expect(bodies(leader().hears(4, passed(2, elected(5))))).toEqual([]);
  });

  it('"any process may start a new leader election"', () => {
    const member = follower(2).command({ type: 'campaign' });
    expect(bodies(member)).toEqual([{ to: 3, body: election(2) }]);
    expect(member.effects.at(-1)).toMatchObject({ type: 'answer', outcome: { status: 'done' } });
    member.hears(3, passed(3, { type: 'ack' }));
    expect(bodies(member.command({ type: 'campaign' }))).toEqual([]);
  });

  it('"all processes either end with the state defined, or start a new election": a result that does not come is not waited for', () => {
    const member = participant(2);
    expect(at(2).timersSet()).toMatchObject({ timeout: [4000, 5500] });
    expect(bodies(member.timer('timeout'))).toEqual([{ to: 3, body: election(2) }]);
  });
});

describe('"re-elections must be allowed in case the leader process decides to step down"', () => {
  const resigned = () => leader().command({ type: 'resign' });

  it('it starts an election and does not stand', () => {
    const member = resigned();
    expect(member.reported()).toMatchObject({ role: 'candidate', leader: null });
    expect(bodies(member)).toEqual([{ to: 1, body: election(null) }]);
    expect(member.effects.at(-1)).toMatchObject({ type: 'answer', outcome: { status: 'done' } });
  });

  it('nobody is smaller than everybody: the next one stands, whoever participates swallows it', () => {
    expect(bodies(follower(1).hears(5, passed(2, election(null))))).toEqual([{ to: 2, body: election(1) }]);
    expect(bodies(participant(1).hears(5, passed(1, election(null))))).toEqual([]);
  });

  it('it lets the others pass, and does not take its own old id for a victory', () => {
    const member = resigned().hears(1, passed(3, { type: 'ack' }));
    expect(bodies(member.hears(4, passed(2, election(4))))).toEqual([{ to: 1, body: election(4) }]);
    member.hears(1, passed(4, { type: 'ack' }));
    expect(bodies(member.hears(4, passed(3, election(5))))).toEqual([]);
    expect(member.reported()).toBeUndefined();
  });

  it('when nobody else is left, it leads again', () => {
    const member = resigned();
    for (const to of [1, 2, 3, 4]) {
      expect(bodies(member)).toEqual([{ to, body: election(null) }]);
      silence(member);
    }
    for (const to of [1, 2, 3, 4]) {
      expect(bodies(member)).toEqual([{ to, body: election(5) }]);
      silence(member);
    }
    expect(member.reported()).toMatchObject({ role: 'leader', leader: 5 });
  });

  it('once another leads, it may win the next election', () => {
    const member = resigned().hears(1, passed(3, { type: 'ack' }));
    member.hears(4, passed(2, elected(4))).hears(1, passed(4, { type: 'ack' }));
    expect(bodies(member.command({ type: 'campaign' }))).toEqual([{ to: 1, body: election(5) }]);
  });

  it('who does not lead cannot step down', () => {
    expect(follower(3).command({ type: 'resign' }).effects).toMatchObject([
      { outcome: { status: 'refused' } },
    ]);
  });

  it('in a whole run the next largest leads, and stays', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const scenario = {
        protocol: 'chang-roberts',
        members: 5,
        events: [{ atMs: 5000, do: 'resign', member: 'leader' }],
      };
      const { final, changes } = play(scenario, seed);
      expect(final, `seed ${seed}`).toMatchObject({ agreed: true, leader: 4 });
      expect(changes).toBe(1);
    }
  });
});

describe('"… or is down"', () => {
  it('the leader sends a heartbeat to everybody; who hears none in time starts an election', () => {
    const first = participant(5).hears(4, passed(1, election(5)));
    expect(first.timersSet()).toMatchObject({ heartbeat: 1000 });
    expect(bodies(first.timer('heartbeat'))).toEqual(
      [1, 2, 3, 4].map((to) => ({ to, body: { type: 'heartbeat' } })),
    );
    const member = follower(3).hears(5, { type: 'heartbeat' });
    expect(member.timersSet()).toEqual({ timeout: [2500, 4000] });
    expect(bodies(member.timer('timeout'))).toEqual([{ to: 4, body: election(3) }]);
  });

  it('a heartbeat ends a participation, as elected does', () => {
    const member = participant(3).hears(4, { type: 'heartbeat' });
    expect(member.reported()).toMatchObject({ role: 'follower', leader: 4 });
  });

  it('of two leaders, the larger id stays', () => {
    expect(leader().hears(4, { type: 'heartbeat' }).reported()).toBeUndefined();
    expect(follower(3).hears(4, { type: 'heartbeat' }).effects).toEqual([]);
    const smaller = participant(4)
      .hears(3, passed(1, election(4)))
      .hears(5, { type: 'heartbeat' });
    expect(smaller.reported()).toMatchObject({ role: 'follower', leader: 5 });
    expect(smaller.timer('heartbeat').effects).toEqual([]);
  });

  it('a message is not handed past the dead member whose id it bears', () => {
    const before = participant(4).hears(3, passed(1, election(5)));
    expect(bodies(before)).toEqual([{ to: 5, body: election(5) }]);
    expect(silence(before).sent()).toEqual([]);
    const announcing = participant(4).hears(3, passed(1, elected(5)));
    expect(silence(announcing).sent()).toEqual([]);
    // The dead one's neighbour is skipped for any other message.
    const other = participant(3).hears(2, passed(1, election(5)));
    expect(bodies(silence(other))).toEqual([{ to: 5, body: election(5) }]);
  });

  it('strangers neither stand nor lead', () => {
    expect(bodies(follower(3).hears(2, passed(2, election(9))))).toEqual([]);
    expect(
      follower(3)
        .hears(2, passed(2, elected(9)))
        .reported(),
    ).toBeUndefined();
    expect(follower(3).hears(9, { type: 'heartbeat' }).effects).toEqual([]);
    expect(follower(3).hears(9, passed(1, election(4))).effects).toEqual([]);
  });
});

describe('whole runs', () => {
  const run = (events: object[], more: object = {}) =>
    ({ protocol: 'chang-roberts', members: 5, untilMs: 30_000, events, ...more }) as const;
  const seeds = Array.from({ length: 50 }, (_, i) => i + 1);

  it('the leader dies: the next largest leads; when it comes back, the largest leads again', () => {
    for (const seed of seeds) {
      const dies = [{ atMs: 2000, do: 'crash', member: 5 }];
      expect(play(run(dies), seed).final, `seed ${seed}`).toMatchObject({ agreed: true, leader: 4 });
      const returns = [...dies, { atMs: 12_000, do: 'restart', member: 5 }];
      expect(play(run(returns), seed).final, `seed ${seed}`).toMatchObject({ agreed: true, leader: 5 });
    }
  });

  it('the favourite dies while its id goes round: its message ends, the marks are cleared, the next leads', () => {
    for (let atMs = 1; atMs <= 60; atMs += 3) {
      const { final, messages } = play(
        run([{ atMs, do: 'crash', member: 5 }], { network: { latencyMs: 5 } }),
      );
      expect(final, `at ${atMs} ms`).toMatchObject({ agreed: true, leader: 4 });
      for (const view of Object.values(final.views)) expect(view.role).not.toBe('candidate');
      expect(messages.byType.election).toBeLessThan(60);
    }
  });

  it('each side of a partition elects; when it heals, all follow the larger leader', () => {
    const groups = [
      [1, 2, 3],
      [4, 5],
    ];
    for (const seed of seeds) {
      const { final, doubleMs } = play(
        run([
          { atMs: 1000, do: 'partition', groups },
          { atMs: 10_000, do: 'heal' },
        ]),
        seed,
      );
      expect(final, `seed ${seed}`).toMatchObject({ agreed: true, leader: 5 });
      expect(doubleMs).toBeGreaterThan(0);
    }
  });

  it('a network that is too slow for its timeouts does not choke the ring: it recovers', () => {
    const slow = run([{ atMs: 20_000, do: 'network', latencyMs: 5 }], { network: { latencyMs: 100 } });
    const { final, messages } = play(slow);
    expect(final).toMatchObject({ agreed: true, leader: 5 });
    expect(messages.total).toBeLessThan(10_000);
  });

  it('a ring of one leads itself', () => {
    expect(new Solo(changRoberts, 'a', ['a']).reported()).toMatchObject({ role: 'leader', leader: 'a' });
  });
});

describe('the number of messages, when all start at once and nothing fails', () => {
  /** Messages of the first election in a ring laid out like this. */
  function count(ring: readonly number[]): { election: number; elected: number } {
    const { messages, final } = play({
      protocol: 'chang-roberts',
      members: ring.length,
      options: { ring },
      network: { latencyMs: 5 },
      untilMs: 500,
    });
    expect(final).toMatchObject({ agreed: true, leader: ring.length });
    const { election = 0, elected = 0, ack = 0 } = messages.byType;
    expect(ack).toBe(election + elected);
    return { election, elected };
  }

  function permutations(items: readonly number[]): number[][] {
    if (items.length === 0) return [[]];
    return items.flatMap((first) =>
      permutations(items.filter((each) => each !== first)).map((rest) => [first, ...rest]),
    );
  }

  /** Every ring of n members, each once: a ring has no first member, so n stands first in all. */
  const rings = (n: number) =>
    permutations(Array.from({ length: n - 1 }, (_, i) => i + 1)).map((rest) => [n, ...rest]);

  for (const n of [1, 2, 3, 4, 5, 6]) {
    it(`${n} members, over all rings: n·H_n on average, at best 2n-1, at worst n(n+1)/2, and n elected`, () => {
      // A ring of one hands nothing to anybody.
      const counts = rings(n).map(count);
      if (n === 1) return expect(counts).toEqual([{ election: 0, elected: 0 }]);
      const elections = counts.map((each) => each.election);
      expect(Math.min(...elections)).toBe(2 * n - 1);
      expect(Math.max(...elections)).toBe((n * (n + 1)) / 2);
      // (n-1)!·n·H_n = the sum of n!/k for k = 1…n: whole numbers, so the average is checked exactly.
      const factorial = Array.from({ length: n }, (_, i) => i + 1).reduce((product, k) => product * k, 1);
      const expected = Array.from({ length: n }, (_, i) => factorial / (i + 1)).reduce((a, b) => a + b, 0);
      expect(elections.reduce((a, b) => a + b, 0)).toBe(expected);
      expect(counts.every((each) => each.elected === n)).toBe(true);
    });
  }

  it('ids in the direction of the ring are the best case, against it the worst', () => {
    expect(count([1, 2, 3, 4, 5]).election).toBe(9);
    expect(count([5, 4, 3, 2, 1]).election).toBe(15);
  });

  it('the layout of the ring must name each member once', () => {
    for (const ring of [
      [1, 2],
      [1, 2, 3, 4, 4],
      [1, 2, 3, 4, 6],
    ]) {
      expect(() => play({ protocol: 'chang-roberts', options: { ring } })).toThrow(
        /^options\.ring: .*does not name each of 1, 2, 3, 4, 5 once$/,
      );
    }
  });
});
