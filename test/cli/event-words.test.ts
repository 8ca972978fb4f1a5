import { describe, expect, it } from 'vitest';
import type { Json, TraceLine } from '../../src/core/index.ts';
import { fires, happens, send, step, storyOf, tell, view } from './toy.ts';

const toEach = (
  what: string,
  ids: readonly number[],
  fields: Readonly<Record<string, Json>> = {},
): TraceLine[] => ids.map((member) => happens(5, what, { member, ...fields }));
const ALL = [1, 2, 3, 4];

describe('what happens to several at once', () => {
  const cases: readonly [lines: TraceLine[], words: string][] = [
    [toEach('crash', [1, 2, 3]), '1–3 crash'],
    [toEach('disk', ALL, { fault: 'full' }), 'every disk is full'],
    [toEach('disk', [1, 3], { fault: 'stall' }), 'the disks of 1 and 3 stall'],
    [toEach('disk', [2], { fault: 'none' }), 'the disk of 2 works again'],
    [toEach('network', [1, 2], { loss: 0.5 }), 'network of 1 and 2: loss 0.5'],
    [toEach('clock', ALL, { rate: 1.5, jumpMs: 0 }), 'every clock runs at 1.5 times the usual rate'],
    [toEach('clock', [4], { rate: 1, jumpMs: 2000 }), 'the clock of 4 jumps by 2,000 ms'],
    [
      toEach('evidence', [2, 3, 4], { peer: 1, gone: true, proof: true }),
      '2–4 are told that 1 is gone (proof)',
    ],
    [toEach('restart', ALL, { amnesia: true }), 'everybody restarts with an empty disk'],
    [toEach('restart', [2], { amnesia: false, disk: 'restored' }), '2 restarts with a backup of its disk'],
    [
      toEach('restart', [2, 3], { amnesia: false, disk: 'restored' }),
      '2 and 3 restart with a backup of their disks',
    ],
    [toEach('backup', [2]), '2 backs its disk up'],
    [toEach('backup', [2, 3]), '2 and 3 back their disks up'],
    [[2, 3, 4].map((to) => happens(5, 'cut', { from: 1, to, oneWay: false })), 'cut between 1 and 2–4'],
    [[2, 3, 4].map((to) => happens(5, 'release', { from: 1, to, type: 'beat' })), 'released: beat 1 → 2–4'],
    [
      ALL.flatMap((from) =>
        ALL.filter((to) => to !== from).map((to) => happens(5, 'network', { from, to, loss: 1 })),
      ),
      'network among everybody: loss 1',
    ],
  ];
  for (const [lines, words] of cases) {
    it(words, () => {
      expect(tell(lines)).toEqual([`5 ${words}`]);
    });
  }

  it('is told once although each acts before the next is reached', () => {
    const lines = [1, 2].flatMap((member) => [
      happens(5, 'campaign', { member }),
      step(5, member, { type: 'command', id: member, command: { type: 'campaign' } }, view('candidate')),
    ]);
    const answers = [1, 2].map((member) =>
      happens(5 + member, 'answer', { member, command: member, status: 'done' }),
    );
    expect(tell([...lines, ...answers])).toEqual([
      '5 1 and 2 are asked to campaign',
      '5 1 and 2 look for a leader',
      '6 1 and 2 answer: campaign done',
    ]);
  });

  it('is one thing when whoever runs is restarted', () => {
    expect(
      tell(
        [1, 2].flatMap((id) => [...toEach('crash', [id]), ...toEach('restart', [id], { amnesia: false })]),
      ),
    ).toEqual(['5 1 and 2 crash and restart with their disks']);
  });
});

describe('what else happens', () => {
  const cases: readonly [line: TraceLine, words: string][] = [
    [happens(6, 'crash', { skipped: 'no-match', selector: 'leader' }), 'no crash, since there is no leader'],
    [happens(6, 'restart', { skipped: 'no-match', selector: 'all' }), 'no restart, since no member is down'],
    [happens(6, 'resume', { skipped: 'no-effect' }), 'no resume, since no member is stopped'],
    [
      happens(6, 'add', { skipped: 'fixed-membership', protocol: 'toy' }),
      'no add, since toy has a fixed membership',
    ],
    [happens(6, 'crash', { skipped: 'no-match', selector: 7 }), 'no crash, since no member fits "7"'],
    [
      happens(6, 'cut', { skipped: 'no-link', selectors: ['leader', 'followers'] }),
      'no cut, since no link fits "leader" and "followers"',
    ],
    [happens(6, 'twin', { skipped: 'not-running', of: 2 }), 'no twin, since 2 does not run'],
    [happens(6, 'add', { skipped: 'none-running' }), 'no add, since no member runs'],
    [
      happens(6, 'evidence', { skipped: 'never-had-second-process', of: 3 }),
      'no evidence, since 3 never had a second process',
    ],
    [happens(6, 'release', { skipped: 'not-held' }), 'no release, since nothing of that kind is held'],
    [
      happens(6, 'drop', { skipped: 'not-in-flight', flight: 9 }),
      'no drop, since message 9 is not on its way',
    ],
    [happens(6, 'crash', { skipped: 'as it was once said' }), 'no crash, since as it was once said'],
    [happens(6, 'partition', { groups: [[1], [2, 3, 4]] }), 'partition: 1 | 2–4'],
    [happens(6, 'cut', { from: 1, to: 2, oneWay: true }), 'cut from 1 to 2'],
    [happens(6, 'drop', { next: 3, type: 'beat', from: [1, 2] }), 'drop: the next 3 beat from 1 and 2'],
    [happens(6, 'remove', { member: 3, asked: 1 }), '1 is asked to remove 3'],
    [happens(6, 'backup', { skipped: 'no-effect' }), 'no backup, since its disk is empty'],
    [
      happens(6, 'twin', { member: "2'", of: 2, disk: 'empty' }),
      "2', a second process of 2, starts on an empty disk",
    ],
    [
      happens(6, 'twin', { member: "2'", of: 2, disk: 'copied', with: [3, 4] }),
      "2', a second process of 2, starts on a copy of its disk; only 3 and 4 can talk with it, and not with 2",
    ],
    [
      happens(6, 'twin', { skipped: 'has-second-process', of: 2 }),
      'no twin, since a second process of 2 runs already',
    ],
    [happens(6, 'crash', { skipped: 'no-second-process' }), 'no crash, since no second process runs'],
  ];
  for (const [line, words] of cases) {
    it(words, () => {
      expect(tell([line])).toEqual([`6 ${words}`]);
    });
  }
});

describe('a second process', () => {
  it('is told under its own name, and has a lane of its own', () => {
    const lines = [
      happens(5, 'twin', { member: "2'", of: 2, disk: 'empty' }),
      step(5, "2'", { type: 'start', saved: null, incarnation: 2, life: '2b' }, view('candidate')),
      happens(8, 'crash', { member: "2'" }),
    ];
    expect(tell(lines)).toEqual([
      "5 2', a second process of 2, starts on an empty disk",
      "5 2' looks for a leader",
      "8 2' crashes",
    ]);
    expect(storyOf([...lines, lines[0]!]).members).toEqual([1, 2, 3, 4, "2'"]);
  });
});

describe('what the user ordered', () => {
  /** Every 100 ms something is ordered, and in between leaders come and go. */
  const busy = (orders: number): TraceLine[] =>
    Array.from({ length: orders }, (_, i) => [
      happens(100 * i, 'publish', { member: 1, value: i }),
      ...[1, 2, 3].flatMap((id) => [
        step(100 * i + id, id, fires('x'), view('leader', id), ...send({ type: 'beat' }, 4)),
        step(100 * i + id + 10, id, fires('x'), view('follower')),
      ]),
    ]).flat();
  const ordered = (rows: readonly string[]): string[] => rows.filter((row) => row.includes('is asked to'));

  it('is told in any case', () => {
    expect(ordered(tell(busy(40), 4000))).toHaveLength(40);
    expect(ordered(tell(busy(40), 4000, 5))).toHaveLength(40);
  });

  it('has a gap in the middle if there is very much of it, and the gap says how much', () => {
    const rows = tell(busy(100), 10_000);
    expect(ordered(rows)).toHaveLength(40);
    expect(rows.filter((row) => row.includes('60 events of the scenario'))).toHaveLength(1);
    expect(rows[0]).toBe('0 1 is asked to publish 0');
    expect(rows.length).toBeLessThan(100);
  });
});
