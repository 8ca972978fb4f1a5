import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/core/index.ts';

const seeds = fc.nat({ max: Number.MAX_SAFE_INTEGER });

describe('seeded random numbers', () => {
  it('are the same for the same seed and stream', () => {
    fc.assert(
      fc.property(seeds, fc.string(), (seed, stream) => {
        const draw = () => {
          const random = new Random(seed, stream);
          return [random.bits(), random.fraction(), random.draw64(), random.below(10)];
        };
        expect(draw()).toEqual(draw());
      }),
    );
  });

  it('never change: these are what every run so far was made of', () => {
    const random = new Random(1, 'network');
    expect([random.bits(), random.bits(), random.draw64()]).toMatchInlineSnapshot(`
      [
        2779117845,
        1656731043,
        "17960465516303976066",
      ]
    `);
  });

  it('differ between streams and between neighbouring seeds', () => {
    const first = (seed: number, stream: string) => new Random(seed, stream).draw64();
    const drawn = new Set<string>();
    for (let seed = 0; seed < 1000; seed++) {
      for (const stream of ['network', 'member 1', 'member 2', 'events']) drawn.add(first(seed, stream));
      drawn.add(first(seed + 2 ** 40, 'network'));
    }
    expect(drawn.size).toBe(5000);
  });

  it('spread evenly: each of 16 values of a nibble within 5 % of its share', () => {
    const random = new Random(7, 'spread');
    const counts = new Array<number>(16).fill(0);
    for (let i = 0; i < 160_000; i++) counts[random.below(16)]! += 1;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });

  it('draw all 64 bits, and keep them through JSON', () => {
    const random = new Random(3, 'draws');
    let or = 0n;
    let and = (1n << 64n) - 1n;
    for (let i = 0; i < 200; i++) {
      const text = random.draw64();
      expect(JSON.parse(JSON.stringify(text))).toBe(text);
      or |= BigInt(text);
      and &= BigInt(text);
    }
    expect(or).toBe((1n << 64n) - 1n);
    expect(and).toBe(0n);
  });

  it('stay within their bounds', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 1e9 }), (seed, n) => {
        const random = new Random(seed, '');
        const fraction = random.fraction();
        const below = random.below(n);
        expect(fraction >= 0 && fraction < 1).toBe(true);
        expect(Number.isInteger(below) && below >= 0 && below < n).toBe(true);
      }),
    );
  });
});
