import { describe, expect, it } from 'vitest';
import { alarmsAt, lastDouble, nextAlarmMs } from '../../playground/src/game/cause/alarms.ts';
import { causeOf } from '../../playground/src/game/cause/cause.ts';
import { newRun } from '../../playground/src/game/run/presets.ts';
import { Timeline } from '../../playground/src/game/run/timeline.ts';
import { alarmWords, pastWords } from '../../playground/src/game/words/alarm-words.ts';
import { Teller } from '../../playground/src/game/words/entry-words.ts';
import type { Action } from '../../src/simulation/index.ts';

function isolateLeader(timeline: Timeline): Action {
  const leader = timeline.world.leaders[0]!;
  const others = timeline.history.members.filter((id) => id !== leader);
  return { do: 'partition', groups: [[leader], others] };
}

/** The leader of a settled run is cut off for seven seconds. */
function isolated(protocol: string): Timeline {
  const timeline = new Timeline(newRun(protocol, 5, 1));
  timeline.extendTo(5000);
  timeline.act([isolateLeader(timeline)]);
  timeline.extendTo(12_000);
  timeline.act([{ do: 'heal' }]);
  timeline.extendTo(16_000);
  return timeline;
}

function wordsAt(timeline: Timeline, ms: number): ReturnType<typeof alarmWords>[] {
  const { protocol, broken } = timeline.world;
  const about = { protocol: protocol.name, pledges: protocol.pledges, fallen: broken };
  return alarmsAt(timeline.history, ms).map((alarm) => alarmWords(alarm, about));
}

describe('an alarm', () => {
  it('names two leaders in different epochs, and says that this may be harmless', () => {
    const timeline = isolated('epoch');
    expect(wordsAt(timeline, 11_000)).toEqual([
      {
        level: 'warning',
        title: 'Two leaders: 1 (epoch 3) and 2 (epoch 6) since 8.42 s',
        meaning: 'Two believe they lead, in different epochs: safe only if the store refuses old tokens.',
        promise: 'The protocol epoch never promised “one leader at a time”.',
      },
    ]);
  });

  it('is not there before, and is over after', () => {
    const timeline = isolated('epoch');
    expect(alarmsAt(timeline.history, 4000)).toEqual([]);
    expect(lastDouble(timeline.history, 4000)).toBeNull();
    expect(alarmsAt(timeline.history, 15_000)).toEqual([]);
    expect(pastWords(lastDouble(timeline.history, 15_000)!)).toBe('Two leaders from 8.42 s to 12.71 s');
    expect(nextAlarmMs(timeline.history, 0)).toBeLessThan(8421.476);
    expect(nextAlarmMs(timeline.history, 8418)).toBe(8421.476);
  });

  it('calls two leaders broken where no term tells them apart', () => {
    const [words] = wordsAt(isolated('bully'), 11_000);
    expect(words).toMatchObject({ level: 'broken', title: 'Two leaders: 5 and 4 since 9.05 s' });
    expect(words!.meaning).toBe('Two at once, and no term that distinguishes their writes: broken.');
  });

  it('counts those who lead', () => {
    const about = { protocol: 'bully', pledges: [], fallen: new Set<never>() };
    const lead = (kind: 'idle' | 'apart' | 'same', ...terms: (number | null)[]): string =>
      alarmWords(
        {
          kind,
          leaders: terms.map((term, i) => ({ member: i + 1, term })),
          fromMs: 8.1,
          toMs: null,
          property: 'S10',
          violation: null,
        },
        about,
      ).meaning;
    expect(lead('same', null, null, null)).toMatch(/^Three at once, and no term/);
    expect(lead('apart', 1, 2, 3)).toMatch(/^Three believe they lead, in different terms/);
    expect(lead('same', 1, 2, 2)).toBe('Two in one term: broken.');
    expect(lead('idle', 1, 2, 3)).toBe('Only one of them may act: the leases of the others have run out.');
  });

  it('is only a note where one of two believers may not act', () => {
    const timeline = isolated('quorum');
    const noted = [];
    for (let ms = 5000; ms < 16_000; ms += 50) {
      const all = wordsAt(timeline, ms);
      expect(all.every((words) => words.level === 'note')).toBe(true);
      noted.push(...all);
    }
    expect(timeline.history.violations).toEqual([]);
    expect(noted[0]?.title).toMatch(/^Two believe they lead: \d \(term \d\) and \d \(term \d\) since/);
  });

  it('tells a promise that was broken from one that did not hold any more', () => {
    // Members that forget their votes let two win one epoch.
    const run = { ...newRun('epoch', 3, 1), disk: {} };
    let found = null;
    for (let seed = 1; seed < 200 && found === null; seed++) {
      const timeline = new Timeline({ ...run, seed });
      for (let ms = 1600; ms < 9000 && found === null; ms += 150) {
        timeline.extendTo(ms);
        timeline.act([{ do: 'restart', member: 1 + (ms % 3), amnesia: true }]);
        const broken = timeline.history.violations.find((each) => each.property === 'S1');
        if (broken !== undefined) found = { timeline, broken };
      }
    }
    const { timeline, broken } = found!;
    expect(broken.claimed).toBe(false);
    const words = wordsAt(timeline, broken.atMs);
    expect(words[0]).toMatchObject({ level: 'broken' });
    expect(words.some((each) => each.promise.includes('but not with an empty disk'))).toBe(true);
    const { protocol } = timeline.world;
    const kept = alarmWords(
      { kind: 'broken', fromMs: 1, toMs: null, violation: { ...broken, claimed: true } },
      { protocol: protocol.name, pledges: protocol.pledges, fallen: new Set() },
    );
    expect(kept.promise).toBe(
      'This protocol promises “one winner per epoch”: please report it, the link replays it.',
    );
  });
});

describe('the cause of an alarm', () => {
  it('is who stood, who voted, what was cut, and what never came', () => {
    const timeline = isolated('epoch');
    const { history, world } = timeline;
    const [alarm] = alarmsAt(history, 11_000);
    const cause = causeOf(alarm!, history, world.protocol.vote);
    const teller = new Teller(history, 'epoch');
    expect(cause.story.map((entry) => teller.tell(entry))).toEqual([
      '1 finds its timer wait due, stands for election in epoch 3 · vote-request → all',
      '2 hears vote-request from 1: vote → 1',
      '3 hears vote-request from 1: vote → 1',
      '1 hears vote from 2, leads · keep-alive → all',
      'partition: 1 | 2–5',
      '2 finds its timer wait due, stands for election in epoch 6 · vote-request → all',
      '5 hears vote-request from 2: vote → 2',
      '4 hears vote-request from 2: vote → 2',
      '2 hears vote from 4, leads · keep-alive → all',
    ]);
    // Each vote that counted, and the request before it; and what was cut off between the two.
    const flown = [...cause.flights].map((place) => history.flights.all[place]!);
    expect(flown.filter(({ message }) => message.type === 'vote')).toHaveLength(4);
    expect(cause.unheard.length).toBe(6);
    expect(cause.moreUnheard).toBeGreaterThan(0);
    for (const { from, to, fate } of cause.unheard) {
      expect([1, 2]).toContain(from);
      expect([1, 2]).toContain(to);
      expect(fate).toBe('cut');
    }
    expect(cause.entries.size).toBeLessThan(20);
  });

  it('walks a message back around a ring, and leaves out what was healed', () => {
    const timeline = new Timeline(newRun('chang-roberts', 5, 1));
    timeline.extendTo(3000);
    timeline.act([{ do: 'cut', from: 1, to: 2 }]);
    timeline.act([{ do: 'heal', from: 1, to: 2 }]);
    timeline.act([isolateLeader(timeline)]);
    while (alarmsAt(timeline.history, timeline.headMs).length === 0) timeline.next();
    const [alarm] = alarmsAt(timeline.history, timeline.headMs);
    const { story } = causeOf(alarm!, timeline.history, timeline.world.protocol.vote);
    const events = story.flatMap((entry) => (entry.kind === 'event' ? [entry.event.do] : []));
    expect(events).toEqual(['partition']);
    expect(story.at(-1)).toMatchObject({ kind: 'step' });
    expect(story.length).toBeGreaterThan(2);
  });
});
