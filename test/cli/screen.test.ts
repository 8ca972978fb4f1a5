/** The screen of `caucus up`, on terminals of several sizes. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Fleet, FleetEvent, FleetMember, MemberState } from '../../src/cli/commands/up/fleet.ts';
import { Screen } from '../../src/cli/commands/up/screen.ts';

const event = (name: string, text: string, fields: object = {}): FleetEvent => ({
  at: '2026-01-01T00:00:00.000Z',
  event: name,
  id: 1,
  text,
  ...fields,
});

/** What a terminal of this size shows. */
function shown(
  states: readonly MemberState[],
  size: [number, number],
  events: readonly FleetEvent[] = [],
  led: readonly number[] = [],
): string[] {
  const members = states.map(
    (state, i): FleetMember => ({
      id: i + 1,
      url: `http://127.0.0.1:${7101 + i}`,
      data: '',
      pid: 1,
      state,
      token: '7',
      leads: led[i] ?? 0,
    }),
  );
  const fleet = {
    members,
    leader: members.find(({ state }) => state === 'leading') ?? null,
    election: 'main',
    others: led.length === 0 ? 0 : 1000,
    led: led.reduce((sum, each) => sum + each, 0),
  } as unknown as Fleet;
  let text = '';
  let draw = (): void => {};
  const out = {
    columns: size[0],
    rows: size[1],
    write: (chunk: string) => {
      text = chunk;
    },
    on: (_: string, listener: () => void) => {
      draw = listener;
    },
    off: () => {},
  };
  const heading = { title: 'quorum', page: null, byMajority: true };
  const screen = new Screen(fleet, heading, out as unknown as NodeJS.WriteStream, (plain) => plain);
  for (const each of events) screen.show(each);
  draw();
  const lines = stripVTControlCharacters(text).split('\r\n');
  screen.close();
  return lines;
}

const FIVE: readonly MemberState[] = ['up', 'leading', 'up', 'up', 'up'];
const MANY_EVENTS = Array.from({ length: 50 }, (_, i) => event('acting', `news ${i}`));

describe('the screen of caucus up', () => {
  it('takes a terminal that does not know its size for one of 80 columns and 24 rows', () => {
    expect(shown(FIVE, [0, 0], MANY_EVENTS)).toEqual(shown(FIVE, [80, 24], MANY_EVENTS));
  });

  it.each<[number, number]>([
    [120, 40],
    [80, 24],
    [50, 10],
    [50, 6],
  ])('fits on %i columns and %i rows, with the leader, the newest event and how to quit', (columns, rows) => {
    for (const states of [FIVE, [...FIVE, ...FIVE.map((): MemberState => 'down')]]) {
      const lines = shown(states, [columns, rows], MANY_EVENTS);
      expect(lines.length).toBeLessThan(rows);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns);
      expect(lines[1]).toBe('member 2 leads, token 7');
      expect(lines.join('\n')).toContain('news 49');
      expect(lines.at(-1)).toMatch(/q quit$/);
    }
  });

  it('says how many of many elections have a leader, and how many each member leads', () => {
    const lines = shown(['up', 'leading', 'up'], [100, 24], [], [300, 312, 0]);
    expect(lines.slice(1, 3)).toEqual([
      'member 2 leads main, token 7',
      '612 of 1000 elections have a leader',
    ]);
    expect(lines.filter((line) => line.includes('http')).map((line) => line.split('  ').at(-1))).toEqual([
      'leads 300 more',
      'leads 312 more',
      'leads 0 more',
    ]);
    expect(shown(FIVE, [50, 6], MANY_EVENTS, [1, 0, 0, 0, 0])).toHaveLength(5);
  });

  it('says how many run and what a majority is when there is none', () => {
    expect(shown(['up', 'down', 'paused', 'down', 'starting'], [80, 24])[1]).toBe(
      'no leader: 2 of 5 run, a majority is 3',
    );
    expect(shown(['up', 'up', 'up', 'down', 'down'], [80, 24])[1]).toBe('no leader');
  });

  it('says of no member that it follows while there is no leader', () => {
    for (const size of [
      [80, 24],
      [50, 6],
    ] as [number, number][]) {
      const lines = shown(['up', 'up', 'down', 'down', 'down'], size).join('\n');
      expect(lines).not.toContain('follows');
      expect(lines).toMatch(/1 +no leader/);
      expect(shown(FIVE, size).join('\n')).toMatch(/1 +follows/);
    }
  });

  it('tells of a kill in one line, of another end too, and of a restart', () => {
    const events = [
      event('kill', 'kill -9 of member 1'),
      event('exit', 'member 1 ended (SIGKILL)', { asked: true }),
      event('restart', 'member 1 is restarted'),
      event('exit', 'member 1 ended (exit code 1)', { asked: false }),
    ];
    const told = shown(FIVE, [80, 24], events).filter((line) => line.startsWith('00:00'));
    expect(told.map((line) => line.slice(17))).toEqual([
      'kill -9 of member 1',
      'member 1 is restarted',
      'member 1 ended (exit code 1)',
    ]);
  });
});
