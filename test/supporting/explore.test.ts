/** Support between two processes, in every order of steps within bounds: as it is, and with planted bugs. */
import { describe, expect, it } from 'vitest';
import { type ExplorationName, explorations } from './explorations.ts';
import { explore, openSupport } from './explore.ts';
import { mutants } from './mutants.ts';

const small = (Object.keys(explorations) as ExplorationName[]).filter(
  (name) => explorations[name].states !== null,
);

/** Planted bugs, and the exploration that finds each. */
const found: readonly (readonly [bug: string, by: ExplorationName])[] = [
  ['what the leader woke goes on resting', 'a resignation beside a rest'],
  ['a voter does not say that an election woke', 'a voter that wakes'],
  ['the promise of an election that wakes ends early', 'a voter that wakes'],
  ['elections that woke are forgotten before the other side knows', 'a resignation beside a rest'],
  ['elections go on resting with another process of the voter', 'another process that votes'],
  ['an answer counts in elections that do not rest with the voter any more', 'a voter that wakes'],
  ['a lease is counted from the answer', 'a rest again'],
  ['a voter counts although the election does not rest with it', 'a voter that wakes'],
  ['the voters are not told that an election woke', 'a resignation beside a rest'],
];

describe('support between two processes', () => {
  it.each(small.map((name) => [name] as const))('breaks no promise: %s', async (name) => {
    const { states, complete, resting, failure } = explore(await openSupport(), explorations[name]);
    expect(failure).toBeNull();
    expect({ states, complete }).toEqual({ states: explorations[name].states, complete: true });
    // A search in which nothing rests would say nothing of support.
    expect(resting).toBeGreaterThan(0);
  });

  it.each(found)('with a planted bug breaks one: %s', async (bug, name) => {
    const mutant = mutants.find((each) => each.name === bug);
    const { failure } = explore(await openSupport(mutant!), explorations[name]);
    expect(failure).not.toBeNull();
  });
});
