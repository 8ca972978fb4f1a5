/** The disk of a simulated member: what is written goes through the store of real members, and what a crash leaves is drawn. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Json, Random } from '../../src/core/index.ts';
import { Disk, type DiskMode } from '../../src/simulation/disk.ts';

const owner = { cluster: 'simulation', id: 1, election: 'main', protocol: 'quorum' };

function newDisk(seed: number): Disk {
  return new Disk(owner, () => new Random(seed, 'disk'));
}

/** In several sectors, all of which change with the term. */
const record = (term: number): Json => ({ term, text: String(term).repeat(1200) });

function save(disk: Disk, term: number): void {
  disk.sync(disk.write(record(term)));
}

/** The term that a start finds; null for an empty disk, and the reason if it is refused. */
function start(disk: Disk): number | string | null {
  const { found, defect } = disk.open();
  expect(defect).toBeNull();
  if (found.is === 'refused') return found.reason;
  const read = disk.read() as { readonly term: number } | null;
  return read?.term ?? null;
}

/** What a start finds after a crash in the middle of the save of term 4, over many seeds. */
function afterCrash(fault: DiskMode): Set<number | string | null> {
  const found = new Set<number | string | null>();
  for (let seed = 1; seed <= 40; seed++) {
    const disk = newDisk(seed);
    for (const term of [1, 2, 3]) save(disk, term);
    disk.write(record(4));
    disk.fault = fault;
    const cost = disk.crash();
    const term = start(disk);
    expect({ cost, term }).toEqual(cost === 'nothing' ? { cost, term: 4 } : { cost, term: 3 });
    found.add(cost);
  }
  return found;
}

describe('a crash in the middle of a save', () => {
  it('of the process alone keeps the record, which the system has', () => {
    expect([...afterCrash('none')]).toEqual(['nothing']);
  });

  it('loses it with what was not synced, or where the disk never received it', () => {
    for (const fault of ['lose-unsynced', 'stall', 'full'] as const)
      expect([...afterCrash(fault)]).toEqual(['unsynced']);
  });

  it('may tear it, or keep it, or lose it; a start finds the record before it, or this one', () => {
    expect([...afterCrash('torn')].sort()).toEqual(['nothing', 'torn', 'unsynced']);
  });

  it('can be followed by another, in the middle of the next save', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const disk = newDisk(seed);
      for (const term of [1, 2, 3]) save(disk, term);
      for (let term = 4; term < 9; term++) {
        disk.write(record(term));
        disk.fault = 'torn';
        const before = term - 1;
        disk.crash();
        expect([before, term]).toContain(start(disk));
        save(disk, term);
      }
    }
  });

  it('of the very first record leaves none, or it', () => {
    const found = new Set<unknown>();
    for (let seed = 1; seed <= 40; seed++) {
      const disk = newDisk(seed);
      disk.write(record(1));
      disk.fault = 'torn';
      disk.crash();
      found.add(start(disk));
    }
    expect(found).toEqual(new Set([null, 1]));
  });
});

describe('a record that a killed process left to the system', () => {
  it('is durable once a start has found it', () => {
    const disk = newDisk(1);
    save(disk, 1);
    disk.write(record(2));
    disk.crash();
    expect(start(disk)).toBe(2);
    disk.fault = 'lose-unsynced';
    disk.crash();
    expect(start(disk)).toBe(2);
  });
});

describe('damage', () => {
  it.each(['flip', 'lose-sectors'] as const)(
    '%s: a start is refused with one line, until the disk is emptied',
    (kind) => {
      for (let seed = 1; seed <= 40; seed++) {
        const disk = newDisk(seed);
        for (const term of [1, 2, 3]) save(disk, term);
        disk.damage(kind);
        expect(start(disk)).toMatch(
          /^torn or damaged \(.*\); move the whole data folder away and start again: .*$/,
        );
        expect(disk.isRefused).toBe(true);
        disk.erase();
        expect(disk.isRefused).toBe(false);
        expect(start(disk)).toBeNull();
      }
    },
  );

  it('is gone when both copies have been written again', () => {
    const disk = newDisk(1);
    for (const term of [1, 2, 3]) save(disk, term);
    disk.damage('flip');
    for (const term of [4, 5]) save(disk, term);
    expect(start(disk)).toBe(5);
  });

  it('does nothing to an empty disk', () => {
    expect(newDisk(1).damage('flip')).toBe(false);
  });

  it('is copied, and comes back with a backup', () => {
    const disk = newDisk(1);
    for (const term of [1, 2]) save(disk, term);
    disk.backUp();
    disk.damage('flip');
    const other = newDisk(2);
    other.copy(disk);
    expect(start(other)).toContain('torn or damaged');
    disk.restore();
    expect(start(disk)).toBe(2);
  });
});

describe('a disk', () => {
  it('is restored to its first record where there is no backup', () => {
    const disk = newDisk(1);
    for (const term of [1, 2, 3]) save(disk, term);
    disk.restore();
    expect(start(disk)).toBe(1);
    save(disk, 5);
    expect(start(disk)).toBe(5);
  });

  it('goes on from a copy without touching the original', () => {
    const disk = newDisk(1);
    save(disk, 1);
    const other = newDisk(2);
    other.copy(disk);
    expect(start(other)).toBe(1);
    save(other, 2);
    expect([start(disk), start(other)]).toEqual([1, 2]);
  });

  it('that nothing touched is opened without its bytes, and these would give the same', () => {
    // Some records take a page, some more than one.
    const sizes = fc.array(fc.oneof(fc.nat({ max: 200 }), fc.integer({ min: 3700, max: 4200 })), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.array(sizes, { minLength: 1, maxLength: 4 }), (lives) => {
        const disk = newDisk(1);
        let term = 0;
        for (const life of lives) {
          for (const size of life)
            disk.sync(disk.write({ term: ++term, text: String(term % 10).repeat(size) }));
          const { found, defect } = disk.open();
          expect(defect).toBeNull();
          const copy = newDisk(1);
          copy.copy(disk);
          expect(copy.open()).toEqual({ found, defect });
        }
      }),
      { numRuns: 50 },
    );
  });

  it('finds what was last durable, or what was under way, whatever is done to it', () => {
    const act = fc.oneof(
      fc.record({ do: fc.constant('save' as const), size: fc.constantFrom(0, 900, 3500, 9000) }),
      fc.record({ do: fc.constant('begin' as const), size: fc.constantFrom(0, 900, 3500, 9000) }),
      fc.record({
        do: fc.constant('crash' as const),
        fault: fc.constantFrom('none', 'stall', 'torn', 'torn', 'lose-unsynced'),
      }),
    );
    fc.assert(
      fc.property(fc.nat(), fc.array(act, { maxLength: 30 }), (seed, acts) => {
        const disk = newDisk(seed);
        let [durable, term] = [0, 0];
        for (const each of acts) {
          disk.fault = 'none';
          if (each.do === 'crash') {
            disk.fault = each.fault as DiskMode;
            disk.crash();
            const { found, defect } = disk.open();
            expect(defect).toBeNull();
            const at = found.is === 'record' ? (found.record as { readonly term: number }).term : 0;
            expect(at).toBeGreaterThanOrEqual(durable);
            [durable, term] = [at, at];
          } else {
            term += 1;
            const write = disk.write({ term, text: String(term % 10).repeat(each.size) });
            if (each.do === 'save') disk.sync(write);
            if (each.do === 'save') durable = term;
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});
