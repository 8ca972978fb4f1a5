import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { MemberId, TraceLine } from '../../src/core/index.ts';
import { bully } from '../../src/protocols/bully/index.ts';
import { play } from '../support/play.ts';
import { Solo } from '../support/solo.ts';

const five = [1, 2, 3, 4, 5];
const at = (id: number, options = {}, timing = {}) => new Solo(bully, id, five, { options, timing });
const coordinator = { type: 'coordinator', epoch: 0 };
const election = { type: 'election', epoch: 0 };
const ok = { type: 'ok', epoch: 0 };
const to = (solo: Solo, type: string): MemberId[] => solo.sent(type).map((sent) => sent.to);
/** The answer to a check, from a member that takes `leader` for the leader. */
const alive = (leader: number | null) => ({ type: 'alive', epoch: 0, leader, version: 0 });

describe('seed 001', () => {
  it('"T: time to detect fallen processes, calculated as 2 * t_max + t_proceso"', () => {
    expect(at(4).timersSet()).toEqual({ 'election 5': 2 * 20 + 10 });
    const slow = at(4, {}, { maxTransmissionMs: 100, maxProcessingMs: 7 });
    expect(slow.timersSet()).toEqual({ 'election 5': 207 });
  });

  it('"the process with the highest id can identify itself as leader, and sends a coordinator message to all processes"', () => {
    const highest = at(5);
    expect(highest.sent()).toEqual([1, 2, 3, 4].map((each) => ({ to: each, message: coordinator })));
    expect(highest.reported()).toMatchObject({ role: 'leader', leader: 5, term: null });
  });

  it('"the processes that receive this message choose the process that sent it as leader"', () => {
    expect(at(3).hears(5, coordinator).reported()).toMatchObject({ role: 'follower', leader: 5 });
  });

  it('"if a process detects that the leader is down, it sends an election message to all with an id higher than its own"', () => {
    const detector = at(3, { missedHeartbeatTolerance: 0 }).hears(5, coordinator).timer('check');
    expect(to(detector, 'heartbeat')).toEqual([5]);
    expect(detector.timersSet()).toEqual({ check: 1000, 'heartbeat 5': 50 });
    expect(detector.timer('heartbeat 5').sent()).toEqual(
      [4, 5].map((each) => ({ to: each, message: election })),
    );
    expect(detector.reported()).toMatchObject({ role: 'candidate', leader: null });
  });

  it('a leader that answers in time is not suspected, and one lost check is repeated first', () => {
    const member = at(3).hears(5, coordinator).timer('check');
    expect(member.hears(5, alive(5)).sent()).toEqual([]);
    expect(member.timer('heartbeat 5').sent()).toEqual([]);
    member.timer('check').timer('heartbeat 5');
    expect(to(member, 'heartbeat')).toEqual([5]);
    expect(to(member.timer('heartbeat 5'), 'election')).toEqual([4, 5]);
  });

  it('"the processes that receive this message answer with an ack, and start a new election"', () => {
    const asked = at(3).hears(5, coordinator).hears(1, election);
    expect(asked.sent()).toEqual([
      { to: 1, message: ok },
      { to: 4, message: election },
      { to: 5, message: election },
    ]);
  });

  it('one election that is under way serves for all who ask', () => {
    expect(at(3).hears(1, election).hears(2, election).sent()).toEqual([{ to: 2, message: ok }]);
  });

  it('"if a process that started an election receives no answer after a time T, it proclaims itself leader"', () => {
    const candidate = at(3).timer('election 4');
    expect(candidate.sent()).toEqual([]);
    expect(to(candidate.timer('election 5'), 'coordinator')).toEqual([1, 2, 4, 5]);
    expect(candidate.reported()).toMatchObject({ role: 'leader', leader: 3 });
  });

  it('"if a fallen process comes back to life, it starts a new election. If it has the highest id, it will be elected"', () => {
    expect(to(at(2), 'election')).toEqual([3, 4, 5]);
    expect(to(at(5), 'coordinator')).toEqual([1, 2, 3, 4]);
  });
});

describe('seed 003', () => {
  it('"if P receives OK from a larger id, it stops sending messages and waits for RESULT"', () => {
    const waiting = at(3).hears(4, ok);
    expect(waiting.sent()).toEqual([]);
    expect(waiting.timersSet()).toEqual({ again: 100 });
    expect(waiting.timer('election 5').sent()).toEqual([]);
  });

  it('"(if it has not got RESULT after some time, it starts the election process again)"', () => {
    expect(to(at(3).hears(4, ok).timer('again'), 'election')).toEqual([4, 5]);
  });

  it('an OK that comes late, or from a smaller id, holds nobody up', () => {
    expect(at(3).hears(2, ok).timersSet()).toEqual({});
    const leader = at(4).timer('election 5').hears(5, ok);
    expect(leader.effects).toEqual([]);
  });

  it('"if P receives RESULT, it takes the sender for the leader", whoever it followed before', () => {
    const member = at(1).hears(5, coordinator).hears(4, coordinator);
    expect(member.reported()).toMatchObject({ role: 'follower', leader: 4 });
  });

  it('a stranger is not heard', () => {
    for (const message of [coordinator, election, ok]) expect(at(3).hears(9, message).effects).toEqual([]);
  });
});

describe('two leaders that hear of each other', () => {
  const leads = (id: number) => at(id, { missedHeartbeatTolerance: 0 }).timer('election 5');

  it('the lower one follows', () => {
    expect(leads(4).hears(5, coordinator).reported()).toMatchObject({ role: 'follower', leader: 5 });
  });

  it('the higher one says again that it leads, to all who may have believed the other', () => {
    expect(to(at(5).hears(4, coordinator), 'coordinator')).toEqual([1, 2, 3, 4]);
    const check = { type: 'heartbeat', epoch: 0, leader: 4, version: 0 };
    expect(to(at(5).hears(4, check), 'coordinator')).toEqual([1, 2, 3, 4]);
  });

  it('a leader looks for those that outrank it, so that they meet', () => {
    expect(to(leads(4).timer('check'), 'heartbeat')).toEqual([5]);
    expect(at(5).timer('check').sent()).toEqual([]);
  });

  it('a member that outranks a new leader bullies it with an election of its own', () => {
    const member = at(4).hears(5, coordinator).hears(3, coordinator);
    expect(member.sent()).toEqual([{ to: 5, message: election }]);
  });

  it('a leader that says it leads no longer is as good as gone', () => {
    const member = at(3).hears(5, coordinator).timer('check').hears(5, alive(4));
    expect(to(member, 'election')).toEqual([4, 5]);
  });
});

describe('seed 000', () => {
  it('"initially the instance with the smallest (or largest) id is selected to be the leader"', () => {
    expect(to(at(1, { prefer: 'lowest' }), 'coordinator')).toEqual([2, 3, 4, 5]);
    expect(to(at(3, { prefer: 'lowest' }), 'election')).toEqual([1, 2]);
  });

  it('"if (!isLeader())": a leader that is asked for an election starts none, and says that it leads', () => {
    const leader = at(5).hears(2, election);
    expect(leader.sent()).toEqual([
      { to: 2, message: ok },
      { to: 2, message: coordinator },
    ]);
    expect(leader.reported()).toBeUndefined();
  });

  /**
   * The console output, line by line, and where it stands in test/traces/bully-seed-000.txt. There the heartbeat
   * duty does not travel; the members are started so that 4 checks the leader just before it dies, and 5 just after.
   */
  it('its console output', () => {
    const lines = readTrace('bully-seed-000.txt');
    inOrder(lines, [
      // Instance 4 - Heartbeat Invoke Message handling... / Instance 4- Leader is alive.
      '4 timer check · → 1 heartbeat',
      '4 ← 1 alive',
      // instance1.setAlive(false)
      '* crash member=1',
      // Instance 5 - Heartbeat Invoke Message handling...
      '5 timer check · → 1 heartbeat',
      // Instance 5- Leader is not alive. Start election. (1 is asked too: nobody told 5 that an election cannot wake it.)
      '5 timer heartbeat 1 · is candidate · → 1 election 0 · → 2 election 0 · → 3 election 0 · → 4 election 0',
      // Instance 2, 3 and 4 - Election Invoke Message handling... / Start election.
      '2 ← 5 election 0 · → 5 ok 0 · is candidate · → 1 election 0',
      '3 ← 5 election 0 · → 5 ok 0 · is candidate · → 1 election 0 · → 2 election 0',
      '4 ← 5 election 0 · → 5 ok 0 · is candidate · → 1 election 0 · → 2 election 0 · → 3 election 0',
      // Instance 2 - Election Invoke Message handling... (from 3 and from 4: nothing more to do)
      '2 ← 3 election 0 · → 3 ok 0',
      '2 ← 4 election 0 · → 4 ok 0',
      // Instance 3 - Election Invoke Message handling... / Start election. (a second time there; here one is under way)
      '3 ← 4 election 0 · → 4 ok 0',
      // Instance 2- Succeed in election. Start leader notification. (it knows when T has passed)
      '2 timer election 1 · is leader · → 1 coordinator 0 · → 3 coordinator 0 · → 4 coordinator 0 · → 5 coordinator 0',
      // Instance 3, 4 and 5 - Leader Message handling... / Leader update done. (there 1 reads it too, although it is dead)
      '3 ← 2 coordinator 0 · is follower of 2',
      '4 ← 2 coordinator 0 · is follower of 2',
      '5 ← 2 coordinator 0 · is follower of 2',
      // Instance 3 - Heartbeat Invoke Message handling... / Instance 3- Leader is alive.
      '3 timer check · → 2 heartbeat',
      '3 ← 2 alive',
    ]);
  });
});

describe('commands and evidence', () => {
  const outcome = (solo: Solo) =>
    solo.effects.filter((effect) => effect.type === 'answer').map((e) => e.outcome);

  it('campaign starts an election; a leader has won it already', () => {
    const member = at(3).hears(5, coordinator).command({ type: 'campaign' });
    expect(to(member, 'election')).toEqual([4, 5]);
    expect(outcome(member)).toEqual([{ status: 'done' }]);
    const leader = at(5).command({ type: 'campaign' });
    expect(leader.sent()).toEqual([]);
    expect(outcome(leader)).toEqual([{ status: 'done' }]);
  });

  it('whoever resigns stands aside: it answers no election, bullies nobody and follows the winner', () => {
    const leader = at(5).command({ type: 'resign' });
    expect(to(leader, 'resign')).toEqual([1, 2, 3, 4]);
    expect(leader.reported()).toMatchObject({ role: 'candidate', leader: null });
    expect(outcome(leader)).toEqual([{ status: 'done' }]);
    expect(leader.hears(3, election).sent()).toEqual([]);
    expect(leader.hears(4, coordinator).reported()).toMatchObject({ role: 'follower', leader: 4 });
    expect(leader.sent()).toEqual([]);
    const check = { type: 'heartbeat', epoch: 0, leader: 4, version: 0 };
    expect(leader.hears(4, check).sent()).toEqual([{ to: 4, message: alive(4) }]);
  });

  it('the best of the others leads at once, without asking the one that resigned', () => {
    const next = at(4).hears(5, coordinator).hears(5, { type: 'resign', epoch: 0 });
    expect(next.reported()).toMatchObject({ role: 'leader', leader: 4 });
    expect(to(at(3).hears(5, coordinator).hears(5, { type: 'resign', epoch: 0 }), 'election')).toEqual([4]);
  });

  it('standing aside ends when nobody takes over, when the successor is gone, and on request', () => {
    const resigned = () => at(5, { missedHeartbeatTolerance: 0 }).command({ type: 'resign' });
    expect(resigned().timer('again').reported()).toMatchObject({ role: 'leader' });
    const followed = resigned().hears(4, coordinator).timer('check').timer('heartbeat 4');
    expect(followed.reported()).toMatchObject({ role: 'leader' });
    expect(resigned().command({ type: 'campaign' }).reported()).toMatchObject({ role: 'leader' });
  });

  it('what it cannot do is refused with a reason', () => {
    const member = () => at(3).hears(5, coordinator);
    const reason = (solo: Solo) => (outcome(solo)[0] as { reason: string }).reason;
    expect(reason(member().command({ type: 'resign' }))).toBe('only the leader can resign, and that is 5');
    expect(reason(at(3).command({ type: 'resign' }))).toBe('only the leader can resign, and none is known');
    expect(reason(member().command({ type: 'transfer', to: 2 }))).toBe('the bully election has no transfer');
    expect(reason(member().command({ type: 'add', member: 6 }))).toBe('the bully election has no add');
    expect(reason(member().command({ type: 'remove', member: 2 }))).toBe('the bully election has no remove');
  });

  it('evidence that the leader is gone is a reason to look, and proof a reason to elect', () => {
    const told = (proof: boolean) =>
      at(3).hears(5, coordinator).take({ type: 'peer-gone', peer: 5, proof, life: null });
    expect(
      told(false)
        .sent()
        .map((sent) => sent.message.type),
    ).toEqual(['heartbeat']);
    expect(to(told(true), 'election')).toEqual([4, 5]);
    expect(
      at(3).hears(5, coordinator).take({ type: 'peer-gone', peer: 4, proof: true, life: null }).effects,
    ).toEqual([]);
  });
});

describe('in the simulated world', () => {
  it('crashing 5 ends at 4, and restarting 5 ends at 5; with the lowest preferred, 1 and 2', () => {
    const crash = (member: number) => ({ atMs: 1000, do: 'crash', member });
    const restart = (member: number) => ({ atMs: 5000, do: 'restart', member });
    const end = (events: object[], seed: number, options = {}) =>
      play({ protocol: 'bully', members: 5, options, untilMs: 20_000, events }, seed).final.leader;
    for (let seed = 1; seed <= 50; seed++) {
      expect(end([crash(5)], seed)).toBe(4);
      expect(end([crash(5), restart(5)], seed)).toBe(5);
      expect(end([crash(1)], seed, { prefer: 'lowest' })).toBe(2);
      expect(end([crash(1), restart(1)], seed, { prefer: 'lowest' })).toBe(1);
    }
  });

  it('after a resignation the best of the others leads, and the one that resigned follows', () => {
    const events = [{ atMs: 1000, do: 'resign', member: 'leader' }];
    const { final } = play({ protocol: 'bully', members: 5, events });
    expect(final).toMatchObject({ agreed: true, leader: 4 });
  });

  it('seed 003: "each part elects its own leader"; when they hear of each other, the preferred one leads', () => {
    const events = [
      {
        atMs: 1000,
        do: 'partition',
        groups: [
          [1, 2, 3],
          [4, 5],
        ],
      },
      { atMs: 6000, do: 'heal' },
    ];
    const { final, doubleMs, claims, violations } = play({ protocol: 'bully', members: 5, events });
    expect(claims.map((claim) => claim.member)).toEqual([5, 3]);
    expect(doubleMs).toBeGreaterThan(3000);
    expect(violations.map(({ property, claimed }) => ({ property, claimed }))).toContainEqual({
      property: 'S10',
      claimed: false,
    });
    expect(final).toMatchObject({ agreed: true, leader: 5 });
  });

  it('seed 003: a leader that only seemed dead "becomes leader again, and so on and on"', () => {
    const stalls = [2000, 6000, 10_000].flatMap((atMs) => [
      { atMs, do: 'pause', member: 5 },
      { atMs: atMs + 2000, do: 'resume', member: 5 },
    ]);
    const { claims } = play({ protocol: 'bully', members: 5, events: stalls });
    expect(claims.filter((claim) => claim.member === 4)).toHaveLength(3);
  });

  it('without T nothing holds: where messages take longer than it allows, leaders come and go', () => {
    const late = play({ protocol: 'bully', members: 5, network: { latencyMs: [100, 200] } });
    expect(late.changes).toBeGreaterThan(10);
    const fitting = { maxTransmissionMs: 200 };
    const inTime = play({
      protocol: 'bully',
      members: 5,
      network: { latencyMs: [100, 200] },
      timing: fitting,
    });
    expect(inTime.changes).toBe(0);
  });

  it.each([3, 5, 8, 12])('messages of the worst case with %i members: n² − n', (n) => {
    // The lowest finds out first: with the highest dead, every election starts every other.
    const started = Array.from({ length: n - 1 }, (_, i) => ({ id: i + 1, startMs: 50 * (i + 2) }));
    const byType = countAfterCrash([...started, n], n);
    // The classical count is n(n−1)/2 + (n−1)(n−2)/2 + (n−2) = n² − n − 1: it spares the announcement to the dead
    // leader. Seed 001 sends it "to all processes of the system", and nobody knows for sure that it is dead.
    expect(byType).toEqual({
      election: (n * (n - 1)) / 2,
      ok: ((n - 1) * (n - 2)) / 2,
      coordinator: n - 1,
    });
  });

  it('messages of the best case with 5 members: n, where the classical count is n − 2', () => {
    // The second highest finds out first. It still asks the leader that it misses ("all with a higher id"), which
    // the classical count leaves out, and announces itself to that one too.
    const members = [5, { id: 1, startMs: 200 }, { id: 2, startMs: 300 }, { id: 3, startMs: 400 }];
    expect(countAfterCrash([...members, { id: 4, startMs: 1100 }], 5)).toEqual({
      election: 1,
      coordinator: 4,
    });
  });
});

/** Starts the members one by one, crashes the leader before the first of them checks it, and counts until all know. */
function countAfterCrash(members: unknown[], leader: number): Record<string, number> {
  const byType: Record<string, number> = {};
  const count = (line: TraceLine) => {
    if (!('input' in line) || line.atMs < 2050) return;
    for (const effect of line.effects) {
      if (effect.type !== 'send' || effect.message.type === 'heartbeat') continue;
      byType[effect.message.type] = (byType[effect.message.type] ?? 0) + 1;
    }
  };
  const scenario = {
    protocol: 'bully',
    options: { missedHeartbeatTolerance: 0 },
    members,
    network: { latencyMs: 1 },
    untilMs: 2300,
    events: [{ atMs: 2050, do: 'crash', member: leader }],
  };
  expect(play(scenario, 1, { trace: count }).final.leader).toBe(leader - 1);
  return byType;
}

/** The history that stands in a trace file; traces.test.ts sees to it that it is the true one. */
function readTrace(name: string): string[] {
  const text = readFileSync(new URL(`../traces/${name}`, import.meta.url), 'utf8');
  return text.split('\n----\n')[1]!.split('\n');
}

function inOrder(lines: readonly string[], expected: readonly string[]): void {
  let from = 0;
  for (const each of expected) {
    const found = lines.findIndex((line, i) => i >= from && line.includes(each));
    expect(found, `"${each}" is missing, or comes too early`).toBeGreaterThanOrEqual(0);
    from = found + 1;
  }
}
