/** A second process of a member, on the page. */
import { describe, expect, it } from 'vitest';
import { frameAt } from '../../playground/src/game/history/frame.ts';
import { type Run, readRun } from '../../playground/src/game/run/run.ts';
import { asScenario, Timeline } from '../../playground/src/game/run/timeline.ts';
import { Teller } from '../../playground/src/game/words/entry-words.ts';
import { readTraces } from '../../playground/src/pages/files/trace-reader.ts';
import { encodeTraceLine } from '../../src/core/index.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { readScenario, simulate } from '../../src/simulation/index.ts';

const RUN: Run = {
  protocol: 'epoch',
  members: 3,
  seed: 7,
  untilMs: 20_000,
  events: [{ atMs: 8000, do: 'twin', member: 2, disk: 'copied' }],
};

describe('a second process', () => {
  it('stands beside the members under a name of its own, and is told in words', () => {
    const timeline = new Timeline(RUN);
    timeline.extendTo(12_000);
    const { history } = timeline;
    expect(history.members).toEqual([1, 2, 3, "2'"]);
    expect(frameAt(history, 11_000).members.find(({ id }) => id === "2'")).toMatchObject({ alive: true });
    const teller = new Teller(history, 'epoch');
    const twin = history.entries.find((entry) => entry.kind === 'event' && entry.event.do === 'twin')!;
    expect(teller.tell(twin)).toBe("2', a second process of 2, starts on a copy of its disk");
  });

  it('can be killed by hand, and the run can be shared and replayed', () => {
    const timeline = new Timeline(RUN);
    timeline.extendTo(12_000);
    timeline.act([{ do: 'crash', member: "2'" }]);
    timeline.extendTo(20_000);
    expect(timeline.events.at(-1)).toMatchObject({ do: 'crash', member: 2, twin: true });
    expect(timeline.history.memberAt("2'", 13_000)).toMatchObject({ alive: false });
    const run = readRun({ ...timeline.runUpTo(20_000) });
    expect(simulate(readScenario(run, catalogue), run.seed).hash).toBe(timeline.hash);
  });

  it('is its member for all else that is done by hand', () => {
    const members = [1, 2, 3, "2'"];
    expect(asScenario({ do: 'pause', member: "2'" }, members)).toEqual({ do: 'pause', member: 2 });
    expect(asScenario({ do: 'cut', from: 1, to: "2'" }, members)).toEqual({ do: 'cut', from: 1, to: 2 });
    const groups = [
      [1, "2'"],
      [2, 3],
    ];
    expect(asScenario({ do: 'partition', groups }, members)).toEqual({
      do: 'partition',
      groups: [[1, 2], [3]],
    });
    expect(asScenario({ do: 'crash', member: 2 }, members)).toEqual({ do: 'crash', member: 2 });
  });

  it('is in a trace too', () => {
    let text = '';
    simulate(readScenario(RUN, catalogue), RUN.seed, { trace: (line) => (text += encodeTraceLine(line)) });
    const work = readTraces([{ name: 'a.ndjson', text }]);
    let next = work.next();
    while (next.done !== true) next = work.next();
    expect(next.value.problems).toEqual([]);
    expect(next.value.timeline.history.members).toContain("2'");
  });
});
