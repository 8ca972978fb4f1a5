/** The judgements themselves, as the explorer and the exam of a swarm ask for them. For whole histories see watch.test.ts. */
import { describe, expect, it } from 'vitest';
import type { MemberId } from '../../src/core/index.ts';
import {
  type Belief,
  boundedFailover,
  eventualAgreement,
  growingTerms,
  growingTokens,
  isAgreed,
  majorityBehindWins,
  oneActing,
  oneName,
  oneValue,
  oneVote,
  oneWinner,
  type Process,
  stability,
  steppingDown,
} from '../../src/properties/index.ts';

function processOf(id: MemberId, life = '', name = id): Process {
  return { name, id, life };
}

describe('safety', () => {
  it('S1: another member, a second process and a second life are other winners', () => {
    const first = { who: processOf(1, 'a'), term: 7 };
    expect(oneWinner.judge(first, { who: processOf(1, 'a'), term: 7 })).toBeNull();
    const judged = (later: Process) => oneWinner.judge(first, { who: later, term: 7 });
    expect(judged(processOf(2))).toMatchObject({ detail: '1 and 2 both won term 7', members: [1, 2] });
    expect(judged(processOf(1, 'b', "1'"))).toMatchObject({
      detail: 'two processes of 1 both won term 7',
      members: [1, "1'"],
    });
    expect(judged(processOf(1, 'b'))?.members).toEqual([1]);
    expect(oneWinner.kept(first, { who: processOf(2), term: 7 })).toBe(first);
  });

  it('S2: the same candidate may be helped again', () => {
    expect(
      oneVote.judge({ voter: 3, candidate: 1, term: 2 }, { voter: 3, candidate: 1, term: 2 }),
    ).toBeNull();
    expect(
      oneVote.judge({ voter: 3, candidate: 1, term: 2 }, { voter: 3, candidate: 2, term: 2 }),
    ).toMatchObject({ property: 'S2', members: [3] });
  });

  it('S3: compares with the last term, so that going back is told once', () => {
    const [first, second] = [
      { by: 1, term: 3 },
      { by: 1, term: 2 },
    ];
    expect(growingTerms.judge(first, second)?.property).toBe('S3');
    expect(growingTerms.judge(first, first)).toBeNull();
    expect(growingTerms.kept(first, second)).toBe(second);
  });

  it('S4: a winner helps itself if it votes at all, and no vote counts that is not of a voter', () => {
    const judged = (voters: readonly MemberId[], helpers: readonly MemberId[]) =>
      majorityBehindWins.judge({ who: processOf(1), term: 7, voters, helpers })?.detail ?? null;
    expect(judged([1, 2, 3], [2])).toBeNull();
    expect(judged([1, 2, 3], [1, 9])).toBe('1 won term 7 with 1 of 3 voters, 2 needed');
    expect(judged([2, 3, 4], [2])).toBe('1 won term 7 with 1 of 3 voters, 2 needed');
  });

  it('S6: compares with the newest token, not with the last', () => {
    const [older, newer] = [
      { who: processOf(1), term: 1 },
      { who: processOf(2), term: 2 },
    ];
    expect(growingTokens.judge(older, newer)).toBeNull();
    expect(growingTokens.judge(newer, older)?.detail).toBe('1 acts with token 1 after 2 acted with 2');
    expect(growingTokens.kept(newer, older)).toBe(newer);
    expect(growingTokens.kept(older, newer)).toBe(newer);
  });

  it('S9 and R1: an observer need not know who was first', () => {
    expect(oneName.judge({ by: null, leader: 5, term: 3 }, { by: 2, leader: 4, term: 3 })).toMatchObject({
      members: [2],
      detail: 'in term 3, 2 names 4, and 5 was named before',
    });
    expect(oneName.judge({ by: null, leader: 5, term: 3 }, { by: 2, leader: 5, term: 3 })).toBeNull();
    expect(
      oneValue.judge({ by: null, version: 3, text: '"a"' }, { by: 2, version: 3, text: '"b"' }),
    ).toMatchObject({ members: [2], detail: '2 shows "b" as version 3, and "a" was shown before' });
  });

  it('S10: the same two in the same term are one finding, whichever came first', () => {
    const acting = (id: MemberId) => ({ who: processOf(id), term: 4 });
    expect(oneActing.judge(acting(1), acting(1))).toBeNull();
    expect(oneActing.judge(acting(1), acting(2))?.key).toBe(oneActing.judge(acting(2), acting(1))?.key);
  });
});

describe('liveness', () => {
  const belief = (id: MemberId, leader: MemberId | null, members: Belief['members'] = null): Belief => ({
    id,
    leader,
    claims: leader === id,
    members,
  });

  it('L1: one leads, and all that vote beside it name it', () => {
    expect(isAgreed([belief(1, 1), belief(2, 1)])).toBe(true);
    expect(isAgreed([belief(1, 1), belief(2, null)])).toBe(false);
    expect(isAgreed([belief(1, 1), belief(2, 2)])).toBe(false);
    expect(isAgreed([])).toBe(false);
    // A member that was removed may name any leader, except itself.
    expect(isAgreed([belief(1, 1, [1, 2]), belief(2, 1), belief(3, null)])).toBe(true);
    expect(isAgreed([belief(1, 1, [1, 2]), belief(2, 1), belief(3, 3)])).toBe(false);
    expect(isAgreed([belief(1, 1, [2, 3]), belief(2, 1), belief(3, 1)])).toBe(false);
    expect(
      eventualAgreement.judge({ beliefs: [belief(1, 1), belief(2, null)], isMajorityEnough: false }),
    ).toEqual({ property: 'L1', detail: 'leaders named: 1 → 1; 2 → none' });
  });

  it('L1: a majority is enough where the others may take a member for its copy', () => {
    const beliefs = [belief(1, 1), belief(2, 1), belief(3, null)];
    expect(isAgreed(beliefs, true)).toBe(true);
    expect(isAgreed([belief(1, 1), belief(2, null), belief(3, null)], true)).toBe(false);
  });

  it('L3, L4 and L5: what was seen of a leader that was cut off, or not', () => {
    expect(boundedFailover.judge({ leader: 1, isReplaced: true })).toBeNull();
    expect(boundedFailover.judge({ leader: 1, isReplaced: false })?.property).toBe('L3');
    const steady = { leader: 1, term: 3, hasGivenUp: false, other: null };
    expect(stability.judge(steady)).toBeNull();
    expect(stability.judge({ ...steady, hasGivenUp: true })?.detail).toMatch(/^1 stopped leading although/);
    expect(stability.judge({ ...steady, other: { member: 2, term: 4 } })?.detail).toMatch(/^2 came to lead/);
    const cutOff = { leader: 1, isClaiming: true, timeouts: 1.5 };
    expect(steppingDown.judge(cutOff)?.property).toBe('L5');
    expect(steppingDown.judge({ ...cutOff, isClaiming: false })).toBeNull();
    expect(steppingDown.judge({ ...cutOff, timeouts: 1 })).toBeNull();
  });
});
