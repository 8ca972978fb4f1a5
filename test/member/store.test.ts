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
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from '../../src/member/lock.ts';
import { type FileSystem, type Owner, RecordFile } from '../../src/member/record-file.ts';
import { forgetfulStore, openStore } from '../../src/member/store.ts';

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
    expect(() => records.write({ term: 8 })).toThrow(/cannot be written: ENOSPC/);
    room = 20;
    expect(() => records.write({ term: 8 })).toThrow(expect.objectContaining({ code: 'E_STORE_UNUSABLE' }));
    expect(records.read()).toEqual({ record });
    expect(readdirSync(folder)).toEqual(['r']);
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

  it('says so where nothing can be written', () => {
    const records = new RecordFile('/proc/self/record', owner);
    expect(() => records.write(record)).toThrow(/^\/proc\/self\/record: cannot be written: /);
    expect(() => records.write(record)).toThrow(expect.objectContaining({ code: 'E_STORE_UNUSABLE' }));
  });
});

describe('the data folder', () => {
  const genesis = (): string => 'genesis';

  it('remembers records, voters and a growing incarnation over restarts', async () => {
    const first = await openStore(folder, 'c', 'a', false);
    const main = first.election('main', 'quorum');
    expect(main.load(genesis)).toBeNull();
    main.save({ term: 3 });
    first.saveVoters([{ id: 'z', url: 'http://127.0.0.1:1' }]);
    first.close();

    const second = await openStore(folder, 'c', 'a', false);
    expect(second.member.incarnation).toBeGreaterThan(first.member.incarnation);
    expect(second.member.voters).toEqual([{ id: 'z', url: 'http://127.0.0.1:1' }]);
    expect(second.election('main', 'quorum').load(genesis)).toEqual({ term: 3 });
    second.close();
  });

  it('grows the incarnation although the wall clock was set back', async () => {
    const ahead = Date.now() + 1e9;
    const owner = { cluster: 'c', id: 'a', election: null, protocol: null };
    const before = { incarnation: ahead, isComplete: false, voters: [] };
    new RecordFile(path.join(folder, 'member.json'), owner).write(before);
    const store = await openStore(folder, 'c', 'a', false);
    expect(store.member.incarnation).toBe(ahead + 1);
    store.close();
  });

  it('takes an election for new only if it has been there from the first start', async () => {
    const first = await openStore(folder, 'c', 'a', true);
    expect(first.election('main', 'quorum').load(genesis)).toBe('genesis');
    first.close();
    const again = await openStore(folder, 'c', 'a', false);
    expect(again.election('another', 'quorum').load(genesis)).toBe('genesis');
    again.close();

    rmSync(folder, { recursive: true });
    const lost = await openStore(folder, 'c', 'a', false);
    expect(lost.election('main', 'quorum').load(genesis)).toBeNull();
    lost.close();
    // Who says "first start" on a folder that has a history is not believed.
    const liar = await openStore(folder, 'c', 'a', true);
    expect(liar.election('main', 'quorum').load(genesis)).toBeNull();
    liar.close();
  });

  it('of another member is refused', async () => {
    (await openStore(folder, 'c', 'a', false)).close();
    await expect(openStore(folder, 'c', 'b', false)).rejects.toMatchObject({ code: 'E_STORE_FOREIGN' });
    // The refusal has not kept it locked.
    (await openStore(folder, 'c', 'a', false)).close();
  });

  it('that is a file is refused', async () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    await expect(openStore(file, 'c', 'a', false)).rejects.toMatchObject({ code: 'E_STORE_UNUSABLE' });
  });

  it('without one, everything is forgotten, unless there was nothing to forget', () => {
    expect(forgetfulStore(false).election('main', 'quorum').load(genesis)).toBeNull();
    expect(forgetfulStore(true).election('main', 'quorum').load(genesis)).toBe('genesis');
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
    const store = await openStore(folder, 'c', 'a', false);
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
