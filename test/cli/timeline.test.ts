import { describe, expect, it } from 'vitest';
import { plain } from '../../src/cli/colours.ts';
import { runOnce } from '../../src/cli/one-run.ts';
import { toRows } from '../../src/cli/rows.ts';
import type { Lane } from '../../src/cli/scene.ts';
import { Story } from '../../src/cli/story.ts';
import { timeline } from '../../src/cli/timeline.ts';
import { Vocabulary } from '../../src/cli/vocabulary.ts';
import {
  type Definition,
  type Effect,
  type Input,
  listOf,
  type MemberId,
  memberId,
  natural,
  record,
  type TraceLine,
  type View,
} from '../../src/core/index.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { readScenario } from '../../src/simulation/index.ts';
import { chaos } from '../support/chaos.ts';

/** A history told by hand, of a protocol that exists nowhere else. */
const definition = {
  messages: {
    ask: record({ nonce: natural }),
    pass: record({ ids: listOf(memberId), nonce: natural }),
    tell: record({ who: memberId, nonce: natural }),
    got: record({ nonce: natural }),
    beat: record({}),
  },
} as unknown as Definition;

const view = (role: View['role'], leader: MemberId | null = null): Effect => ({
  type: 'report',
  view: { role, leader, term: null, lease: null, version: 0, value: null },
});
const send = (message: Message, ...to: MemberId[]): Effect[] =>
  to.map((each) => ({ type: 'send', to: each, message }));
const timer = (name: string): Effect => ({ type: 'set-timer', timer: name, delayMs: 1 });
const fires = (name: string): Input => ({ type: 'timer', timer: name });
const hears = (from: MemberId, message: Message): Input => ({ type: 'message', from, message });
const step = (atMs: number, member: MemberId, input: Input, ...effects: Effect[]): TraceLine => ({
  atMs,
  member,
  input,
  effects,
});
type Message = { readonly type: string; readonly [field: string]: unknown };

function tell(lines: readonly TraceLine[], untilMs = 10_000): string[] {
  const story = new Story();
  story.line({ trace: 'caucus/1', protocol: 'toy', members: [1, 2, 3, 4], timing: {}, options: {}, seed: 1 });
  for (const line of lines) story.line(line);
  const vocabulary = new Vocabulary(story.members, definition, story.telling);
  return toRows(story.scenes, vocabulary, untilMs, 50).map(
    (row) => `${row.atMs} ${row.words}${row.aside === '' ? '' : ` ${row.aside}`}`,
  );
}

describe('the story of a run', () => {
  const beat = { type: 'beat' };
  const beats = (from: number, count: number): TraceLine[] =>
    Array.from({ length: count }, (_, i) => [
      step(from + i * 100, 1, fires('beat'), ...send(beat, 2, 3, 4), timer('beat')),
      ...[2, 3, 4].map((id) => step(from + i * 100 + 1, id, hears(1, beat), timer('wait'))),
    ]).flat();

  it('counts what goes on and on', () => {
    expect(tell(beats(100, 50))).toEqual(['0 150 beat in 10 s']);
  });

  it('tells a change and every message that led to it, and no counters', () => {
    const ask = { type: 'ask', nonce: 17 };
    const pass = { type: 'pass', ids: [2], nonce: 18 };
    expect(
      tell([
        step(10, 1, fires('x'), ...send(ask, 2)),
        step(20, 2, hears(1, ask), ...send(pass, 3)),
        step(30, 3, hears(2, pass), view('leader', 3)),
      ]),
    ).toEqual(['10 1: ask → 2 (timer x)', '20 2: pass [2] → 3', '30 3 leads']);
  });

  it('tells together who did the same because of the same message', () => {
    const tells = { type: 'tell', who: 1, nonce: 3 };
    expect(
      tell([
        step(10, 1, fires('x'), view('leader', 1), ...send(tells, 2, 3, 4)),
        step(20, 2, hears(1, tells), view('follower', 1)),
        step(25, 4, fires('x'), view('candidate')),
        step(30, 3, hears(1, tells), view('follower', 1)),
        step(35, 4, hears(1, tells), view('follower', 1)),
      ]),
    ).toEqual([
      '10 1 leads · tell 1 → all (timer x)',
      '20 2 and 3 follow 1',
      '25 4 stands for election (timer x)',
      '35 4 follows 1', // It stood in between, so its own order is kept.
    ]);
  });

  it('does not move anybody past a fault', () => {
    const tells = { type: 'tell', who: 1, nonce: 3 };
    expect(
      tell([
        step(10, 1, fires('x'), view('leader', 1), ...send(tells, 2, 3)),
        step(20, 2, hears(1, tells), view('follower', 1)),
        { atMs: 25, event: { do: 'crash', member: 1 } },
        step(30, 3, hears(1, tells), view('follower', 1)),
      ]),
    ).toEqual([
      '10 1 leads · tell 1 → 2 and 3 (timer x)',
      '20 2 follows 1',
      '25 1 crashes',
      '30 3 follows 1',
    ]);
  });

  it('tells a second try with the first, and leaves acks out', () => {
    const ask = { type: 'ask', nonce: 17 };
    const got = { type: 'got', nonce: 17 };
    expect(
      tell([
        step(10, 1, fires('x'), ...send(ask, 2), timer('ack')),
        step(20, 1, fires('ack'), ...send(ask, 2), timer('ack')),
        step(30, 1, fires('ack'), ...send(ask, 3), timer('ack')),
        step(40, 3, hears(1, ask), ...send(got, 1), view('leader', 3)),
        step(50, 1, hears(3, got), { type: 'cancel-timer', timer: 'ack' }),
      ]),
    ).toEqual(['10 1: ask → 2 (timer x, 2 tries)', '30 1: ask → 3 (timer ack)', '40 3 leads']);
  });

  it('tells every vote that counted, not only the last', () => {
    const votes = [1, 2, 3].map((nonce) => ({ type: 'ask', nonce }));
    expect(
      tell([
        ...votes.map((vote, i) => step(10 + i, i + 1, fires('x'), ...send(vote, 4))),
        ...votes.slice(0, 2).map((vote, i) => step(20 + i, 4, hears(i + 1, vote))),
        step(30, 4, hears(3, votes[2]!), view('leader', 4)),
      ]),
    ).toEqual(['10 1–3: ask → 4 (timer x)', '30 4 leads']);
  });

  it('names what happened to several at once, and what could not happen', () => {
    expect(
      tell([
        { atMs: 5, event: { do: 'crash', member: 1 } },
        { atMs: 5, event: { do: 'crash', member: 2 } },
        { atMs: 5, event: { do: 'crash', member: 3 } },
        { atMs: 6, event: { do: 'crash', skipped: 'nobody is leader' } },
        { atMs: 7, event: { do: 'partition', groups: [[1], [2, 3, 4]] } },
        { atMs: 8, event: { do: 'cut', from: 1, to: 2, oneWay: true } },
        { atMs: 9, event: { do: 'restart', member: 2, amnesia: true } },
      ]),
    ).toEqual([
      '5 1–3 crash',
      '6 no crash, since nobody is leader',
      '7 partition: 1 | 2–4',
      '8 cut from 1 to 2',
      '9 2 restarts with an empty disk',
    ]);
  });
});

describe('the timeline of every protocol', () => {
  const SEEDS = 15;
  for (const protocol of Object.keys(catalogue)) {
    it(`${protocol}: however much is left out, the lanes end as the members do`, async () => {
      for (let seed = 1; seed <= SEEDS; seed++) {
        const scenario = readScenario(chaos({ protocol }, seed, true), catalogue);
        const story = new Story();
        const world = await runOnce(scenario, seed, [story]);
        const vocabulary = new Vocabulary(story.members, scenario.definition, story.telling);
        for (const most of [1_000_000, 50, 12]) {
          const rows = toRows(story.scenes, vocabulary, scenario.untilMs, most);
          expect(rows.length).toBeLessThanOrEqual(most);
          const times = rows.map((row) => row.atMs);
          expect(times).toEqual([...times].sort((a, b) => a - b));
          const lanes = new Map<MemberId, Lane>(rows.flatMap((row) => [...row.lanes]));
          for (const { id, view, paused } of world.hosts.values()) {
            const { role, leader } = view;
            expect(lanes.get(id), `seed ${seed}, member ${id}`).toEqual({ role, leader, paused });
          }
        }
        for (const columns of [80, 120]) {
          const lines = timeline(story, scenario, { columns, paint: plain });
          expect(lines.length).toBeLessThan(110);
          for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(columns);
        }
      }
    });
  }

  it('is short for five members over 20 s', async () => {
    const scenario = readScenario(
      {
        events: [
          { atMs: 8000, do: 'crash', member: 'leader' },
          { atMs: 14_000, do: 'restart', member: 'all' },
        ],
      },
      catalogue,
    );
    for (let seed = 1; seed <= 20; seed++) {
      const story = new Story();
      await runOnce(scenario, seed, [story]);
      expect(timeline(story, scenario, { columns: 80, paint: plain }).length).toBeLessThanOrEqual(60);
    }
  });

  it('does without lanes where they leave no room', async () => {
    const scenario = readScenario({ members: 30 }, catalogue);
    const story = new Story();
    await runOnce(scenario, 1, [story]);
    const [head, first] = timeline(story, scenario, { columns: 80, paint: plain });
    expect([head!.trim(), first!.trim()]).toEqual(['ms', '0  everybody starts']);
  });

  it('fits in memory, however long the run', async () => {
    const scenario = readScenario(
      { timing: { heartbeatMs: 20, timeoutMs: [50, 100] }, untilMs: 1_000_000 },
      catalogue,
    );
    const story = new Story();
    const world = await runOnce(scenario, 1, [story]);
    expect(world.messagesByType.get('keep-alive')).toBeGreaterThan(190_000);
    expect(story.scenes.length).toBeLessThanOrEqual(20_000);
    expect(timeline(story, scenario, { columns: 80, paint: plain }).join('\n')).toMatch(
      /19\d,\d{3} keep-alive/,
    );
  });
});
