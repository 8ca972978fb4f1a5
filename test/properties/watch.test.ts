import { describe, expect, it } from 'vitest';
import type { Definition, MemberId } from '../../src/core/index.ts';
import { type Finding, type Process, Watch } from '../../src/properties/index.ts';
import { epoch } from '../../src/protocols/epoch.ts';
import { readScenario, simulate } from '../../src/simulation/index.ts';
import { play } from '../support/play.ts';

function of(id: MemberId, life = ''): Process {
  return { name: id, id, life };
}

function watch(run: (watching: Watch) => void): string[] {
  const found: Finding[] = [];
  run(new Watch((finding) => found.push(finding)));
  return found.map(({ property, detail }) => `${property}: ${detail}`);
}

describe('watched from outside', () => {
  it('S1 one winner per term, over the whole history', () => {
    expect(watch((p) => [p.won(of(1), 7, null), p.won(of(2), 8, null), p.won(of(1), 7, null)])).toEqual([]);
    expect(watch((p) => [p.won(of(1), 7, null), p.won(of(2), 7, null)])).toEqual([
      'S1: 1 and 2 both won term 7',
    ]);
    expect(watch((p) => [p.won(of(1, '3'), 7, null), p.won(of(1, '4'), 7, null)])).toEqual([
      'S1: 1 won term 7, started again, and won it once more',
    ]);
  });

  it('S2 one vote per term and voter', () => {
    expect(watch((p) => [p.voted(3, 1, 7), p.voted(3, 1, 7), p.voted(3, 2, 8)])).toEqual([]);
    expect(watch((p) => [p.voted(3, 1, 7), p.voted(3, 2, 7)])).toEqual([
      'S2: 3 voted for 1 and for 2 in term 7',
    ]);
  });

  it('S3 terms only grow', () => {
    expect(watch((p) => [p.believed(1, null, 3), p.believed(2, null, 2), p.believed(1, null, 4)])).toEqual(
      [],
    );
    expect(watch((p) => [p.believed(1, null, 3), p.believed(1, null, 2)])).toEqual([
      'S3: 1 went back from term 3 to 2',
    ]);
  });

  it('S4 a majority of distinct configured voters behind every win', () => {
    expect(watch((p) => [p.counted(2, 1, 7), p.counted(3, 1, 7), p.won(of(1), 7, [1, 2, 3, 4, 5])])).toEqual(
      [],
    );
    const twice = watch((p) => [
      p.counted(2, 1, 7),
      p.counted(2, 1, 7),
      p.counted(9, 1, 7),
      p.won(of(1), 7, [1, 2, 3, 4, 5]),
    ]);
    expect(twice).toEqual(['S4: 1 won term 7 with 2 of 5 voters, 3 needed']);
  });

  it('S6 tokens grow in the order of winning', () => {
    expect(watch((p) => [p.acts(of(1), 1, []), p.acts(of(2), 2, []), p.acts(of(2), 2, [])])).toEqual([]);
    expect(watch((p) => [p.acts(of(1), 2, []), p.acts(of(2), 1, [])])).toEqual([
      'S6: 2 acts with token 1 after 1 acted with 2',
    ]);
    expect(watch((p) => [p.acts(of(1), 2, []), p.acts(of(2), 2, [])])).toHaveLength(1);
    expect(watch((p) => [p.acts(of(1, '3'), 2, []), p.acts(of(1, '4'), 2, [])])).toEqual([
      'S6: 1 acts with token 2 after its earlier life acted with 2',
    ]);
    expect(watch((p) => [p.acts(of(1), 2, []), p.acts(of(1), 1, [])])).toEqual([
      'S6: 1 acts with token 1 after it acted with 2',
    ]);
  });

  it('S9 members name the same leader for the same term', () => {
    expect(watch((p) => [p.believed(1, 5, 3), p.believed(2, 5, 3), p.believed(2, 4, 4)])).toEqual([]);
    expect(watch((p) => [p.believed(1, 5, 3), p.believed(2, 4, 3)])).toEqual([
      'S9: in term 3, 1 names 5 and 2 names 4',
    ]);
  });

  it('R1 one value per version', () => {
    expect(watch((p) => [p.showed(1, 3, 'a'), p.showed(2, 3, 'a'), p.showed(2, 4, 'b')])).toEqual([]);
    expect(watch((p) => [p.showed(1, 3, 'a'), p.showed(2, 3, 'b')])).toEqual([
      'R1: 1 shows "a" as version 3, 2 shows "b"',
    ]);
    // The order of the fields of a value means nothing.
    expect(watch((p) => [p.showed(1, 3, { a: 1, b: 2 }), p.showed(2, 3, { b: 2, a: 1 })])).toEqual([]);
  });

  it('S10 one that could act at a time', () => {
    expect(watch((p) => p.acts(of(1), null, []))).toEqual([]);
    expect(watch((p) => p.acts(of(2), null, [of(1)]))).toEqual(['S10: 1 and 2 could both act']);
  });
});

describe('a promise', () => {
  const split = {
    protocol: 'epoch',
    members: 3,
    events: [{ atMs: 5000, do: 'partition', groups: [['leader'], ['followers']] }],
  };

  it('that was never made is not broken: epoch has two leaders under a partition, and says so', () => {
    const { violations, doubleMs, acting } = play(split);
    expect(violations.map(({ property, claimed }) => ({ property, claimed }))).toEqual([
      { property: 'S10', claimed: false },
    ]);
    expect(doubleMs).toBeGreaterThan(10_000);
    expect(acting.at(-1)!.toMs).toBe(20_000);
  });

  it('holds only under its assumptions: with amnesia epoch may vote twice', () => {
    // 2 and 3 vote for whoever asks; each forgets its vote at once.
    let broken = 0;
    for (let seed = 1; seed <= 300 && broken === 0; seed++) {
      const events = Array.from({ length: 60 }, (_, i) => ({
        atMs: 1500 + i * 40,
        do: 'restart',
        member: (i % 3) + 1,
        amnesia: true,
      }));
      const { violations } = play(
        { protocol: 'epoch', members: 3, timing: { timeoutMs: [10, 60] }, events },
        seed,
      );
      broken += violations.filter(({ property }) => property === 'S1' || property === 'S2').length;
      expect(violations.filter(({ claimed }) => claimed)).toEqual([]);
    }
    expect(broken).toBeGreaterThan(0);
  });

  it('that is broken is reported as such: an epoch that forgets whom it voted for', () => {
    const forgetful: Definition = {
      ...epoch,
      create(config) {
        const honest = epoch.create(config);
        return {
          ...honest,
          step(state, input, out) {
            (state as { votedFor: unknown }).votedFor = null;
            honest.step(state, input, out);
          },
        };
      },
    };
    const given = { protocol: 'epoch', timing: { timeoutMs: [100, 110] }, network: { latencyMs: [1, 50] } };
    const { violations } = simulate(readScenario(given, { epoch: forgetful }), 1);
    const broken = violations.filter(({ claimed }) => claimed).map(({ property }) => property);
    expect(broken).toContain('S1');
    expect(broken).toContain('S2');
  });
});
