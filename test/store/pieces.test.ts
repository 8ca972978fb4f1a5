/** The arithmetic of the store beside that of Node.js, and the place of a seal. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeCoding } from '../../src/member/record-file.ts';
import { pureCoding } from '../../src/store/coding.ts';
import { crc32c, overZeros } from '../../src/store/crc32c.ts';
import { type Owner, perform, RecordStore, type Recovery } from '../../src/store/index.ts';
import { PAGE, SECTOR, seal, unseal } from '../../src/store/sectors.ts';
import { sha256 } from '../../src/store/sha256.ts';
import { fromUtf8, toUtf8 } from '../../src/store/utf8.ts';
import { Files } from './files.ts';

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

  it('CRC-32C is the same in steps of eight bytes, of one, and over zeros', () => {
    fc.assert(
      fc.property(bytes, fc.nat(300), (given, zeros) => {
        const before = [...given].reduce((crc, byte) => crc32c(new Uint8Array([byte]), crc), 0);
        expect(crc32c(given)).toBe(before);
        expect(overZeros(zeros)(before)).toBe(crc32c(new Uint8Array(zeros), before));
      }),
    );
  });
});

describe('the coding of a member and that of the simulation', () => {
  it('agree on every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
        const given = pureCoding.toUtf8(text);
        expect(nodeCoding.toUtf8(text)).toEqual(Buffer.from(given));
        expect(nodeCoding.utf8Length(text)).toBe(pureCoding.utf8Length(text));
        expect(nodeCoding.sha256(given)).toBe(pureCoding.sha256(given));
      }),
    );
    // Halves of pairs, which no UTF-8 can hold.
    for (const text of ['\ud800', 'a\udc00b', '\udc00\ud800', 'x\ud83d']) {
      expect(nodeCoding.toUtf8(text)).toEqual(Buffer.from(pureCoding.toUtf8(text)));
      expect(nodeCoding.utf8Length(text)).toBe(pureCoding.utf8Length(text));
    }
  });

  it('write the same bytes, small and large, and each reads what the other wrote', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 60 });
    const records = fc.array(fc.record({ term: fc.nat(), text: word, times: fc.constantFrom(1, 3, 200) }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(word, records, (election, given) => {
        const owner: Owner = { cluster: 'c', id: 'a', election, protocol: 'quorum' };
        const written = [nodeCoding, pureCoding].map((coding) => {
          const store = new RecordStore(owner, coding);
          const files = new Files();
          for (const { term, text, times } of given)
            for (const step of store.plan({ term, text: text.repeat(times) }).steps) perform(step, files);
          return files.read()!;
        });
        expect(Buffer.from(written[0]!).equals(written[1]!)).toBe(true);
        const found = [nodeCoding, pureCoding].map(
          (coding): Recovery => new RecordStore(owner, coding).open(new Files(written[0]!)),
        );
        expect(found[0]).toMatchObject({ is: 'record', sequence: given.length });
        expect(found[0]).toEqual(found[1]);
      }),
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
