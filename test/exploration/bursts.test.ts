/**
 * A network without delay leaves out most orders of events. What it must not leave out: whatever can be broken when messages
 * take their time can be broken with a few late ones; and changes of members break what they broke in earlier versions.
 */
import { describe, expect, it } from 'vitest';
import type { Protocol } from '../../src/core/index.ts';
import { type Bounds, Explorer, explore, type PromptNetwork } from '../../src/exploration/index.ts';
import { quorum } from '../../src/protocols/quorum/index.ts';
import { load } from '../quorum/mutate.ts';
import { epochProtocol } from '../support/bent.ts';
import { families } from './families.ts';
import { membershipExploring, memberships } from './memberships.ts';

const members = [1, 2, 3].map((id) => ({ id }));

function broken(protocol: Protocol, bounds: Partial<Bounds>): string[] {
  const { violations, complete } = explore({
    protocol,
    members,
    bounds,
    samples: 0,
    maxStatesForShortest: 0,
  });
  expect(complete).toBe(true);
  return violations.map(({ property, claimed }) => `${property} ${claimed}`).toSorted();
}

describe('with one late message, the same is broken as when all messages take their time:', () => {
  const late: PromptNetwork = { late: 1, breaks: 'any' };
  it.each<[string, Protocol, Partial<Bounds>]>([
    ['epoch', epochProtocol(), { terms: 2, crashes: 0 }],
    ['epoch, one crash', epochProtocol(), { terms: 2, crashes: 1 }],
    ['epoch, one lost disk', epochProtocol(), { terms: 1, crashes: 1, amnesia: 1 }],
  ])('%s', (_, protocol, bounds) => {
    expect(broken(protocol, { ...bounds, network: late })).toEqual(broken(protocol, bounds));
  });

  it('and without a late one, no vote arrives after its voter has voted in a newer epoch', () => {
    const prompt: PromptNetwork = { late: 0, breaks: 'any' };
    const found = broken(epochProtocol(), { terms: 2, crashes: 0, network: prompt });
    expect(found).toContain('S10 false');
    expect(found).not.toContain('S6 false');
  });
});

describe('quorum, from the first start on', () => {
  it('a member is removed: nothing is broken, in every order', () => {
    const exploring = membershipExploring(memberships['two removals'], quorum, {
      timers: 2,
      commands: { most: 1, types: ['remove'] },
    });
    expect(explore(exploring)).toMatchObject({
      complete: true,
      violations: [],
      sometimes: { 'two members have led': true },
    });
  });

  it('finds a vote that a lost disk gives again, if disks did not count', async () => {
    const { planted } = families['a commit counts a lost disk'];
    const bent = await load({ name: 'disks do not count', patches: planted });
    const explorer = new Explorer(membershipExploring(memberships['one change, one lost disk'], bent));
    while (!explorer.hasBrokenPromise && explorer.advance(500));
    expect(explorer.result().violations).toContainEqual(
      expect.objectContaining({ property: 'S1', claimed: true }),
    );
  });
});
