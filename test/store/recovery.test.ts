/** What a start makes of the bytes that it finds. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { type Owner, PAGE, perform, RecordStore, type Recovery, SECTOR } from '../../src/store/index.ts';
import { Files } from './files.ts';

const owner: Owner = { cluster: 'c', id: 'a', election: 'main', protocol: 'quorum' };
/** Every sector of it is another for another term. */
const text = (term: number): string => String(term).repeat(1500);

/** The bytes of a file after each of these records. */
function history(records: readonly Json[], by: Owner = owner): Uint8Array[] {
  const files = new Files();
  const store = new RecordStore(by);
  return records.map((record) => {
    for (const step of store.plan(record).steps) perform(step, files);
    return files.read()!;
  });
}

function found(bytes: Uint8Array | null, by: Owner = owner): Recovery {
  return new RecordStore(by).open(new Files(bytes));
}

/** The sectors of one state, but those that `isNew` names of the next. */
function mixed(before: Uint8Array, after: Uint8Array, isNew: (sector: number) => boolean): Uint8Array {
  const bytes = before.slice();
  for (let i = 0; i < after.length / SECTOR; i++) {
    if (isNew(i)) bytes.set(after.subarray(i * SECTOR, (i + 1) * SECTOR), i * SECTOR);
  }
  return bytes;
}

const changedSectors = (a: Uint8Array, b: Uint8Array): number[] =>
  Array.from({ length: a.length / SECTOR }, (_, i) => i).filter((i) =>
    a.subarray(i * SECTOR, (i + 1) * SECTOR).some((byte, k) => byte !== b[i * SECTOR + k]),
  );

describe('a write that was cut short', () => {
  it.each([
    ['of the same length', { term: 8, text: text(8) }],
    ['shorter than the one in its place', { term: 8 }],
    ['longer than the one in its place', { term: 8, text: text(8).repeat(2) }],
  ])('is passed over for the record before it, whichever sectors were written: one %s', (_, next) => {
    const [, , before, after] = history([{ term: 5 }, { term: 6, text: text(6) }, { term: 7 }, next]);
    const changed = changedSectors(before!, after!);
    expect(changed.length).toBeGreaterThan(2);
    const outcomes = new Set<Json>();
    for (let choice = 0; choice < 2 ** changed.length; choice++) {
      const bytes = mixed(
        before!,
        after!,
        (i) => ((choice >> changed.indexOf(i)) & 1) === 1 && changed.includes(i),
      );
      const recovery = found(bytes);
      const isWhole = choice === 2 ** changed.length - 1;
      expect(recovery).toMatchObject({ is: 'record', record: isWhole ? next : { term: 7 } });
      outcomes.add(recovery.is === 'record' ? recovery.record : null);
    }
    expect(outcomes.size).toBeGreaterThan(1);
  });

  it('is written again in the same place, also if that is cut short once more', () => {
    const [, , before, after] = history([
      { term: 5 },
      { term: 6, text: text(6) },
      { term: 7 },
      { term: 8, text: text(8) },
    ]);
    const torn = mixed(before!, after!, (i) => i % 8 < 2);
    const files = new Files(torn);
    const store = new RecordStore(owner);
    expect(store.open(files)).toMatchObject({ record: { term: 7 } });
    const [write] = store.plan({ term: 9, text: text(9) }).steps;
    if (write?.do !== 'write') throw new Error('expected to write');
    expect(write).toMatchObject({ file: 'record', at: 0 });
    for (let cut = 0; cut < PAGE; cut += SECTOR) {
      const again = torn.slice();
      again.set(write.bytes.subarray(0, cut), write.at);
      const isWhole = cut > 1500 + SECTOR;
      expect(found(again)).toMatchObject({ record: isWhole ? { term: 9 } : { term: 7 } });
    }
  });

  it('of a record that makes the file anew is not seen at all', () => {
    const files = new Files();
    const store = new RecordStore(owner);
    for (const step of store.plan({ term: 1 }).steps) perform(step, files);
    const steps = store.plan({ text: text(2).repeat(4) }).steps;
    expect(steps.map((step) => step.do)).toEqual(['write', 'sync', 'rename', 'sync-folder']);
    perform(steps[0]!, files);
    expect(found(files.read())).toMatchObject({ record: { term: 1 } });
  });
});

describe('damage', () => {
  const records = [{ term: 5 }, { term: 6, text: text(6) }, { term: 7, text: text(7) }];

  it('of either copy is refused: a record that may have bound the member is never passed over', () => {
    const bytes = history(records).at(-1)!;
    for (let at = 0; at < bytes.length; at += 97) {
      const flipped = bytes.slice();
      flipped[at]! ^= 1 << (at % 8);
      expect(found(flipped), `byte ${at}`).toMatchObject({ is: 'refused', why: 'corrupt' });
    }
  });

  it('of a copy that was also cut short is refused: it cannot be known to have been that alone', () => {
    const [, before, after] = history([...records, { term: 8, text: text(8) }]).slice(1);
    const torn = mixed(before!, after!, (i) => i === 0);
    expect(found(torn)).toMatchObject({ record: { term: 7 } });
    torn[SECTOR + 5]! ^= 4;
    expect(found(torn)).toMatchObject({
      is: 'refused',
      reason: expect.stringContaining('sector 1 of copy 0'),
    });
  });

  it('is a sector, or a page, that reads as zeros', () => {
    const bytes = history(records).at(-1)!;
    for (let sector = 0; sector < bytes.length / SECTOR; sector++) {
      expect(found(bytes.slice().fill(0, sector * SECTOR, (sector + 1) * SECTOR))).toMatchObject({
        why: 'corrupt',
      });
    }
    for (const half of [0, 1]) {
      expect(found(bytes.slice().fill(0, half * PAGE, (half + 1) * PAGE))).toMatchObject({
        reason: expect.stringContaining('one of its two copies is empty'),
      });
    }
  });

  it('of a record in several pages is refused, also where every sector has its seal', () => {
    const [one, other] = [1, 2].map((term) => history([{ term, text: text(term).repeat(4) }])[0]!);
    expect(found(one!)).toMatchObject({ record: { term: 1 } });
    expect(found(mixed(one!, other!, (i) => i === 0))).toMatchObject({ why: 'corrupt' });
  });

  it('is a copy of a record that is not the one before: the disk has lost a write', () => {
    const states = history([1, 2, 3, 4, 5].map((term) => ({ term })));
    const lost = states[4]!.slice();
    lost.set(states[1]!.subarray(0, PAGE), 0);
    expect(found(lost)).toMatchObject({ reason: expect.stringContaining('do not follow each other') });
  });

  it('is a copy in the place of the other', () => {
    const [, , third] = history([1, 2, 3].map((term) => ({ term })));
    const swapped = third!.slice();
    swapped.set(third!.subarray(0, PAGE), PAGE);
    swapped.set(third!.subarray(PAGE), 0);
    expect(found(swapped)).toMatchObject({ why: 'corrupt' });
  });
});

describe('a record of another', () => {
  it('is refused by name, also where the other copy was cut short', () => {
    const by = { ...owner, id: 'b' };
    const [, before, after] = history(
      [{ term: 1 }, { term: 2, text: text(2) }, { term: 3, text: text(3) }],
      by,
    );
    for (const bytes of [before!, mixed(before!, after!, (i) => i === 8)]) {
      expect(found(bytes, by)).toMatchObject({ record: { term: 2 } });
      expect(found(bytes)).toMatchObject({
        why: 'foreign',
        reason: expect.stringContaining('belongs to id "b"'),
      });
    }
  });
});

describe('what a start finds', () => {
  it('is made durable before it is told: the process before may have been killed in the middle of a save', () => {
    const files = new Files(history([{ term: 1 }])[0]!);
    const calls: string[] = [];
    files.onCall = (call) => calls.push(call);
    new RecordStore(owner).open(files);
    expect(calls).toEqual(['read', 'write record', 'sync record', 'sync-folder']);
  });
});

describe('files of earlier formats', () => {
  const fixture = (name: string): Uint8Array =>
    new Uint8Array(readFileSync(path.resolve(import.meta.dirname, '../fixtures', name)));

  it('3, with a small and with a large record, are read, and made anew with the next record', () => {
    for (const [file, by, record] of [
      ['election-main.json', owner, { term: 7, votedFor: 'ä', disk: 'D', start: 2 }],
      ['election-large.json', { ...owner, election: 'large' }, { term: 3, value: 'ä'.repeat(3000) }],
      ['member.json', { ...owner, election: null, protocol: null }, { incarnation: 42 }],
    ] as const) {
      const files = new Files(fixture(`data-0.2/${file}`));
      const store = new RecordStore(by);
      const recovery = store.open(files);
      expect(recovery).toMatchObject({ is: 'record', record, hasPages: false });
      for (const step of store.plan({ term: 99 }).steps) perform(step, files);
      expect(found(files.read(), by)).toMatchObject({ record: { term: 99 }, hasPages: true });
      expect(Buffer.from(files.read()!).toString()).toContain('caucus-record/4');
    }
  });

  it('3 with a flipped bit, or with a copy that was cut short, are refused: they cannot be told apart', () => {
    const bytes = fixture('data-0.2/election-main.json');
    for (let at = 0; at < bytes.length; at += 53) {
      const flipped = bytes.slice();
      flipped[at]! ^= 1 << (at % 8);
      expect(found(flipped), `byte ${at}`).toMatchObject({ is: 'refused', why: 'corrupt' });
    }
    expect(found(bytes.slice().fill(0, 0, PAGE))).toMatchObject({
      reason: expect.stringContaining('is empty'),
    });
  });

  it('2 are read, with a copy or without one in the other half', () => {
    const by = { cluster: 'caucus', id: 'a', election: 'main', protocol: 'quorum' };
    const bytes = fixture('data-0.1/a/election-main.json');
    const recovery = found(bytes, by);
    expect(recovery).toMatchObject({ is: 'record', hasPages: false });
    const header = JSON.parse(Buffer.from(bytes).toString().split('\n')[0]!) as { format: string };
    expect(header.format).toBe('caucus-record/2');
  });
});
