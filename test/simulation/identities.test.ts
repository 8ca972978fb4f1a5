/** Disks that are lost, restored or copied, second processes of a member, and what of it breaks which assumption. */
import { describe, expect, it } from 'vitest';
import {
  type Definition,
  define,
  durationMs,
  type Effect,
  type MemberId,
  record,
  setting,
  type View,
} from '../../src/core/index.ts';
import { readScenario, resultOf, runWorld, type World } from '../../src/simulation/index.ts';
import { History } from '../support/history.ts';

/** Two parrots that save a running number and ping with it every 100 ms, over links of exactly 10 ms. */
function parrots(events: object[], more: object = {}): History {
  const base = {
    protocol: 'parrot',
    options: { careful: true },
    members: 2,
    network: { latencyMs: 10 },
    disk: { syncMs: 5 },
    untilMs: 1000,
  };
  return new History({ ...base, events, ...more });
}

const savedAtStarts = (run: History, member: MemberId): unknown[] =>
  run.inputs(member, 'start').map(({ input }) => input.saved);
const livesOf = (run: History, member: MemberId): string[] =>
  run.inputs(member, 'start').map(({ input }) => input.life);

describe('a member that restarts finds its disk', () => {
  it('kept, if nothing else is said', () => {
    const events = [
      { atMs: 350, do: 'restart', member: 1 },
      { atMs: 550, do: 'restart', member: 1, disk: 'kept' },
    ];
    expect(savedAtStarts(parrots(events), 1)).toEqual([null, 3, 4]);
  });

  it('lost, which is what amnesia means too', () => {
    const lost = parrots([{ atMs: 350, do: 'restart', member: 1, disk: 'lost' }]);
    const amnesia = parrots([{ atMs: 350, do: 'restart', member: 1, amnesia: true }]);
    expect(savedAtStarts(lost, 1)).toEqual([null, null]);
    expect(lost.world.hash).toBe(amnesia.world.hash);
    expect([...lost.world.broken]).toEqual(['disk']);
  });

  it('restored, as it was at the last backup', () => {
    const events = [
      { atMs: 250, do: 'backup', member: 1 },
      { atMs: 450, do: 'backup', member: 1 },
      { atMs: 650, do: 'restart', member: 1, disk: 'restored' },
    ];
    const run = parrots(events);
    expect(savedAtStarts(run, 1)).toEqual([null, 4]);
    expect(run.events('restart')).toEqual([{ do: 'restart', member: 1, amnesia: false, disk: 'restored' }]);
    expect(new Set(run.world.broken)).toEqual(new Set(['disk', 'no-copy']));
  });

  it('restored, as it was with its first record if there is no backup', () => {
    expect(savedAtStarts(parrots([{ atMs: 650, do: 'restart', member: 1, disk: 'restored' }]), 1)).toEqual([
      null,
      1,
    ]);
  });

  it('restored also after it was lost', () => {
    const events = [
      { atMs: 250, do: 'backup', member: 1 },
      { atMs: 350, do: 'restart', member: 1, disk: 'lost' },
      { atMs: 550, do: 'restart', member: 1, disk: 'restored' },
    ];
    expect(savedAtStarts(parrots(events), 1)).toEqual([null, null, 2]);
  });

  it('and there is nothing to back up on an empty disk', () => {
    const run = parrots([{ atMs: 50, do: 'backup', member: 1 }]);
    expect(run.events('backup')).toEqual([{ do: 'backup', skipped: 'no-effect' }]);
  });
});

describe('a second process of a member', () => {
  it('runs beside the first on an empty disk, under a name and a life of its own', () => {
    const run = parrots([{ atMs: 350, do: 'twin', member: 1, disk: 'empty' }]);
    expect(run.inputs("1'", 'start').map(({ input }) => input)).toEqual([
      { type: 'start', saved: null, incarnation: 2, life: '2b' },
    ]);
    expect(run.events('twin')).toEqual([{ do: 'twin', member: "1'", of: 1, disk: 'empty' }]);
    // 1 says 1, 2, 3 …; 1' begins to say the same at 450 ms. Both are called 1.
    expect(run.heard(2, 1)).toEqual([1, 2, 3, 4, 1, 5, 2, 6, 3, 7, 4, 8, 5, 9, 6]);
  });

  it('runs on a copy of what is durable on the disk of the first', () => {
    const run = parrots([{ atMs: 350, do: 'twin', member: 1, disk: 'copied' }]);
    expect(savedAtStarts(run, "1'")).toEqual([3]);
    // Each goes on by itself.
    const restarted = parrots([
      { atMs: 350, do: 'twin', member: 1, disk: 'copied' },
      { atMs: 750, do: 'restart', member: 1 },
    ]);
    expect(savedAtStarts(restarted, 1)).toEqual([null, 7]);
  });

  it('hears what is sent to the member, and so does the first, each over a network of its own', () => {
    const both = parrots([{ atMs: 350, do: 'twin', member: 1, disk: 'empty' }]);
    expect(both.heard(1, 2)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(both.heard("1'", 2)).toEqual([4, 5, 6, 7, 8, 9]);
    const once = parrots([
      { atMs: 350, do: 'twin', member: 1, disk: 'empty' },
      { atMs: 450, do: 'drop', to: 1 },
    ]);
    expect(once.heard(1, 2)).toEqual([1, 2, 3, 4, 6, 7, 8, 9]);
    expect(once.heard("1'", 2)).toEqual([4, 5, 6, 7, 8, 9]);
  });

  it('can be the one that some members talk with, while the others talk with the first', () => {
    const run = parrots([{ atMs: 350, do: 'twin', member: 1, disk: 'empty', with: [3] }], { members: 3 });
    expect(run.heard(1, 2)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(run.heard(1, 3)).toEqual([1, 2, 3]);
    expect(run.heard("1'", 2)).toEqual([]);
    expect(run.heard("1'", 3)).toEqual([4, 5, 6, 7, 8, 9]);
    expect(run.heard(2, 1)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(run.heard(3, 1)).toEqual([1, 2, 3, 1, 2, 3, 4, 5, 6]);
  });

  it('ends by itself: other events mean the first, but for what is done to the leader', () => {
    const run = parrots([
      { atMs: 350, do: 'twin', member: 1, disk: 'empty' },
      { atMs: 520, do: 'crash', member: 1 },
      { atMs: 720, do: 'crash', member: 1, twin: true },
    ]);
    expect(run.inputs(1, 'timer').at(-1)!.atMs).toBe(500);
    expect(run.inputs("1'", 'timer').at(-1)!.atMs).toBe(650);
    expect(run.events('crash')).toEqual([
      { do: 'crash', member: 1 },
      { do: 'crash', member: "1'" },
    ]);
  });

  it('is one at a time, and beside a process that runs', () => {
    const twin = (atMs: number) => ({ atMs, do: 'twin', member: 1, disk: 'empty' });
    const run = parrots([
      twin(100),
      twin(200),
      { atMs: 300, do: 'crash', member: 1, twin: true },
      { atMs: 310, do: 'crash', member: 1, twin: true },
      twin(400),
      { atMs: 500, do: 'crash', member: 1, twin: true },
      { atMs: 510, do: 'crash', member: 1 },
      twin(600),
    ]);
    expect(run.events('twin').map(({ skipped }) => skipped)).toEqual([
      undefined,
      'has-second-process',
      undefined,
      'not-running',
    ]);
    expect(run.events('crash')[1]).toEqual({ do: 'crash', skipped: 'no-second-process' });
  });

  it('never has the life of another process of its member', () => {
    const run = parrots([
      { atMs: 100, do: 'twin', member: 1, disk: 'copied' },
      { atMs: 200, do: 'restart', member: 1 },
      { atMs: 300, do: 'crash', member: 1, twin: true },
      { atMs: 400, do: 'twin', member: 1, disk: 'copied' },
      { atMs: 500, do: 'restart', member: 1 },
    ]);
    expect(livesOf(run, 1)).toEqual(['1', '3', '5']);
    expect(livesOf(run, "1'")).toEqual(['2b', '4b']);
  });

  it('is what evidence of a death can be about, also when it is gone', () => {
    const told = (atMs: number, proof: boolean) => ({
      atMs,
      do: 'evidence',
      member: 2,
      peer: 1,
      gone: true,
      proof,
      twin: true,
    });
    const run = parrots([
      told(50, false),
      { atMs: 100, do: 'twin', member: 1, disk: 'empty' },
      told(200, false),
      { atMs: 300, do: 'crash', member: 1, twin: true },
      told(400, true),
    ]);
    expect(run.events('evidence')).toEqual([
      { do: 'evidence', skipped: 'never-had-second-process', of: 1 },
      { do: 'evidence', member: 2, peer: "1'", gone: true, proof: false },
      { do: 'evidence', member: 2, peer: "1'", gone: true, proof: true },
    ]);
    expect(run.inputs(2, 'peer-gone').map(({ input }) => input)).toEqual([
      { type: 'peer-gone', peer: 1, proof: false, life: '2b' },
      { type: 'peer-gone', peer: 1, proof: true, life: '2b' },
    ]);
    expect(run.world.broken.has('proof'), 'it was gone, although 1 was not').toBe(false);
    const lie = parrots([{ atMs: 100, do: 'twin', member: 1, disk: 'empty' }, told(200, true)]);
    expect(lie.world.broken.has('proof')).toBe(true);
  });

  it('gets a message that was held for it, and one that was held for the first goes to the first', () => {
    const run = parrots([
      { atMs: 350, do: 'twin', member: 1, disk: 'empty' },
      { atMs: 450, do: 'hold', to: 1, count: 2 },
      { atMs: 750, do: 'release', to: 1, count: 2 },
    ]);
    expect(run.heard(1, 2)).toEqual([1, 2, 3, 4, 6, 7, 5, 8, 9]);
    expect(run.heard("1'", 2)).toEqual([4, 6, 7, 5, 8, 9]);
  });
});

/** All lead, from their first timer on, in one term, until they are asked to publish. On an empty disk they have no seat before. */
const crowd: Definition = define({
  name: 'crowd',
  summary: 'everybody leads',
  timing: { heartbeatMs: setting(durationMs, 100, 'how often') },
  options: {},
  messages: { hello: record<object>({}) },
  commands: ['publish', 'add', 'remove'],
  create: ({ timing }) => ({
    name: 'crowd',
    pledges: [
      { property: 'S1', assuming: ['one-disk'] },
      { property: 'S6', assuming: ['one-disk'] },
      { property: 'S10', assuming: ['one-disk', 'no-copy'] },
    ],
    init: ({ id, members }): State => ({ id, members }),
    step(state, input, out: Effect[]) {
      const s = state as State;
      const view = (role: View['role'], version: number): Effect => ({
        type: 'report',
        view: {
          role,
          leader: role === 'leader' ? s.id : null,
          term: 7,
          lease: null,
          version,
          value: null,
          members: s.members,
        },
      });
      if (input.type === 'start') {
        out.push({ type: 'save', record: true }, view(input.saved === null ? 'none' : 'follower', 0));
        out.push({ type: 'set-timer', timer: 'tick', delayMs: timing.heartbeatMs });
      } else if (input.type === 'timer') {
        out.push(view('follower', 0), view('leader', 0));
      } else if (input.type === 'command' && input.command.type === 'publish') {
        out.push(view('follower', input.command.value as number));
      }
    },
  }),
});

interface State {
  readonly id: MemberId;
  readonly members: readonly MemberId[];
}

function crowded(events: object[], members: unknown = 3): World {
  const given = {
    protocol: 'crowd',
    members,
    network: { latencyMs: 1 },
    disk: { syncMs: 0 },
    untilMs: 1000,
    events,
  };
  return runWorld(readScenario(given, { crowd }), 1);
}

describe('two processes of one member', () => {
  it('may not act at the same time (S10), nor win the same term (S1), nor act with the same token (S6)', () => {
    const world = crowded([{ atMs: 350, do: 'twin', member: 1, disk: 'empty' }], [1]);
    expect(world.violations.map(({ property, detail, members }) => ({ property, detail, members }))).toEqual([
      { property: 'S1', detail: 'two processes of 1 both won term 7', members: [1, "1'"] },
      { property: 'S10', detail: "two processes of 1 could both act (1' in term 7)", members: [1, "1'"] },
      { property: 'S6', detail: "1' acts with token 7 after 1 acted with 7", members: [1, "1'"] },
    ]);
    const { claims, acting, doubleMs, final } = resultOf(world);
    expect(claims.map(({ member }) => member)).toEqual([1, "1'"]);
    expect(acting.map(({ member, fromMs }) => [member, fromMs])).toEqual([
      [1, 100],
      ["1'", 450],
    ]);
    expect(doubleMs).toBe(550);
    expect(final.agreed).toBe(false);
    expect(final.views["1'"]).toMatchObject({ role: 'leader', leader: 1 });
  });

  it('end: then the second acts no more', () => {
    const world = crowded(
      [
        { atMs: 350, do: 'twin', member: 1, disk: 'copied' },
        { atMs: 650, do: 'crash', member: 1, twin: true },
      ],
      [1],
    );
    expect(resultOf(world).doubleMs).toBe(200);
    expect(world.acting.open.map(({ member }) => member)).toEqual([1]);
    expect(Object.keys(resultOf(world).final.views)).toEqual(['1']);
  });

  it('are told apart by who leads: the leader may be the second process', () => {
    const world = crowded([
      { atMs: 50, do: 'twin', member: 1, disk: 'copied' },
      { atMs: 60, do: 'crash', member: 1 },
      { atMs: 61, do: 'crash', member: 2 },
      { atMs: 62, do: 'crash', member: 3 },
      { atMs: 200, do: 'publish', value: 5 },
    ]);
    expect(world.twins.of(1)!.view).toMatchObject({ role: 'follower', version: 5 });
  });
});

describe('one disk at a time', () => {
  const lose = (atMs: number, member: MemberId) => ({ atMs, do: 'restart', member, disk: 'lost' });
  const isBroken = (events: object[], members?: unknown): boolean =>
    crowded(events, members).broken.has('one-disk');

  it('may be lost, again and again, once the member before has its seat', () => {
    // A member on an empty disk has its seat 100 ms after its start.
    expect(isBroken([lose(300, 1)])).toBe(false);
    expect(isBroken([lose(300, 1), lose(450, 2), lose(600, 3), lose(750, 1)])).toBe(false);
    expect(isBroken([lose(300, 1), lose(350, 2)])).toBe(true);
    expect(isBroken([lose(300, 1), lose(350, 1)]), 'the same member').toBe(false);
    expect(isBroken([lose(300, 1), { atMs: 310, do: 'crash', member: 1 }, lose(900, 2)])).toBe(true);
  });

  it('may not be the only one of a membership', () => {
    expect(isBroken([lose(300, 1)], [1])).toBe(true);
    expect(isBroken([{ atMs: 300, do: 'twin', member: 1, disk: 'empty' }], [1])).toBe(true);
    expect(isBroken([lose(300, 1)], [1, 2])).toBe(false);
  });

  it('stays lost where nobody says who has a seat', () => {
    const events = [lose(300, 1), lose(900, 2)];
    expect(parrots(events).world.broken.has('one-disk')).toBe(true);
    expect(parrots([lose(300, 1)]).world.broken.has('one-disk')).toBe(false);
  });

  it('may be lost although members have joined or left', () => {
    const events = [
      { atMs: 100, do: 'add', member: 9 },
      { atMs: 200, do: 'remove', member: 3 },
      lose(300, 9),
      lose(600, 1),
    ];
    expect(isBroken(events)).toBe(false);
  });

  it('is not there as long as a second process of its member runs', () => {
    const twin = { atMs: 200, do: 'twin', member: 1, disk: 'empty' };
    const end = { atMs: 400, do: 'crash', member: 1, twin: true };
    const publish = { atMs: 500, do: 'publish', value: 1, member: 1 };
    expect(isBroken([twin])).toBe(false);
    expect(isBroken([twin, lose(380, 2)])).toBe(true);
    expect(isBroken([twin, lose(380, 1)]), 'the same member').toBe(false);
    // Its disk may have had the seat of the member, until the member shows its own in a newer version.
    expect(isBroken([twin, end, lose(600, 2)])).toBe(true);
    expect(isBroken([twin, end, publish, lose(600, 2)])).toBe(false);
    expect(isBroken([twin, { ...publish, atMs: 300 }, end, lose(600, 2)])).toBe(true);
  });

  it('is not there after a restore before the register has moved on', () => {
    const restored = { atMs: 300, do: 'restart', member: 1, disk: 'restored' };
    const publish = { atMs: 500, do: 'publish', value: 1, member: 1 };
    expect(isBroken([restored, lose(600, 2)])).toBe(true);
    expect(isBroken([restored, publish, lose(600, 2)])).toBe(false);
  });
});

describe('no copy', () => {
  const isBroken = (event: object): boolean => crowded([event]).broken.has('no-copy');

  it('runs: broken by a disk that is restored, and by a second process on a copy', () => {
    expect(isBroken({ atMs: 300, do: 'restart', member: 1, disk: 'restored' })).toBe(true);
    expect(isBroken({ atMs: 300, do: 'twin', member: 1, disk: 'copied' })).toBe(true);
    expect(isBroken({ atMs: 300, do: 'twin', member: 1, disk: 'empty' })).toBe(false);
    expect(isBroken({ atMs: 300, do: 'restart', member: 1, disk: 'lost' })).toBe(false);
    expect(isBroken({ atMs: 300, do: 'backup', member: 1 })).toBe(false);
  });

  it('is what a promise can assume', () => {
    const twin = (disk: string) => ({ atMs: 350, do: 'twin', member: 1, disk });
    const claimed = (disk: string): string[] =>
      crowded([{ atMs: 50, do: 'crash', member: 2 }, { atMs: 51, do: 'crash', member: 3 }, twin(disk)])
        .violations.filter((each) => each.claimed)
        .map(({ property }) => property);
    expect(claimed('empty')).toEqual(['S1', 'S10', 'S6']);
    expect(claimed('copied')).toEqual(['S1', 'S6']);
  });
});
