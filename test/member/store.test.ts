import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { CaucusError } from '../../src/election/index.ts';
import { forgetfulStore, openStore, type Store } from '../../src/member/data-folder.ts';
import { lockFolder } from '../../src/member/lock.ts';
import { LogFile } from '../../src/member/log-file.ts';
import { type FileSystem, RecordFile, realFiles } from '../../src/member/record-file.ts';
import type { Owner } from '../../src/store/index.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-store-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const owner: Owner = { cluster: 'c', id: 'a', election: 'main', protocol: 'quorum' };
const record = { term: 7, votedFor: 'ä', register: { members: ['a', 'b'] } };

describe('a record on disk', () => {
  it('is found as it was written, and is for the eyes of its owner only', () => {
    const file = path.join(folder, 'r');
    const records = new RecordFile(file, owner);
    expect(records.read()).toBeNull();
    records.write(record);
    records.write({ ...record, term: 8 });
    expect(records.read()).toEqual({ record: { ...record, term: 8 } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['r']);
  });

  it('tells a record that is null from none', () => {
    const records = new RecordFile(path.join(folder, 'r'), owner);
    records.write(null);
    expect(records.read()).toEqual({ record: null });
  });

  it('is refused wherever it was cut off', () => {
    const file = path.join(folder, 'r');
    const records = new RecordFile(file, owner);
    records.write(record);
    const bytes = readFileSync(file);
    for (let length = 0; length < bytes.length; length += length < 400 ? 1 : 37) {
      writeFileSync(file, bytes.subarray(0, length));
      expect(() => records.read(), `cut after ${length} bytes`).toThrow(
        expect.objectContaining({ code: 'E_STORE_CORRUPT' }),
      );
    }
    writeFileSync(file, bytes);
    expect(records.read()).toEqual({ record });
  });

  it('is refused whichever bit was flipped, with what is wrong and what to do', () => {
    const file = path.join(folder, 'r');
    const records = new RecordFile(file, owner);
    records.write(record);
    const bytes = readFileSync(file);
    for (let at = 0; at < bytes.length; at += at < 400 ? 1 : 37) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1 << (at % 8);
      writeFileSync(file, flipped);
      expect(() => records.read(), `byte ${at}`).toThrow(
        expect.objectContaining({ code: 'E_STORE_CORRUPT' }),
      );
    }
    expect(() => records.read()).toThrow(
      /torn or damaged .* move the whole data folder away and start again/,
    );
  });

  it('takes the place of the older of two copies, and leaves the newest alone', () => {
    const file = path.join(folder, 'r');
    const records = new RecordFile(file, owner);
    records.write({ term: 1 });
    records.write({ term: 2 });
    const { ino } = statSync(file);
    const before = readFileSync(file);
    records.write({ term: 3 });
    const after = readFileSync(file);
    expect(statSync(file).ino).toBe(ino);
    const halves = (bytes: Buffer) => [bytes.subarray(0, 4096), bytes.subarray(4096)].map(String);
    expect(halves(after).filter((half) => halves(before).includes(half))).toEqual([
      expect.stringContaining('{"term":2}'),
    ]);
    expect(new RecordFile(file, owner).read()).toEqual({ record: { term: 3 } });
  });

  it('is refused if either copy is damaged: it may have been the newer', () => {
    const file = path.join(folder, 'r');
    const records = new RecordFile(file, owner);
    for (const term of [1, 2, 3]) records.write({ term });
    const bytes = readFileSync(file);
    for (const at of [60, 4096 + 60]) {
      const torn = Buffer.from(bytes);
      torn.fill(0, at, at + 10);
      writeFileSync(file, torn);
      expect(() => new RecordFile(file, owner).read()).toThrow(
        expect.objectContaining({ code: 'E_STORE_CORRUPT' }),
      );
    }
  });

  it.each([0, 1])('is refused if copy %i is empty: it may have been the newer', (half) => {
    const file = path.join(folder, 'r');
    const records = new RecordFile(file, owner);
    for (const term of [1, 2, 3]) {
      records.write({ term });
      const bytes = readFileSync(file);
      writeFileSync(file, Buffer.from(bytes).fill(0, half * 4096, (half + 1) * 4096));
      expect(() => new RecordFile(file, owner).read(), `after ${term}`).toThrow(
        'one of its two copies is empty',
      );
      writeFileSync(file, bytes);
    }
  });

  it('never overwrites its newest copy, also right after it was made', () => {
    const file = path.join(folder, 'r');
    const records = new RecordFile(file, owner);
    for (let term = 1; term < 6; term++) {
      records.write({ term });
      if (term > 1) expect(readFileSync(file, 'utf8')).toContain(`{"term":${term - 1}}`);
    }
  });

  it('of another version is called older or newer, not damaged', () => {
    const file = path.join(folder, 'r');
    for (const [version, age] of [
      [1, 'an older'],
      [77, 'a newer'],
    ] as const) {
      writeFileSync(file, `{"format":"caucus-record/${version}","cluster":"c","sha256":"0"}\n{"term":1}\n`);
      const read = () => new RecordFile(file, owner).read();
      expect(read).toThrow(expect.objectContaining({ code: 'E_STORE_VERSION' }));
      expect(read).toThrow(`was written by ${age} version of Caucus (its format is caucus-record/${version}`);
    }
  });

  it('may be of any size, and changes between large and small', () => {
    const file = path.join(folder, 'r');
    const records = new RecordFile(file, owner);
    for (const length of [10, 70_000, 5000, 20, 30, 4096, 3]) {
      const large = { value: 'ä'.repeat(length) };
      records.write(large);
      expect(records.read()).toEqual({ record: large });
      expect(new RecordFile(file, owner).read()).toEqual({ record: large });
    }
    expect(readdirSync(folder)).toEqual(['r']);
  });

  it('of somebody else is refused by name', () => {
    const file = path.join(folder, 'r');
    new RecordFile(file, owner).write(record);
    const foreign = (other: Partial<Owner>): (() => unknown) => {
      return () => new RecordFile(file, { ...owner, ...other }).read();
    };
    expect(foreign({ cluster: 'd' })).toThrow('belongs to cluster "c", not to "d"');
    expect(foreign({ id: 'b' })).toThrow('belongs to id "a", not to "b"');
    expect(foreign({ election: 'other' })).toThrow('belongs to election "main", not to "other"');
    expect(foreign({ protocol: 'draw' })).toThrow('belongs to protocol "quorum", not to "draw"');
    expect(foreign({ id: 'b' })).toThrow(expect.objectContaining({ code: 'E_STORE_FOREIGN' }));
  });

  it('is the old one, whole, when the disk is full in the middle of the new one', () => {
    const file = path.join(folder, 'r');
    new RecordFile(file, owner).write(record);
    let room = 20;
    const full: FileSystem = {
      write(_handle, bytes) {
        if (room === 0)
          throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
        const taken = Math.min(room, bytes.length);
        room -= taken;
        return taken;
      },
      sync: () => {},
    };
    const records = new RecordFile(file, owner, full);
    expect(() => records.write({ term: 8 })).toThrow(
      /cannot be written: ENOSPC.*; this member takes no part until the disk takes writes again/,
    );
    room = 20;
    expect(() => records.write({ term: 8 })).toThrow(expect.objectContaining({ code: 'E_STORE_UNUSABLE' }));
    expect(new RecordFile(file, owner).read()).toEqual({ record });
    expect(readdirSync(folder)).toEqual(['r']);
  });

  it('is not written again at a start once the folder belongs to another process', () => {
    const file = path.join(folder, 'r');
    new RecordFile(file, owner).write(record);
    const written: number[] = [];
    const watched: FileSystem = {
      ...realFiles,
      write(handle, bytes, at) {
        written.push(at);
        return realFiles.write(handle, bytes, at);
      },
    };
    const taken = (): never => {
      throw new CaucusError('E_STORE_LOCKED', 'is used by another process by now');
    };
    const late = new RecordFile(file, owner, watched, undefined, taken);
    expect(() => late.read()).toThrow(expect.objectContaining({ code: 'E_STORE_LOCKED' }));
    const log = path.join(folder, 'log');
    const logOwner = { cluster: 'c', id: 'a' };
    const free = { assertOurs: () => {}, before: () => {}, beforeFirst: () => {} };
    const first = new LogFile(log, logOwner, free);
    for (const text of ['1', '2']) first.save({ election: 'x', saved: { protocol: 'quorum', text } });
    expect(() => new LogFile(log, logOwner, { ...free, assertOurs: taken, fs: watched })).toThrow(
      expect.objectContaining({ code: 'E_STORE_LOCKED' }),
    );
    expect(written).toEqual([]);
    expect(new RecordFile(file, owner, watched).read()).toEqual({ record });
    expect(written).toHaveLength(1);
  });

  it('does not count as written when it cannot be flushed', () => {
    const file = path.join(folder, 'r');
    const deaf: FileSystem = {
      write: (_handle, bytes) => bytes.length,
      sync() {
        throw new Error('EIO: i/o error, fsync');
      },
    };
    expect(() => new RecordFile(file, owner, deaf).write(record)).toThrow(/cannot be written: EIO/);
    expect(existsSync(file)).toBe(false);
  });

  describe('that is saved without blocking', () => {
    /** A disk whose syncs that do not block end when the test says so. */
    const slow = (): FileSystem & { ends: ((failure: Error | null) => void)[] } => {
      const ends: ((failure: Error | null) => void)[] = [];
      return { ...realFiles, syncSoon: (_handle, done) => void ends.push(done), ends };
    };
    const file = (): string => path.join(folder, 'r');
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const started = async (fs: FileSystem): Promise<{ records: RecordFile; answers: (string | null)[] }> => {
      const records = new RecordFile(file(), owner, fs);
      records.write({ term: 7 });
      const answers: (string | null)[] = [];
      records.writeSoon({ term: 8 }, (failure) => answers.push(failure?.message ?? null));
      await turn();
      return { records, answers };
    };

    it('is durable when it is answered', async () => {
      const fs = slow();
      const { answers } = await started(fs);
      expect(answers).toEqual([]);
      fs.ends[0]!(null);
      expect(answers).toEqual([null]);
      expect(new RecordFile(file(), owner).read()).toEqual({ record: { term: 8 } });
    });

    it('is answered with the error of the disk, and the next one rewrites the file', async () => {
      const fs = slow();
      const { records, answers } = await started(fs);
      fs.ends[0]!(new Error('EIO: i/o error, fdatasync'));
      expect(answers).toEqual([expect.stringContaining('cannot be written: EIO')]);
      const { ino } = statSync(file());
      records.write({ term: 9 });
      expect(statSync(file()).ino).not.toBe(ino);
      expect(new RecordFile(file(), owner).read()).toEqual({ record: { term: 9 } });
    });

    it('is answered with a later one that blocks and overtakes it', async () => {
      const fs = slow();
      const { records, answers } = await started(fs);
      records.write({ term: 9 });
      expect(answers).toEqual([null]);
      fs.ends[0]!(new Error('EIO: i/o error, fdatasync'));
      expect(answers).toEqual([null]);
      expect(new RecordFile(file(), owner).read()).toEqual({ record: { term: 9 } });
    });

    it('is neither written nor answered after the file was closed', async () => {
      const fs = slow();
      const { records, answers } = await started(fs);
      records.writeSoon({ term: 9 }, (failure) => answers.push(failure?.message ?? null));
      records.close();
      fs.ends[0]!(null);
      await turn();
      expect(answers).toEqual([]);
      expect(new RecordFile(file(), owner).read()).toEqual({ record: { term: 8 } });
    });
  });

  it('says so where nothing can be written', () => {
    const records = new RecordFile('/proc/self/record', owner);
    expect(() => records.write(record)).toThrow(/^\/proc\/self\/record: cannot be written: /);
    expect(() => records.write(record)).toThrow(expect.objectContaining({ code: 'E_STORE_UNUSABLE' }));
  });
});

describe('the data folder', () => {
  const none = (): null => null;
  const open = (main = 'main'): Promise<Store> => openStore(folder, 'c', 'a', main);

  it('remembers records, voters and a growing incarnation over restarts', async () => {
    const first = await open();
    const main = first.election('main', 'quorum');
    expect(main.load(none)).toBeNull();
    main.save({ term: 3 });
    first.saveVoters([{ id: 'z', url: 'http://127.0.0.1:1' }]);
    first.close();

    const second = await open();
    expect(second.member.incarnation).toBe(first.member.incarnation + 1);
    expect(second.member.voters).toEqual([{ id: 'z', url: 'http://127.0.0.1:1' }]);
    expect(second.election('main', 'quorum').load(none)).toEqual({ term: 3 });
    second.close();
  });

  it('asks no clock: neither for the incarnation nor for the life', async () => {
    vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ['Date'] });
    try {
      const first = await open();
      first.close();
      vi.setSystemTime(1_800_000_000_000 - 3_600_000);
      const second = await open();
      second.close();
      expect(second.member.incarnation).toBe(first.member.incarnation + 1);
      // On an empty disk the count begins anywhere, so that no number comes twice.
      rmSync(folder, { recursive: true });
      const third = await open();
      third.close();
      const lives = [first, second, third, forgetfulStore('main')].map(({ member }) => member.life);
      expect(new Set(lives).size).toBe(4);
      const starts = [second, third, forgetfulStore('main')].map(({ member }) => member.incarnation);
      expect(new Set(starts).size).toBe(3);
      for (const each of starts) expect(Number.isSafeInteger(each) && each > 0).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('goes on from a member record of 0.1', async () => {
    const owner = { cluster: 'c', id: 'a', election: null, protocol: null };
    const before = { incarnation: 1_794_829_706_551, isComplete: true, voters: [] };
    new RecordFile(path.join(folder, 'member.json'), owner).write(before);
    const store = await open();
    expect(store.member.incarnation).toBe(1_794_829_706_552);
    store.close();
  });

  it('of another member is refused', async () => {
    (await open()).close();
    await expect(openStore(folder, 'c', 'b', 'main')).rejects.toMatchObject({ code: 'E_STORE_FOREIGN' });
    // The refusal has not kept it locked.
    (await open()).close();
  });

  it('that is a file is refused', async () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    await expect(openStore(file, 'c', 'a', 'main')).rejects.toMatchObject({
      code: 'E_STORE_UNUSABLE',
      message: `${file}: cannot be used as a data folder: ${file} is not a folder`,
    });
  });
});

describe('an election that begins on a disk that takes part in others', () => {
  /** As a protocol would make it of the record of the main election. */
  const inherit = (main: Json): Json => ({ inheritedFrom: main });
  const list = (): string => path.join(folder, 'elections');

  async function open(main = 'main'): Promise<Store> {
    return await openStore(folder, 'c', 'a', main);
  }

  /** Opens the folder, loads the main election, and then this one. */
  async function begin(name: string, main = 'main'): Promise<Json> {
    const store = await open(main);
    try {
      store.election(main, 'quorum').load(inherit);
      return store.election(name, 'quorum').load(inherit);
    } finally {
      store.close();
    }
  }

  /** A folder whose main election has a disk. */
  async function settle(disk = 'D'): Promise<Store> {
    const store = await open();
    const main = store.election('main', 'quorum');
    main.load(inherit);
    main.save({ disk, start: 1 });
    return store;
  }

  it('inherits the newest durable record of the main election, and is listed before it has a record', async () => {
    const store = await settle();
    store.election('main', 'quorum').save({ disk: 'D', start: 2 });
    const job = store.election('job', 'quorum');
    expect(job.load(inherit)).toEqual({ inheritedFrom: { disk: 'D', start: 2 } });
    job.save({ disk: 'D', start: 2 });
    expect(readFileSync(list(), 'utf8')).toBe('{"format":"caucus-elections/1","disk":"D"}\nmain\njob\n');
    expect(statSync(list()).mode & 0o777).toBe(0o600);
    store.close();
    rmSync(path.join(folder, 'records.log'));
    expect(await begin('job')).toBeNull();
    expect(await begin('another')).toEqual({ inheritedFrom: { disk: 'D', start: 2 } });
  });

  it('is new again if it never had a record, since it has promised nothing', async () => {
    (await settle()).close();
    for (let i = 0; i < 2; i++) expect(await begin('job')).not.toBeNull();
  });

  it('is listed with all others that were opened meanwhile, also if only one of them has a record', async () => {
    const store = await settle();
    const stores = ['a', 'b', 'c'].map((name) => store.election(name, 'quorum'));
    for (const each of stores) each.load(inherit);
    const saved = new Promise((resolve) => stores[1]!.saveSoon!({ disk: 'D', start: 1 }, resolve));
    expect(readFileSync(list(), 'utf8')).not.toContain('a\n');
    expect(await saved).toBeNull();
    expect(readFileSync(list(), 'utf8').split('\n').slice(1)).toEqual(['main', 'a', 'b', 'c', '']);
    store.close();
  });

  it('has no record as long as it cannot be listed, and the list is written anew after that', async () => {
    const store = await settle();
    const job = store.election('job', 'quorum');
    const record = { disk: 'D', start: 1 };
    job.load(inherit);
    const before = readFileSync(list());
    rmSync(list());
    mkdirSync(list());
    for (let i = 0; i < 2; i++) expect(() => job.save(record)).toThrow(/elections: cannot be written: /);
    rmSync(list(), { recursive: true });
    // What an append that failed may have left.
    writeFileSync(list(), `${before}jo`);
    job.save(record);
    expect(readFileSync(list(), 'utf8')).toBe(`${before}job\n`);
    store.close();
    expect(await begin('job')).toEqual(record);
  });

  it('does not if the protocol has nothing to inherit, nor later: it may have drawn the same disk by itself', async () => {
    const store = await settle();
    const job = store.election('job', 'quorum');
    expect(job.load(() => null)).toBeNull();
    expect(store.election('job', 'quorum').load(inherit)).toBeNull();
    job.save({ disk: 'D', start: 1 });
    store.close();
    rmSync(path.join(folder, 'records.log'));
    expect(await begin('job')).toBeNull();
  });

  it('is not new if it was opened before the disk was known', async () => {
    const store = await open();
    const main = store.election('main', 'quorum');
    main.load(inherit);
    expect(store.election('early', 'quorum').load(inherit)).toBeNull();
    main.save({ disk: 'D', start: 1 });
    store.close();
    expect(await begin('early')).toBeNull();
    expect(await begin('late')).not.toBeNull();
  });

  it('is not new if its record was there once, wherever that came from', async () => {
    (await settle()).close();
    const file = path.join(folder, 'election-job.json');
    new RecordFile(file, { ...owner, election: 'job' }).write({ disk: 'D', start: 7 });
    expect(await begin('job')).toEqual({ disk: 'D', start: 7 });
    rmSync(file);
    expect(await begin('job')).toBeNull();
  });

  it('does not inherit where the main election has no disk', async () => {
    const store = await open();
    const main = store.election('main', 'draw');
    for (const record of [null, [], 'text', { disk: 7 }, { term: 1 }]) {
      main.save(record as Json);
      expect(store.election('job', 'draw').load(inherit)).toBeNull();
    }
    expect(existsSync(list())).toBe(false);
    store.close();
  });

  it('is the main election itself: that never inherits', async () => {
    const store = await settle();
    store.close();
    rmSync(path.join(folder, 'election-main.json'));
    const again = await open();
    expect(again.election('main', 'quorum').load(inherit)).toBeNull();
    expect(again.election('job', 'quorum').load(inherit)).toBeNull();
    again.close();
  });

  it('is not new if its record was lost', async () => {
    const store = await settle();
    const job = store.election('job', 'quorum');
    job.save(job.load(inherit));
    store.close();
    expect(await begin('job')).toEqual({ inheritedFrom: { disk: 'D', start: 1 } });
    rmSync(path.join(folder, 'records.log'));
    expect(await begin('job')).toBeNull();
  });

  it('is not new if the list is missing, torn or damaged, or that of another disk', async () => {
    (await settle()).close();
    const whole = readFileSync(list(), 'utf8');
    const damaged = [
      null,
      '',
      whole.slice(0, -1),
      `${whole}jo`,
      `${whole}\0\0\0\n`,
      whole.replace('elections/1', 'elections/2'),
      whole.replace('"disk":"D"', '"disk":7'),
      whole.replace('"D"', '"E"'),
      whole.slice(1),
      `null\n${whole}`,
    ];
    for (const each of damaged) {
      rmSync(list(), { force: true });
      if (each !== null) writeFileSync(list(), each);
      expect(await begin('job'), `${each}`).toBeNull();
    }
    writeFileSync(list(), whole);
    expect(await begin('job')).not.toBeNull();
  });

  it('cannot be new again by a list that is begun later for the same disk', async () => {
    (await settle()).close();
    rmSync(list());
    const store = await open();
    const main = store.election('main', 'quorum');
    main.load(inherit);
    main.save({ disk: 'D', start: 2 });
    expect(existsSync(list())).toBe(false);
    expect(store.election('job', 'quorum').load(inherit)).toBeNull();
    store.close();
  });

  it('is new to another disk, which has a list of its own', async () => {
    const before = await settle('D');
    const job = before.election('job', 'quorum');
    job.save(job.load(inherit));
    before.election('lost', 'quorum').load(inherit);
    before.close();
    const store = await open();
    store.election('main', 'quorum').load(inherit);
    store.election('main', 'quorum').save({ disk: 'E', start: 1 });
    expect(readFileSync(list(), 'utf8')).toBe('{"format":"caucus-elections/1","disk":"E"}\nmain\njob\n');
    // Its record is of the disk of before, and stays what it is.
    expect(store.election('job', 'quorum').load(inherit)).toEqual({ inheritedFrom: { disk: 'D', start: 1 } });
    expect(store.election('lost', 'quorum').load(inherit)).toEqual({
      inheritedFrom: { disk: 'E', start: 1 },
    });
    store.close();
  });

  it('lists the elections of a folder of 0.1 when its main election first has a disk', async () => {
    const store = await open();
    store.election('nightly', 'quorum').save({ term: 1 });
    const main = store.election('main', 'quorum');
    main.save({ term: 3 });
    main.save({ term: 3, disk: 'D' });
    store.close();
    rmSync(path.join(folder, 'records.log'));
    expect(await begin('nightly')).toBeNull();
    expect(await begin('job')).not.toBeNull();
  });

  it('may have been the main election before: it is listed too', async () => {
    const store = await settle();
    const job = store.election('job', 'quorum');
    job.save({ disk: 'D', start: 1 });
    store.close();
    rmSync(path.join(folder, 'election-main.json'));
    // The folder is used with another main election, which is on the same disk.
    expect(await begin('main', 'job')).toBeNull();
  });

  it('has no record at first where the list was deleted, and the next try writes the list anew', async () => {
    const store = await settle();
    rmSync(list());
    const job = store.election('job', 'quorum');
    job.load(inherit);
    const record = { disk: 'D', start: 1 };
    expect(() => job.save(record)).toThrow(expect.objectContaining({ code: 'E_STORE_UNUSABLE' }));
    job.save(record);
    expect(readFileSync(list(), 'utf8')).toBe('{"format":"caucus-elections/1","disk":"D"}\nmain\njob\n');
    store.close();
  });

  it('has its list before the record that names the disk: a crash in between lets nothing begin', async () => {
    (await settle('D')).close();
    writeFileSync(list(), '{"format":"caucus-elections/1","disk":"E"}\nmain\n');
    expect(await begin('job')).toBeNull();
    const store = await open();
    store.election('main', 'quorum').load(inherit);
    store.election('main', 'quorum').save({ disk: 'F', start: 1 });
    expect(store.election('job', 'quorum').load(inherit)).toEqual({ inheritedFrom: { disk: 'F', start: 1 } });
    store.close();
  });

  it('does the same in memory where there is no folder', () => {
    const store = forgetfulStore('main');
    const main = store.election('main', 'quorum');
    expect(main.load(inherit)).toBeNull();
    expect(store.election('early', 'quorum').load(inherit)).toBeNull();
    main.save({ disk: 'D', start: 1 });
    expect(store.election('job', 'quorum').load(inherit)).toEqual({ inheritedFrom: { disk: 'D', start: 1 } });
    expect(store.election('job', 'quorum').load(inherit)).toBeNull();
    expect(store.election('early', 'quorum').load(inherit)).toBeNull();
    expect(forgetfulStore('main').election('main', 'quorum').load(inherit)).toBeNull();
  });
});

describe('the lock on a data folder', () => {
  it('is for one at a time, and says who has it', async () => {
    const lock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toMatchObject({
      code: 'E_STORE_LOCKED',
      message: expect.stringContaining(`is used by process ${process.pid}`),
    });
    lock.release();
    (await lockFolder(folder)).release();
  });

  it('tells a folder that was deleted from one that another process uses', async () => {
    const lock = await lockFolder(folder);
    lock.assert();
    rmSync(path.join(folder, 'lock'));
    expect(() => lock.assert()).toThrow(
      'was deleted or emptied while this member used it; restart the member',
    );
    const other = await lockFolder(folder);
    expect(() => lock.assert()).toThrow('is used by another process by now');
    other.release();
  });

  it('keeps a process that has lost the folder from writing any of its records', async () => {
    const [before, after] = [
      { id: 'a', url: 'http://before' },
      { id: 'a', url: 'http://after' },
    ] as const;
    const loser = await openStore(folder, 'c', 'a', 'main');
    const main = loser.election('main', 'quorum');
    main.save({ term: 1, disk: 'd' });
    rmSync(path.join(folder, 'lock'));
    const owning = await openStore(folder, 'c', 'a', 'main');
    owning.election('main', 'quorum').load(() => null);
    for (let i = 0; i < 3; i++) owning.saveMembers([after], []);
    const files = (): readonly string[] => readdirSync(folder).filter((file) => file !== 'lock');
    const contents = (): readonly string[] =>
      files().map((file) => `${file} ${readFileSync(path.join(folder, file), 'latin1')}`);
    const kept = contents();
    const taken = { code: 'E_STORE_LOCKED' };
    expect(() => loser.saveMembers([before], [])).toThrow(expect.objectContaining(taken));
    expect(() => loser.saveVoters([before])).toThrow(expect.objectContaining(taken));
    expect(() => main.save({ term: 2, disk: 'other' })).toThrow(expect.objectContaining(taken));
    expect(() => loser.election('x', 'quorum').save({ term: 2 })).toThrow(expect.objectContaining(taken));
    expect(contents()).toEqual(kept);
    loser.close();
    owning.close();
    const again = await openStore(folder, 'c', 'a', 'main');
    expect(again.member.members).toEqual([after]);
    again.close();
  });

  it('works however long the path is', async () => {
    const deep = path.join(folder, 'x'.repeat(90), 'y'.repeat(90));
    mkdirSync(deep, { recursive: true });
    const lock = await lockFolder(deep);
    await expect(lockFolder(deep)).rejects.toMatchObject({ code: 'E_STORE_LOCKED' });
    lock.release();
    (await lockFolder(deep)).release();
  });

  it('is held by a process that is stopped, and free once it is killed', async () => {
    const script = `require('node:net').createServer(() => {}).listen(process.argv[1], () => console.log('up'))`;
    const child = spawn(process.execPath, ['-e', script, path.join(folder, 'lock')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      child.kill('SIGSTOP');
      await expect(lockFolder(folder)).rejects.toMatchObject({ code: 'E_STORE_LOCKED' });
      child.kill('SIGKILL');
      await once(child, 'exit');
      (await lockFolder(folder)).release();
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('that was taken away stops every further save', async () => {
    const store = await openStore(folder, 'c', 'a', 'main');
    const main = store.election('main', 'quorum');
    main.save({ term: 1 });
    rmSync(path.join(folder, 'lock'));
    const other = await lockFolder(folder);
    expect(() => main.save({ term: 2 })).toThrow(expect.objectContaining({ code: 'E_STORE_LOCKED' }));
    store.close();
    // What the first one leaves behind is not the second one's lock.
    expect(() => other.assert()).not.toThrow();
    other.release();
  });
});
