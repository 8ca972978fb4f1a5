import { describe, expect, it } from 'vitest';
import { readRun } from '../../playground/src/game/run/run.ts';
import { Timeline } from '../../playground/src/game/run/timeline.ts';
import { addressOf, namedRun } from '../../playground/src/pages/gallery/named-run.ts';
import { STORIES } from '../../playground/src/pages/gallery/scenarios.ts';
import { runOf } from '../../playground/src/pages/gallery/story.ts';
import { thumbnailOf } from '../../playground/src/pages/gallery/thumbnail.ts';
import { verdictOf } from '../../playground/src/pages/gallery/verdict.ts';
import { PROTOCOLS, VERDICTS } from '../../playground/src/pages/gallery/verdicts.ts';
import { catalogue } from '../../src/protocols/index.ts';

describe('the gallery', () => {
  it('says of every story and protocol what the simulation says', () => {
    const computed = Object.fromEntries(
      STORIES.map((story) => [story.name, PROTOCOLS.map((protocol) => verdictOf(runOf(story, protocol)))]),
    );
    expect(VERDICTS).toEqual(computed);
    expect(PROTOCOLS).toEqual(Object.keys(catalogue));
  });

  it('never shows two leaders of quorum for longer than a moment, and that only with a broken clock', () => {
    const at = PROTOCOLS.indexOf('quorum');
    const two = STORIES.filter(
      ({ name }) => !['one', 'flaps', 'unknown-to-some', 'gap', 'none'].includes(VERDICTS[name]![at]!),
    );
    expect(two.map(({ name }) => name)).toEqual(['slow-clock']);
  });

  it('shows every verdict somewhere', () => {
    expect([...new Set(Object.values(VERDICTS).flat())].sort()).toEqual([
      'flaps',
      'gap',
      'moment',
      'none',
      'one',
      'two-for-good',
      'two-then-one',
      'unknown-to-some',
    ]);
  });

  it('has no story in which something was meant to happen and did not', () => {
    for (const story of STORIES) {
      for (const protocol of PROTOCOLS) {
        const timeline = new Timeline(readRun(runOf(story, protocol)));
        timeline.extendTo(timeline.run.untilMs);
        const skipped = timeline.history.entries.filter(
          (entry) => entry.kind === 'event' && entry.event.skipped !== undefined,
        );
        expect({ story: story.name, protocol, skipped }).toMatchObject({ skipped: [] });
      }
    }
  });

  it('does not call it one leader where nobody leads until the halves meet again', () => {
    const verdict = (name: string): string => VERDICTS[name]![PROTOCOLS.indexOf('quorum')]!;
    expect([verdict('even-split'), verdict('three-threes')]).toEqual(['gap', 'gap']);
    expect(verdict('leader-crash')).toBe('one');
  });

  it('opens by name', () => {
    expect(namedRun('bridge', 'epoch')).toEqual(
      runOf(STORIES.find(({ name }) => name === 'bridge')!, 'epoch'),
    );
    for (const { name } of STORIES) {
      const wanted = new URLSearchParams(addressOf(name, 'ring').slice(1));
      expect(namedRun(wanted.get('s')!, wanted.get('protocol')!).protocol).toBe('ring');
    }
    expect(() => namedRun('paxos', 'epoch')).toThrow(
      's: expected the name of a scenario in the gallery (isolate-leader, even-split, minority, …: each card copies its link), found "paxos"',
    );
    expect(() => namedRun('bridge', 'paxos')).toThrow(/^protocol: expected one of bully, /);
    expect(new Set(STORIES.map(({ name }) => name)).size).toBe(STORIES.length);
  });
});

describe('a thumbnail', () => {
  const of = (wanted: string) => thumbnailOf(STORIES.find(({ name }) => name === wanted)!);

  it('shows who hears whom', () => {
    expect(of('quiet-start').links).toHaveLength(10);
    expect(of('isolate-leader').links).toHaveLength(6);
    expect(of('three-threes').links).toHaveLength(9);
    expect(of('bridge').links).toHaveLength(6);
    expect(of('star').links).toHaveLength(4);
    expect(of('deaf-leader').links.filter(({ oneWay }) => oneWay)).toHaveLength(4);
  });

  it('shows who is hurt', () => {
    expect(of('leader-crash').places[0]!.marks).toEqual(['leader', 'dead']);
    expect(of('two-left').places.filter(({ marks }) => marks.includes('dead'))).toHaveLength(3);
    expect(of('others-forget').places.map(({ marks }) => marks.at(-1))).toEqual([
      'leader',
      ...Array.from({ length: 4 }, () => 'forgets'),
    ]);
    expect(of('late-joiner').places[4]!.marks).toEqual(['late']);
    expect(of('lossy').isRough).toBe(true);
  });
});
