/** The arithmetic of the store beside that of Node.js, and the place of a seal. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32c } from '../../src/store/crc32c.ts';
import { PAGE, SECTOR, seal, unseal } from '../../src/store/sectors.ts';
import { sha256 } from '../../src/store/sha256.ts';
import { fromUtf8, toUtf8 } from '../../src/store/utf8.ts';

const bytes = fc.uint8Array({ maxLength: 300 });

describe('text', () => {
  it('is UTF-8 as Node.js writes it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(Buffer.from(toUtf8(text)).equals(Buffer.from(text))).toBe(true);
        expect(fromUtf8(toUtf8(text))).toBe(text);
      }),
    );
    const long = 'ä€😀'.repeat(5000);
    expect(fromUtf8(toUtf8(long))).toBe(long);
    expect(toUtf8('\ud800x')).toEqual(new Uint8Array(Buffer.from('\ud800x')));
  });

  it('is read only if it is UTF-8', () => {
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const read = (given: Uint8Array): string | null => {
      try {
        return strict.decode(given);
      } catch {
        return null;
      }
    };
    const wrong: number[][] = [];
    const check = (given: Uint8Array): void => {
      if (fromUtf8(given) !== read(given)) wrong.push([...given]);
    };
    fc.assert(
      fc.property(bytes, (given) => {
        check(given);
      }),
    );
    for (let first = 0x80; first < 0x100; first++) {
      for (let second = 0x70; second < 0xd0; second++) {
        const given = new Uint8Array([first, second, 0x80, 0x80]);
        for (let length = 1; length <= 4; length++) check(given.subarray(0, length));
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('checksums', () => {
  it('SHA-256 is that of Node.js, at every length around a block', () => {
    for (let length = 0; length < 200; length++) {
      const given = Uint8Array.from({ length }, (_, i) => i * 7 + length);
      expect(sha256(given)).toBe(createHash('sha256').update(given).digest('hex'));
    }
  });

  it('CRC-32C is that of RFC 3720, appendix B.4', () => {
    const hex = (given: number): string => (given >>> 0).toString(16);
    expect(hex(crc32c(new Uint8Array(32)))).toBe('8a9136aa');
    expect(hex(crc32c(new Uint8Array(32).fill(0xff)))).toBe('62a8ab43');
    expect(hex(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i)))).toBe('46dd794e');
    expect(crc32c(new Uint8Array([3, 4]), crc32c(new Uint8Array([1, 2])))).toBe(
      crc32c(new Uint8Array([1, 2, 3, 4])),
    );
  });
});

describe('a sector', () => {
  it('is read as it was written, in whole pages', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 9000 }), fc.nat(40), (content, first) => {
        const sealed = seal(content, first);
        expect(sealed.length % PAGE).toBe(0);
        const found = unseal(sealed, first) as Uint8Array;
        expect(Buffer.from(found.subarray(0, content.length)).equals(Buffer.from(content))).toBe(true);
        expect(found.subarray(content.length).every((byte) => byte === 0)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('whose bits have changed has no seal, nor has one in the place of another', () => {
    const sealed = seal(toUtf8('{"term":1}'.repeat(80)), 8);
    for (let bit = 0; bit < 8 * PAGE; bit += 3) {
      const changed = sealed.slice();
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(unseal(changed, 8)).toBe(Math.floor((bit >> 3) / SECTOR));
    }
    expect(unseal(sealed, 0)).toBe(0);
    const moved = sealed.slice();
    moved.copyWithin(SECTOR, 0, SECTOR);
    expect(unseal(moved, 8)).toBe(1);
  });
});
