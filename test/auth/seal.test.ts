/** Sealed frames open once, in order, at the other end only. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Opener, SEAL_BYTES, Sealer } from '../../src/auth/index.ts';

const key = randomBytes(32);

const bodies = (frames: readonly Buffer[], opener: Opener): string[] =>
  frames.map((frame) => {
    const opened = opener.open(frame);
    return typeof opened === 'string' ? `broken: ${opened}` : `${opened.kind} ${opened.body}`;
  });

describe('sealed frames', () => {
  it('open in order, with their kinds', () => {
    const sealer = new Sealer(key);
    const frames = ['one', 'two', '', 'ü'].map((text, i) => sealer.seal(i, text));
    expect(frames[0]!.length).toBe(3 + SEAL_BYTES);
    expect(bodies(frames, new Opener(key))).toEqual(['0 one', '1 two', '2 ', '3 ü']);
  });

  it('show nothing of what is in them, also if it is the same twice', () => {
    const sealer = new Sealer(key);
    const [one, other] = [sealer.seal(0, 'the same'), sealer.seal(0, 'the same')];
    expect(one.subarray(8)).not.toEqual(other.subarray(8));
    expect(one.includes('same')).toBe(false);
  });

  it.each([
    ['repeated', (frames: Buffer[]) => [frames[0]!, frames[0]!], 1],
    ['left out', (frames: Buffer[]) => [frames[0]!, frames[2]!], 1],
    ['moved', (frames: Buffer[]) => [frames[1]!, frames[0]!], 0],
    ['cut', (frames: Buffer[]) => [frames[0]!.subarray(0, -1)], 0],
    ['empty', () => [Buffer.alloc(0)], 0],
    ['made up', () => [Buffer.alloc(40)], 0],
  ])('do not open if they are %s', (_what, change, at) => {
    const sealer = new Sealer(key);
    const frames = ['one', 'two', 'three'].map((text) => sealer.seal(0, text));
    expect(bodies(change(frames), new Opener(key))[at]).toMatch(/^broken/);
  });

  it('do not open with any bit changed', () => {
    const sealer = new Sealer(key);
    const frame = sealer.seal(0, 'one');
    for (let bit = 0; bit < frame.length * 8; bit++) {
      const changed = Buffer.from(frame);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(typeof new Opener(key).open(changed)).toBe('string');
    }
  });

  it('do not open with the key of the other direction', () => {
    expect(typeof new Opener(randomBytes(32)).open(new Sealer(key).seal(0, 'one'))).toBe('string');
  });

  it('are not accepted again after one that did not open', () => {
    const sealer = new Sealer(key);
    const opener = new Opener(key);
    const frame = sealer.seal(0, 'one');
    expect(typeof opener.open(Buffer.concat([frame, frame]))).toBe('string');
    expect(bodies([frame, frame], opener)).toEqual(['0 one', expect.stringMatching(/^broken/)]);
  });
});
