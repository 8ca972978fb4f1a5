import { describe, expect, it } from 'vitest';
import { History } from '../support/history.ts';

/** Two parrots that ping every 100 ms over links of exactly 10 ms. */
function parrots(events: object[], more: object = {}): History {
  const base = {
    protocol: 'parrot',
    members: 2,
    network: { latencyMs: 10 },
    disk: { syncMs: 5 },
    untilMs: 1000,
  };
  return new History({ ...base, events, ...more });
}

const count = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('processes', () => {
  it('run: everything arrives, in order, after the latency', () => {
    const run = parrots([]);
    expect(run.heard(2, 1)).toEqual(count(1, 9));
    expect(run.inputs(2, 'message').map(({ atMs }) => atMs)).toEqual(count(1, 9).map((n) => n * 100 + 10));
  });

  it('crash: nothing happens to them any more; restart: they begin again with their disk', () => {
    const events = [
      { atMs: 250, do: 'crash', member: 1 },
      { atMs: 500, do: 'restart', member: 1 },
    ];
    const run = parrots(events, { options: { careful: true } });
    expect(run.inputs(1, 'timer').map(({ atMs }) => atMs)).toEqual([100, 200, 600, 700, 800, 900, 1000]);
    expect(run.inputs(1, 'start').map(({ input }) => input)).toEqual([
      { type: 'start', saved: null, incarnation: 1, life: '1' },
      { type: 'start', saved: 2, incarnation: 2, life: '2' },
    ]);
    expect(run.heard(2, 1)).toEqual(count(1, 6));
    expect(run.heard(1, 2)).toEqual([1, 2, 5, 6, 7, 8, 9].filter((n) => n * 100 + 15 <= 1000));
  });

  it('restart with amnesia: the disk is empty', () => {
    const events = [{ atMs: 450, do: 'restart', member: 1, amnesia: true }];
    const run = parrots(events, { options: { careful: true } });
    expect(run.inputs(1, 'start')[1]!.input).toEqual({
      type: 'start',
      saved: null,
      incarnation: 2,
      life: '2',
    });
    expect(run.world.broken.has('disk')).toBe(true);
  });

  it('pause: nothing is processed; resume: what came meanwhile is found, in order', () => {
    const run = parrots([
      { atMs: 250, do: 'pause', member: 2 },
      { atMs: 560, do: 'resume', member: 2 },
    ]);
    const arrivals = run.inputs(2, 'message').map(({ atMs }) => atMs);
    expect(arrivals).toEqual([110, 210, 560, 560, 560, 610, 710, 810, 910]);
    expect(run.heard(2, 1)).toEqual(count(1, 9));
    expect(run.inputs(2, 'timer').map(({ atMs }) => atMs)).toEqual([100, 200, 560, 660, 760, 860, 960]);
  });

  it('a timer of no length still takes time, so that every run ends', () => {
    const run = parrots([], { timing: { heartbeatMs: 0.0001 }, untilMs: 1 });
    expect(run.inputs(1, 'timer')).toHaveLength(1000);
  });

  it('a slow clock stretches delays, also those that run already', () => {
    const run = parrots([{ atMs: 250, do: 'clock', member: 1, rate: 0.5, jumpMs: 1e9 }]);
    expect(run.inputs(1, 'timer').map(({ atMs }) => atMs)).toEqual([100, 200, 350, 550, 750, 950]);
    expect(run.world.broken.has('clock')).toBe(true);
  });

  it('start once: a restart before their time takes the place of the start, a crash prevents it', () => {
    const members = [{ id: 1, startMs: 500 }, { id: 2, startMs: 500 }, 3];
    const events = [
      { atMs: 100, do: 'restart', member: 1 },
      { atMs: 100, do: 'crash', member: 2 },
    ];
    const run = parrots(events, { members });
    expect(run.inputs(1, 'start').map(({ atMs }) => atMs)).toEqual([100]);
    expect(run.inputs(2, 'start')).toEqual([]);
  });

  it('an event about nobody is noted and does nothing', () => {
    const run = parrots([{ atMs: 100, do: 'crash', member: 'leader' }]);
    expect(run.events('crash')).toEqual([{ do: 'crash', skipped: 'no-match', selector: 'leader' }]);
  });
});

describe('links', () => {
  it('partition: only one group hears itself; heal: all hear all', () => {
    const run = parrots(
      [
        { atMs: 250, do: 'partition', groups: [[1, 2], [3]] },
        { atMs: 550, do: 'heal' },
      ],
      { members: 4 },
    );
    expect(run.heard(2, 1)).toEqual(count(1, 9));
    expect(run.heard(3, 1)).toEqual([1, 2, 6, 7, 8, 9]);
    expect(run.heard(1, 3)).toEqual([1, 2, 6, 7, 8, 9]);
    expect(run.heard(1, 4), 'in no group: hears and is heard by nobody').toEqual([1, 2, 6, 7, 8, 9]);
  });

  it('cut: one way or both; heal: that link alone', () => {
    const run = parrots(
      [
        { atMs: 150, do: 'cut', from: 1, to: 2, oneWay: true },
        { atMs: 150, do: 'cut', from: 1, to: 3 },
        { atMs: 450, do: 'heal', from: 1, to: 2 },
      ],
      { members: 3 },
    );
    expect(run.heard(2, 1)).toEqual([1, 5, 6, 7, 8, 9]);
    expect(run.heard(1, 2)).toEqual(count(1, 9));
    expect(run.heard(3, 1)).toEqual([1]);
    expect(run.heard(1, 3)).toEqual([1]);
  });

  it('heal of one link bridges a partition', () => {
    const run = parrots([
      { atMs: 150, do: 'partition', groups: [[1], [2]] },
      { atMs: 450, do: 'heal', from: 1, to: 2, oneWay: true },
    ]);
    expect(run.heard(2, 1)).toEqual([1, 5, 6, 7, 8, 9]);
    expect(run.heard(1, 2)).toEqual([1]);
  });

  it('network: for everybody, for one member, for one link', () => {
    const run = parrots(
      [
        { atMs: 150, do: 'network', member: 3, loss: 1 },
        { atMs: 350, do: 'network', from: 1, to: 2, latencyMs: 50 },
        { atMs: 550, do: 'network', latencyMs: 20 },
        { atMs: 650, do: 'network', member: 3, loss: 0 },
      ],
      { members: 3 },
    );
    expect(run.heard(3, 1)).toEqual([1, 7, 8, 9]);
    expect(run.heard(1, 3)).toEqual([1, 7, 8, 9]);
    const from = (sender: number) => run.inputs(2, 'message').filter(({ input }) => input.from === sender);
    expect(from(1).map(({ atMs }) => atMs)).toEqual([110, 210, 310, 450, 550, 650, 750, 850, 950]);
    expect(from(3).map(({ atMs }) => atMs)).toEqual([110, 720, 820, 920]);
  });

  it('loss and duplication happen about as often as they are told to', () => {
    const run = parrots([], { network: { latencyMs: 1, loss: 0.25, duplicate: 0.5 }, untilMs: 1_000_000 });
    const heard = run.heard(2, 1);
    expect(new Set(heard).size / 9999).toBeCloseTo(0.75, 1);
    expect(heard.length / new Set(heard).size).toBeCloseTo(1.5, 1);
  });

  it('reordering keeps some back so that others overtake', () => {
    const run = parrots([], { network: { latencyMs: 50, reorder: 0.3 }, untilMs: 100_000 });
    const heard = run.heard(2, 1);
    expect(heard.some((n, i) => i > 0 && n < heard[i - 1]!)).toBe(true);
    const inOrder = parrots([], { network: { latencyMs: 50 }, untilMs: 100_000 }).heard(2, 1);
    expect(inOrder.every((n, i) => i === 0 || n > inOrder[i - 1]!)).toBe(true);
  });

  it('latency with a tail has its least and its mean', () => {
    const run = parrots([], { network: { latencyMs: { minMs: 5, meanMs: 25 } }, untilMs: 1_000_000 });
    const delays = run
      .inputs(2, 'message')
      .map(({ atMs, input }) => atMs - (input.message as unknown as { n: number }).n * 100);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(5);
    expect(delays.reduce((sum, each) => sum + each, 0) / delays.length).toBeCloseTo(25, -0.5);
    expect(Math.max(...delays)).toBeGreaterThan(100);
  });
});

describe('single messages', () => {
  it('drop: the next matching ones', () => {
    const run = parrots([{ atMs: 150, do: 'drop', from: 1, count: 2 }]);
    expect(run.heard(2, 1)).toEqual([1, 4, 5, 6, 7, 8, 9]);
    expect(run.heard(1, 2)).toEqual(count(1, 9));
  });

  it('duplicate: the next matching one arrives twice', () => {
    const run = parrots([{ atMs: 150, do: 'duplicate', to: 2, type: 'ping' }]);
    expect(run.heard(2, 1)).toEqual([1, 2, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('hold: waits for its release', () => {
    const run = parrots([
      { atMs: 150, do: 'hold', from: 1, to: 2, count: 2 },
      { atMs: 450, do: 'release', to: 2 },
    ]);
    expect(run.heard(2, 1)).toEqual([1, 4, 2, 5, 6, 7, 8, 9]);
  });

  it('when everything heals, what is held stays held, but no more is caught', () => {
    const run = parrots([
      { atMs: 150, do: 'hold', from: 1, to: 2, count: 3 },
      { atMs: 250, do: 'heal' },
      { atMs: 450, do: 'release', to: 2 },
    ]);
    expect(run.heard(2, 1)).toEqual([1, 3, 4, 2, 5, 6, 7, 8, 9]);
  });

  it('an order about nobody catches nothing; one about several catches from any of them', () => {
    const nobody = parrots([{ atMs: 150, do: 'drop', from: 'leader', count: 100 }]);
    expect(nobody.heard(2, 1)).toEqual(count(1, 9));
    expect(nobody.events('drop')).toEqual([{ do: 'drop', skipped: 'no-match', selector: 'leader' }]);
    const several = parrots([{ atMs: 150, do: 'drop', from: 'followers', count: 4 }]);
    expect(several.heard(2, 1)).toEqual([1, 4, 5, 6, 7, 8, 9]);
    expect(several.heard(1, 2)).toEqual([1, 4, 5, 6, 7, 8, 9]);
  });

  it('inject: nobody gets a message in its own name, and one that reaches nobody forges nothing', () => {
    const message = { type: 'ping', n: 1234 };
    const all = parrots([{ atMs: 333, do: 'inject', from: 1, to: 'all', message }]);
    expect(all.heard(2, 1)).toContain(1234);
    expect(all.heard(1, 1)).toEqual([]);
    const none = parrots([{ atMs: 333, do: 'inject', from: 1, to: 'leader', message }]);
    expect(none.world.broken.size).toBe(0);
    expect(none.events('inject')).toEqual([{ do: 'inject', skipped: 'no-match', selector: 'leader' }]);
  });

  it('inject: a message that nobody sent arrives, and forgery is remembered', () => {
    const run = parrots([{ atMs: 333, do: 'inject', from: 77, to: 2, message: { type: 'ping', n: 1234 } }]);
    expect(run.heard(2, 77)).toEqual([1234]);
    expect(run.world.broken.has('no-forgery')).toBe(true);
  });
});

describe('the disk', () => {
  const careful = { options: { careful: true } };

  it('save is a barrier: what stands behind it leaves when the record is durable', () => {
    const run = parrots([], careful);
    expect(run.inputs(2, 'message').map(({ atMs }) => atMs)).toEqual(count(1, 9).map((n) => n * 100 + 15));
  });

  it('stall: nothing leaves until the disk goes on; then all of it does', () => {
    const events = [
      { atMs: 150, do: 'disk', member: 1, fault: 'stall' },
      { atMs: 450, do: 'disk', member: 1, fault: 'none' },
    ];
    const run = parrots(events, careful);
    expect(run.heard(2, 1)).toEqual(count(1, 9));
    expect(
      run
        .inputs(2, 'message')
        .map(({ atMs }) => atMs)
        .slice(0, 5),
    ).toEqual([115, 465, 470, 475, 515]);
  });

  it('full: what stood behind the failed write never leaves, and nothing else before a record is durable', () => {
    const events = [
      { atMs: 150, do: 'disk', member: 1, fault: 'full' },
      { atMs: 450, do: 'disk', member: 1, fault: 'none' },
    ];
    expect(parrots(events, careful).heard(2, 1)).toEqual([1, 5, 6, 7, 8, 9]);
  });

  /** The crash comes 2 ms after a write whose sync takes 5. */
  const crashInTheMiddle = (fault: string): History =>
    parrots(
      [
        { atMs: 150, do: 'disk', member: 1, fault },
        { atMs: 302, do: 'crash', member: 1 },
        { atMs: 400, do: 'restart', member: 1 },
      ],
      careful,
    );

  it('a crash of the process keeps what the kernel has', () => {
    expect(crashInTheMiddle('none').inputs(1, 'start')[1]!.input).toMatchObject({ saved: 3 });
  });

  it('lose-unsynced: what was not durable is gone', () => {
    const run = crashInTheMiddle('lose-unsynced');
    expect(run.inputs(1, 'start')[1]!.input).toMatchObject({ saved: 2 });
    expect(run.events('lost-record')).toEqual([{ do: 'lost-record', member: 1 }]);
    expect(run.heard(2, 1).slice(0, 3), 'and nobody had heard of it').toEqual([1, 2, 3]);
  });

  it('torn: a record that has room in one sector is found, or the one before it is', () => {
    const run = crashInTheMiddle('torn');
    const { saved } = run.inputs(1, 'start')[1]!.input as { saved: number };
    expect([2, 3]).toContain(saved);
    expect(run.events('lost-record')).toHaveLength(saved === 2 ? 1 : 0);
  });

  it.each(['flip', 'lose-sectors'])('%s: the store refuses the disk until it is emptied', (fault) => {
    const run = parrots(
      [
        { atMs: 150, do: 'disk', member: 1, fault },
        { atMs: 152, do: 'restart', member: 1 },
        { atMs: 160, do: 'restart', member: 1 },
        { atMs: 400, do: 'restart', member: 1, disk: 'kept-or-lost' },
        { atMs: 410, do: 'restart', member: 1, disk: 'kept-or-lost' },
      ],
      careful,
    );
    const refused = { do: 'refused', member: 1, reason: expect.stringContaining('torn or damaged') };
    expect(run.events('refused')).toEqual([refused, refused]);
    expect(run.events('restart').map(({ amnesia }) => amnesia)).toEqual([false, false, true, false]);
    expect(run.inputs(1, 'start').map(({ input }) => (input as { saved: number | null }).saved)).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('what the host and the user say', () => {
  it('evidence: true or false, with or without proof', () => {
    const run = parrots([
      { atMs: 100, do: 'evidence', member: 1, peer: 2, gone: true },
      { atMs: 200, do: 'evidence', member: 1, peer: 2, gone: true, proof: true },
      { atMs: 300, do: 'evidence', member: 1, peer: 2, gone: false },
    ]);
    expect(run.inputs(1, 'peer-gone').map(({ input }) => input)).toEqual([
      { type: 'peer-gone', peer: 2, proof: false, life: '1' },
      { type: 'peer-gone', peer: 2, proof: true, life: '1' },
    ]);
    expect(run.inputs(1, 'peer-back')).toHaveLength(1);
    expect(run.world.broken.has('proof'), '2 was alive: the proof was false').toBe(true);
  });

  it('a command is asked of the member and answered', () => {
    const run = parrots([{ atMs: 100, do: 'campaign', member: 2 }]);
    expect(run.inputs(2, 'command')).toHaveLength(1);
    expect(run.events('answer')).toEqual([{ do: 'answer', member: 2, command: 1, status: 'done' }]);
  });

  it('add boots a new member that knows the others', () => {
    const run = parrots([{ atMs: 450, do: 'add', member: 3 }]);
    expect(run.heard(1, 3)).toEqual([1, 2, 3, 4, 5].filter((n) => 450 + n * 100 + 10 <= 1000));
  });

  it('add and remove do nothing where the membership is fixed', () => {
    const events = [
      { atMs: 100, do: 'add', member: 9 },
      { atMs: 200, do: 'remove', member: 2 },
    ];
    const run = new History({ protocol: 'epoch', members: 3, events });
    expect(run.events('add')).toEqual([{ do: 'add', skipped: 'fixed-membership', protocol: 'epoch' }]);
    expect(run.events('remove')).toEqual([{ do: 'remove', skipped: 'fixed-membership', protocol: 'epoch' }]);
    expect(run.world.hosts.size).toBe(3);
  });

  it('a member can start later', () => {
    const run = parrots([], { members: [{ id: 1 }, { id: 2, startMs: 500 }] });
    expect(run.inputs(2, 'start').map(({ atMs }) => atMs)).toEqual([500]);
    expect(run.heard(2, 1)).toEqual([5, 6, 7, 8, 9]);
  });
});
