import { describe, expect, it } from 'vitest';
import type { MemberId, Message, TraceLine } from '../../src/core/index.ts';
import { ring } from '../../src/protocols/ring/index.ts';
import { play } from '../support/play.ts';
import { Solo } from '../support/solo.ts';

const five = [1, 2, 3, 4, 5];
const at = (id: number, options: object = {}) => new Solo(ring, id, five, { options });
const restarted = (id: number) => new Solo(ring, id, five, { saved: { started: true } });

/** The n-th message of its sender, as it goes round. */
const passed = (n: number, body: Message & Record<string, unknown>) => ({
  ...body,
  incarnation: 1,
  sequence: n,
});
const told = (leader: MemberId, round = 0) => ({ leader, round });
const duty = (step: number, follows = told(1)) => ({ type: 'heartbeat-invoke', ...follows, step });
const election = (ids: number[], round = 1) => ({ type: 'election', ids, round });
const alive = (step: number, follows = told(1)) => ({ type: 'alive', ...follows, step });

/** Lets all attempts to reach somebody run out. */
function silence(member: Solo, timer: 'ack' | 'answer'): Solo {
  return member.timer(timer).timer(timer).timer(timer);
}

function bodies(member: Solo, type: string): { to: MemberId; body: Record<string, unknown> }[] {
  return member.sent(type).map(({ to, message }) => {
    const { incarnation: _, sequence: __, ...body } = message as unknown as Record<string, unknown>;
    return { to, body };
  });
}

/** Everything of one type that arrived in a run: at whom, and what. */
function arrivals(scenario: object, types: string[], seed = 1): { at: MemberId; message: Message }[] {
  const found: { at: MemberId; message: Message }[] = [];
  play(scenario, seed, {
    trace: (line: TraceLine) => {
      if (!('input' in line) || line.input.type !== 'message') return;
      if (types.includes(line.input.message.type))
        found.push({ at: line.member, message: line.input.message });
    },
  });
  return found;
}

describe('seed 000, ring', () => {
  it('"the instance with the smallest (or largest) id must be the initial leader"', () => {
    expect(at(1).reported()).toMatchObject({ role: 'leader', leader: 1, term: null });
    expect(at(4).reported()).toMatchObject({ role: 'follower', leader: 1 });
    expect(at(5, { prefer: 'highest' }).reported()).toMatchObject({ role: 'leader', leader: 5 });
    expect(at(1, { prefer: 'highest' }).reported()).toMatchObject({ role: 'follower', leader: 5 });
  });

  it('the first heartbeat duty is with the one after the leader (in the seed 2, while 1 leads)', () => {
    expect(bodies(at(2), 'heartbeat')).toEqual([
      { to: 1, body: { type: 'heartbeat', leader: 1, round: 0, step: 1 } },
    ]);
    for (const id of [1, 3, 4, 5]) expect(at(id).sent()).toEqual([]);
    expect(at(1, { prefer: 'highest' }).sent('heartbeat')).toMatchObject([{ to: 5 }]);
    expect(at(2, { prefer: 'highest' }).sent()).toEqual([]);
  });

  it('"after receiving the message, the instance will send a heartbeat to the leader to check its health"', () => {
    const holder = at(4).hears(3, passed(1, duty(2)));
    expect(holder.sent('ack')).toEqual([{ to: 3, message: passed(1, { type: 'ack' }) }]);
    expect(bodies(holder, 'heartbeat')).toEqual([
      { to: 1, body: { type: 'heartbeat', leader: 1, round: 0, step: 3 } },
    ]);
  });

  it('"if it is alive, it will inform the next instance to do the heartbeat", after the interval', () => {
    const holder = at(2).hears(1, alive(1));
    expect(holder.sent()).toEqual([]);
    expect(holder.timersSet()).toEqual({ heartbeat: 1000 });
    expect(bodies(holder.timer('heartbeat'), 'heartbeat-invoke')).toEqual([{ to: 3, body: duty(1) }]);
  });

  it('a leader that holds the duty has nobody to ask', () => {
    const leader = at(1).hears(5, passed(1, duty(4)));
    expect(leader.sent('heartbeat')).toEqual([]);
    expect(leader.timersSet()).toMatchObject({ heartbeat: 1000 });
  });

  it('"if not, it will start the election process": no answer within 2·maxTransmissionMs + maxProcessingMs, thrice', () => {
    const holder = at(2);
    expect(holder.timersSet()).toMatchObject({ answer: 50 });
    expect(holder.timer('answer').sent('heartbeat')).toHaveLength(1);
    expect(holder.timer('answer').sent('heartbeat')).toHaveLength(1);
    expect(bodies(holder.timer('answer'), 'election')).toEqual([{ to: 3, body: election([2]) }]);
    const once = at(2, { missedHeartbeatTolerance: 0 });
    expect(once.timer('answer').sent('election')).toHaveLength(1);
  });

  it('an answer to an earlier check does not count', () => {
    const holder = at(2)
      .hears(1, alive(1))
      .hears(1, passed(1, duty(5)));
    expect(holder.sent('heartbeat')).toHaveLength(1);
    expect(holder.hears(1, alive(1)).timersSet()).toEqual({});
    expect(holder.hears(1, alive(6)).timersSet()).toEqual({ heartbeat: 1000 });
  });

  it('"it will add its local ID to the list and send the message to the next instance in the ring"', () => {
    expect(bodies(at(4).hears(3, passed(1, election([2, 3]))), 'election')).toEqual([
      { to: 5, body: election([2, 3, 4]) },
    ]);
  });

  it('"if the local ID is contained in the list, the instance will select the instance with the smallest ID"', () => {
    const decide = (id: number, ids: number[], options?: object) =>
      bodies(at(id, options).hears(id === 1 ? 5 : id - 1, passed(1, election(ids))), 'leader');
    expect(decide(2, [2, 3, 4, 5])).toEqual([{ to: 3, body: { type: 'leader', leader: 2, round: 1 } }]);
    expect(decide(4, [4, 5, 2, 3])).toEqual([{ to: 5, body: { type: 'leader', leader: 2, round: 1 } }]);
    expect(decide(2, [2, 3, 4], { prefer: 'highest' })).toEqual([
      { to: 3, body: { type: 'leader', leader: 4, round: 1 } },
    ]);
  });

  it('"set the leader ID to be the new one and send the message to the next instance until all are informed"', () => {
    const member = at(3).hears(2, passed(1, { type: 'leader', ...told(2, 1) }));
    expect(member.reported()).toMatchObject({ role: 'follower', leader: 2 });
    expect(bodies(member, 'leader')).toEqual([{ to: 4, body: { type: 'leader', leader: 2, round: 1 } }]);
    member.hears(4, passed(1, { type: 'ack' }));
    member.hears(2, passed(2, { type: 'leader', ...told(2, 1) }));
    expect(member.reported()).toBeUndefined();
    expect(member.sent('leader')).toEqual([]);
    expect(bodies(member, 'heartbeat-invoke')).toEqual([{ to: 4, body: duty(2, told(2, 1)) }]);
  });

  it('the console output: 2 / 2,3 / 2,3,4 / 2,3,4,5, then leader 2 goes round to 3, and 4 has the duty', () => {
    const found = arrivals(
      {
        protocol: 'ring',
        members: 5,
        untilMs: 1000,
        network: { latencyMs: 5 },
        events: [{ atMs: 1, do: 'crash', member: 1 }],
      },
      ['election', 'leader', 'heartbeat-invoke'],
    );
    const told = found.map(({ at, message }) => {
      const { ids, leader } = message as unknown as { ids?: number[]; leader?: number };
      return `${at} ${message.type} ${ids?.join() ?? leader}`;
    });
    expect(told).toEqual([
      '3 election 2',
      '4 election 2,3',
      '5 election 2,3,4',
      '2 election 2,3,4,5',
      '3 leader 2',
      '4 leader 2',
      '5 leader 2',
      '2 leader 2',
      '3 leader 2',
      '4 heartbeat-invoke 2',
    ]);
  });
});

describe('the next live member', () => {
  const electing = () => silence(at(2), 'answer');

  it('is the next one that acknowledges: no ack in time, the one after', () => {
    const member = electing();
    expect(member.timersSet()).toMatchObject({ ack: 50 });
    expect(member.timer('ack').sent()).toMatchObject([{ to: 3 }]);
    expect(member.timer('ack').sent()).toMatchObject([{ to: 3 }]);
    expect(bodies(member.timer('ack'), 'election')).toEqual([{ to: 4, body: election([2]) }]);
    member.hears(4, passed(1, { type: 'ack' }));
    expect(member.timer('ack').effects).toEqual([]);
  });

  it('is oneself when all the others are silent: it elects itself and keeps the duty', () => {
    const member = electing();
    for (const to of [3, 4, 5, 1]) {
      expect(member.sent()).toMatchObject([{ to }]);
      silence(member, 'ack');
    }
    for (const to of [3, 4, 5, 1]) {
      expect(bodies(member, 'leader')).toEqual([{ to, body: { type: 'leader', leader: 2, round: 1 } }]);
      silence(member, 'ack');
    }
    expect(member.reported()).toMatchObject({ role: 'leader', leader: 2 });
  });

  it('an ack of another message or of an earlier life changes nothing', () => {
    const member = electing();
    expect(member.hears(3, { type: 'ack', incarnation: 1, sequence: 2 }).effects).toEqual([]);
    expect(member.hears(3, { type: 'ack', incarnation: 0, sequence: 1 }).effects).toEqual([]);
    expect(member.timer('ack').sent('election')).toHaveLength(1);
  });

  it('acknowledges every copy of a message and takes the first', () => {
    const member = at(4).hears(3, passed(7, election([3])));
    expect(member.sent('election')).toHaveLength(1);
    member.hears(5, passed(1, { type: 'ack' }));
    for (const sequence of [7, 6]) {
      member.hears(3, passed(sequence, election([3])));
      expect(member.sent()).toEqual([{ to: 3, message: passed(sequence, { type: 'ack' }) }]);
    }
    member.hears(3, { ...election([3]), incarnation: 2, sequence: 1 });
    expect(member.sent('election')).toHaveLength(1);
  });

  it('keeps the order: what comes while a message is under way waits for its ack', () => {
    const member = at(4).hears(3, passed(1, election([3])));
    expect(member.hears(3, passed(2, { type: 'leader', ...told(2, 5) })).sent('leader')).toEqual([]);
    expect(member.hears(5, passed(1, { type: 'ack' })).sent('leader')).toMatchObject([{ to: 5 }]);
  });

  it('of messages about the same thing that wait, the latest is enough', () => {
    const member = at(4).hears(3, passed(1, election([3])));
    for (const round of [5, 6, 7]) member.hears(3, passed(round, { type: 'leader', ...told(2, round) }));
    member.hears(5, passed(1, { type: 'ack' }));
    expect(bodies(member, 'leader')).toEqual([{ to: 5, body: { type: 'leader', leader: 2, round: 7 } }]);
    expect(member.hears(5, passed(2, { type: 'ack' })).sent()).toEqual([]);
  });

  it('a ring of one leads itself, on the first day and after a restart', () => {
    expect(new Solo(ring, 'a', ['a']).reported()).toMatchObject({ role: 'leader', leader: 'a' });
    const again = new Solo(ring, 'a', ['a'], { saved: { started: true } });
    expect(again.reported()).toMatchObject({ role: 'follower', leader: null });
    expect(again.timer('timeout').reported()).toMatchObject({ role: 'leader', leader: 'a' });
    expect(again.timersSet()).toMatchObject({ heartbeat: 1000 });
  });

  it('strangers are not heard', () => {
    const member = at(3);
    expect(member.hears(9, passed(1, election([9]))).effects).toEqual([]);
    expect(member.hears(9, { ...alive(0), leader: 2, round: 9 }).effects).toEqual([]);
    expect(member.hears(9, { ...alive(0), type: 'heartbeat', leader: 2, round: 9 }).effects).toEqual([]);
    expect(member.hears(2, passed(1, { type: 'leader', ...told(9, 1) })).reported()).toBeUndefined();
    expect(bodies(at(3).hears(2, passed(1, election([0, 3]))), 'leader')).toMatchObject([
      { body: { leader: 3 } },
    ]);
  });
});

describe('what a network needs', () => {
  it('a member that ran before knows no leader until the duty comes by, and claims nothing', () => {
    expect(at(1).saved()).toEqual([{ started: true }]);
    const back = restarted(1);
    expect(back.reported()).toMatchObject({ role: 'follower', leader: null });
    expect(back.sent()).toEqual([]);
    back.hears(5, passed(1, duty(9, told(2, 1))));
    expect(back.reported()).toMatchObject({ role: 'follower', leader: 2 });
  });

  it('a leader that forgot is told by the check, and answers', () => {
    const back = restarted(2).hears(4, { type: 'heartbeat', ...told(2, 3), step: 8 });
    expect(back.reported()).toMatchObject({ role: 'leader', leader: 2 });
    expect(back.sent()).toEqual([{ to: 4, message: alive(8, told(2, 3)) }]);
  });

  it('a holder that asks a leader of the past learns of the newer one from the answer', () => {
    const holder = at(2).hears(1, alive(1, told(3, 2)));
    expect(holder.reported()).toMatchObject({ role: 'follower', leader: 3 });
    expect(holder.timersSet()).toEqual({ heartbeat: 1000 });
  });

  it('a holder that is told of a new leader while it checks asks that one', () => {
    const holder = at(2).hears(4, { type: 'heartbeat', ...told(3, 1), step: 0 });
    expect(holder.timer('answer').sent('heartbeat')).toMatchObject([{ to: 3 }]);
  });

  it('of two leaders that meet, the one of the later round stays; in one round, the preferred', () => {
    const leader = at(1).hears(5, passed(1, duty(4, told(3, 1))));
    expect(leader.reported()).toMatchObject({ role: 'follower', leader: 3 });
    expect(leader.hears(5, passed(2, { type: 'leader', ...told(4, 1) })).reported()).toBeUndefined();
    expect(leader.hears(5, passed(3, { type: 'leader', ...told(2, 1) })).reported()).toMatchObject({
      leader: 2,
    });
    expect(leader.hears(5, passed(4, { type: 'leader', ...told(1, 0) })).reported()).toBeUndefined();
  });

  it('an election ends at a member that knows a leader of its round or a later one, and that one goes round', () => {
    for (const round of [5, 6]) {
      const member = at(3).hears(2, passed(1, duty(1, told(2, 6))));
      member.hears(2, passed(2, election([1, 2], round)));
      expect(member.sent('election')).toEqual([]);
      expect(bodies(member, 'leader')).toEqual([{ to: 4, body: { type: 'leader', leader: 2, round: 6 } }]);
    }
    const behind = at(3).hears(2, passed(1, duty(1, told(2, 6))));
    expect(behind.hears(2, passed(2, election([1, 2], 7))).sent('election')).toHaveLength(1);
  });

  it('of two duties, the one that has come less far ends at the first member that had the other', () => {
    const member = at(4).hears(3, passed(1, duty(7)));
    expect(member.sent('heartbeat')).toHaveLength(1);
    expect(member.hears(2, passed(1, duty(6))).sent('heartbeat')).toEqual([]);
    expect(member.hears(3, passed(2, duty(12))).sent('heartbeat')).toHaveLength(1);
  });

  it('a duty has come past the members that were skipped, too', () => {
    expect(
      at(4)
        .hears(2, passed(1, duty(1)))
        .sent('heartbeat'),
    ).toMatchObject([{ message: { step: 3 } }]);
    expect(at(1).hears(1, passed(1, duty(1))).effects).toEqual([]);
  });

  it('a leader message that a later election has overtaken ends, and starts no duty', () => {
    const member = at(3).hears(2, passed(1, duty(1, told(2, 6))));
    for (const stale of [told(2, 5), told(4, 6)]) {
      member.hears(2, { type: 'leader', ...stale, incarnation: 1, sequence: 2 + stale.round });
      expect(member.sent()).toMatchObject([{ message: { type: 'ack' } }]);
    }
  });

  it('an election takes the place of the duty', () => {
    const holder = at(2)
      .hears(1, alive(1))
      .hears(1, passed(1, election([5, 1])));
    expect(holder.timer('heartbeat').effects).toEqual([]);
  });

  it('who has not seen the duty for a lap and timeoutMs makes it again, as if it had come round', () => {
    const member = at(4);
    expect(member.timersSet()).toEqual({ timeout: [7000, 9000] });
    expect(bodies(member.timer('timeout'), 'heartbeat')).toEqual([
      { to: 1, body: { type: 'heartbeat', leader: 1, round: 0, step: 3 } },
    ]);
  });

  it('who makes it and knows no leader starts an election', () => {
    expect(bodies(restarted(4).timer('timeout'), 'election')).toEqual([{ to: 5, body: election([4]) }]);
  });

  it('has no commands', () => {
    for (const type of ['campaign', 'resign'] as const) {
      expect(at(1).command({ type }).effects).toMatchObject([{ outcome: { status: 'refused' } }]);
    }
  });
});
