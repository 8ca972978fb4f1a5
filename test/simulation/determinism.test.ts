/**
 * The same scenario and seed give the same hash. The hashes below were also computed in Chromium; a change of one is a change
 * of that protocol's behaviour or of the world, and is to be looked at as such.
 */
import { describe, expect, it } from 'vitest';
import { play } from '../support/play.ts';

const rough = {
  network: { latencyMs: { minMs: 1, meanMs: 8 }, loss: 0.1, duplicate: 0.1, reorder: 0.1 },
  events: [
    { atMs: 4000, do: 'crash', member: 'leader' },
    { atMs: 9000, do: 'restart', member: 'all' },
    {
      atMs: 11_000,
      do: 'partition',
      groups: [
        [1, 2],
        [3, 4, 5],
      ],
    },
    { atMs: 14_000, do: 'heal' },
  ],
};

const hashes: [protocol: string, options: object, hash: string][] = [
  ['bully', {}, '65f7ee82eeec290d'],
  ['bully', { quorum: true }, '1d92d58051594552'],
  ['chang-roberts', {}, 'bc2468abef5cf1d4'],
  ['draw', {}, '0fc0ee3e4201e86f'],
  ['draw', { quorum: true }, '2e30d82082af4cea'],
  ['epoch', {}, '144f2ffa7dbe27a3'],
  ['ring', {}, '71a2b887935c6de5'],
];

describe('the hash of a run', () => {
  it.each(hashes)('%s %j is always %s', (protocol, options, hash) => {
    expect(play({ protocol, options, ...rough }, 1).hash).toBe(hash);
  });

  it('differs between seeds, and does not depend on whether anybody watches', () => {
    const given = { protocol: 'epoch', ...rough };
    const seeds = new Set(Array.from({ length: 100 }, (_, i) => play(given, i + 1).hash));
    expect(seeds.size).toBe(100);
    expect(play(given, 5, { trace: () => {} }).hash).toBe(play(given, 5, { freeze: false }).hash);
  });

  it('covers everything: one message more or less is another history', () => {
    const plain = play({ protocol: 'epoch' }, 1).hash;
    const events = [{ atMs: 19_000, do: 'drop', count: 1 }];
    expect(play({ protocol: 'epoch', events }, 1).hash).not.toBe(plain);
  });
});
