import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StepEntry } from '../../playground/src/game/history/history.ts';
import { newRun } from '../../playground/src/game/run/presets.ts';
import { Timeline } from '../../playground/src/game/run/timeline.ts';
import { STORIES } from '../../playground/src/pages/gallery/scenarios.ts';
import { runOf } from '../../playground/src/pages/gallery/story.ts';
import { firedBefore, firedBy, ruleOf } from '../../playground/src/panels/how/fired.ts';
import { explained } from '../../src/protocols/explained.ts';
import { catalogue } from '../../src/protocols/index.ts';

/** Does something come of it that others can see, or that lasts? */
function matters({ effects }: StepEntry): boolean {
  return effects.some(({ type }) => ['send', 'report', 'save', 'draw'].includes(type));
}

describe('the rules of how it works', () => {
  it('are told for every election', () => {
    expect(Object.keys(explained).sort()).toEqual(Object.keys(catalogue).sort());
    for (const [name, { rules, kinds, file }] of Object.entries(explained)) {
      expect(rules.length).toBeGreaterThanOrEqual(6);
      expect(rules.length).toBeLessThanOrEqual(11);
      expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
      expect(Object.keys(kinds).sort()).toEqual(Object.keys(catalogue[name]!.messages).sort());
      expect(existsSync(path.join(import.meta.dirname, '../..', file))).toBe(true);
    }
  });

  for (const protocol of Object.keys(catalogue)) {
    it(`of ${protocol} are all used in the gallery, and cover all that matters there`, () => {
      const used = new Set<string>();
      for (const story of STORIES) {
        const timeline = new Timeline(runOf(story, protocol));
        timeline.extendTo(timeline.run.untilMs);
        for (const entry of timeline.history.entries) {
          const rule = ruleOf(protocol, entry);
          if (rule !== null) used.add(rule);
          else if (entry.kind === 'step' && matters(entry)) expect({ story: story.name, entry }).toBeNull();
        }
      }
      expect([...used].sort()).toEqual(explained[protocol]!.rules.map(({ id }) => id).sort());
    });
  }

  it('are told as they are used', () => {
    const timeline = new Timeline(newRun('epoch', 5, 7));
    timeline.extendTo(6000);
    const { history } = timeline;
    const won = history.claims[0]!.fromUs / 1000;
    expect(firedBefore(history, 'epoch', won)[0]).toEqual({
      rule: 'count',
      member: history.claims[0]!.member,
      atMs: won,
    });
    expect(firedBefore(history, 'epoch', won).map(({ rule }) => rule)).toContain('vote');
    expect(firedBefore(history, 'epoch', 0)).toEqual([{ rule: 'start', member: 5, atMs: 0 }]);
    expect(firedBy(history, 'epoch', 0)).toEqual([{ rule: 'start', member: 1, atMs: 0 }]);
    expect(firedBy(history, 'paxos', 0)).toEqual([]);
  });
});
