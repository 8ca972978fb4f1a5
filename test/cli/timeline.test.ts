import { describe, expect, it } from 'vitest';
import { runOnce } from '../../src/cli/commands/simulate/one-run.ts';
import { timeline } from '../../src/cli/commands/simulate/timeline.ts';
import { plain } from '../../src/cli/terminal/colours.ts';
import type { MemberId } from '../../src/core/index.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { readScenario, type World } from '../../src/simulation/index.ts';
import { type Lane, Story, toRows, Vocabulary } from '../../src/story/index.ts';
import { chaos } from '../support/chaos.ts';

async function run(
  given: object,
  seed = 1,
): Promise<{ story: Story; world: World; lines: (columns: number) => string[] }> {
  const scenario = readScenario(given, catalogue);
  const story = new Story();
  const world = await runOnce(scenario, seed, [story]);
  return { story, world, lines: (columns) => timeline(story, scenario, { columns, paint: plain }) };
}

describe('the timeline of every protocol', () => {
  const SEEDS = 15;
  for (const protocol of Object.keys(catalogue)) {
    it(`${protocol}: however much is left out, the lanes end as the members do`, async () => {
      for (let seed = 1; seed <= SEEDS; seed++) {
        const { story, world, lines } = await run(chaos({ protocol }, seed, true), seed);
        const { definition, untilMs, events } = world.scenario;
        const vocabulary = new Vocabulary(story.members, definition, story.habits);
        for (const most of [1_000_000, 50, 12]) {
          const rows = toRows(story.scenes, vocabulary, untilMs, most);
          expect(rows.length).toBeLessThanOrEqual(most + 2 * events.length);
          const times = rows.map((row) => row.atMs);
          expect(times).toEqual([...times].sort((a, b) => a - b));
          const lanes = new Map<MemberId, Lane>(rows.flatMap((row) => [...row.lanes]));
          for (const { id, view, paused } of world.hosts.values()) {
            const { role, leader } = view;
            expect(lanes.get(id), `seed ${seed}, member ${id}`).toEqual({ role, leader, paused });
          }
        }
        for (const columns of [80, 120]) {
          expect(lines(columns).length).toBeLessThan(110);
          for (const line of lines(columns)) expect(line.length, line).toBeLessThanOrEqual(columns);
        }
      }
    });
  }

  it('is short for five members over 20 s', async () => {
    const events = [
      { atMs: 8000, do: 'crash', member: 'leader' },
      { atMs: 14_000, do: 'restart', member: 'all' },
    ];
    for (let seed = 1; seed <= 20; seed++) {
      const { lines } = await run({ events }, seed);
      expect(lines(80).length).toBeLessThanOrEqual(60);
    }
  });

  it('begins with the start and the first leader, however busy the run', async () => {
    const given = {
      timing: { heartbeatMs: 50, timeoutMs: [150, 300] },
      network: { loss: 0.3, duplicate: 0.1, reorder: 0.1 },
      untilMs: 100_000,
    };
    for (let seed = 1; seed <= 10; seed++) {
      const { lines } = await run(given, seed);
      const [, first, ...more] = lines(80);
      expect(first).toMatch(/^ *0 .* everybody starts$/);
      expect(more.slice(0, 20).join('\n')).toMatch(/ leads/);
    }
  });

  it('ends with the commands that were never answered', async () => {
    const events = [
      { atMs: 3000, do: 'publish', value: 'x' },
      { atMs: 3000.5, do: 'crash', member: 'leader' },
    ];
    const { lines } = await run({ protocol: 'bully', options: { quorum: true }, events });
    expect(lines(80).at(-1)).toBe('publish at 3,000 ms: never answered by 5');
  });

  it('fits in memory, however long the run', async () => {
    const { story, world, lines } = await run({
      timing: { heartbeatMs: 20, timeoutMs: [50, 100] },
      untilMs: 1_000_000,
    });
    expect(world.messagesByType.get('keep-alive')).toBeGreaterThan(190_000);
    expect(story.scenes.length).toBeLessThanOrEqual(20_000);
    expect(lines(80).join('\n')).toMatch(/19\d,\d{3} keep-alive/);
  });
});

describe('the lanes', () => {
  const head = (lines: readonly string[]): string =>
    lines.find((line) => line.trim().startsWith('ms'))!.trim();

  it('are there for fifteen members in 80 columns', async () => {
    const { lines } = await run({ members: 15 });
    expect(head(lines(80))).toMatch(/^ms +1 +2 .* 14 15$/);
    for (const line of lines(80)) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it('go by letters where ids are long, with a key, and by ids where there is room', async () => {
    const { lines } = await run({ members: ['db-1', 'db-2', 'b', 'db-4', 'db-5'] });
    expect(lines(80)[0]).toBe('a db-1   c db-2   d db-4   e db-5');
    expect(head(lines(80))).toMatch(/^ms +b +a +c +d +e$/);
    expect(lines(80).join('\n')).toMatch(/n follows n/);
    expect(head(lines(120))).toMatch(/^ms +b +db-1 +db-2 +db-4 +db-5$/);
  });

  it('give way where they leave no room', async () => {
    const { lines } = await run({ members: 30 });
    const [first, second] = lines(80);
    expect([first!.trim(), second!.trim()]).toEqual(['ms', '0  everybody starts']);
  });
});
