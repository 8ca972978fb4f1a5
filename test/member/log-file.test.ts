/** The log of a data folder, on the file system. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  fdatasync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { openStore, type Store } from '../../src/member/data-folder.ts';
import { lockFolder } from '../../src/member/lock.ts';
import { lookAtLog } from '../../src/member/log-file.ts';
import { type FileSystem, RecordFile } from '../../src/member/record-file.ts';
import { compiled } from '../support/compiled.ts';

const CHILD = await compiled(path.resolve(import.meta.dirname, '../support/log-child.ts'));

let folder: string;
const logFile = (): string => path.join(folder, 'records.log');

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-log-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const none = (): null => null;
const open = (fs?: FileSystem, main = 'main'): Promise<Store> => openStore(folder, 'c', 'a', main, fs);

function saveSoon(store: Store, name: string, record: Json): Promise<void> {
  return new Promise((resolve, reject) => {
    store.election(name, 'quorum').saveSoon!(record, (failure) =>
      failure === null ? resolve() : reject(failure),
    );
  });
}

/** What the log holds, by election. */
function logged(): Record<string, { term: number }> {
  const found = lookAtLog(logFile(), { cluster: 'c', id: 'a' });
  if (found.is !== 'log') throw new Error(`expected a log, found ${JSON.stringify(found)}`);
  return Object.fromEntries([...found.records].map(([name, { text }]) => [name, JSON.parse(text)]));
}

/** Counts the syncs that do not block. */
function counting(): FileSystem & { syncs: number } {
  const fs = {
    syncs: 0,
    write: (handle: number, bytes: Uint8Array, at: number) => writeSync(handle, bytes, 0, bytes.length, at),
    sync: () => {},
    syncSoon: (handle: number, done: (failure: Error | null) => void) => {
      fs.syncs += 1;
      fdatasync(handle, done);
    },
  };
  return fs;
}

describe('the log of a data folder', () => {
  it('holds the records of all elections but the main one, for the eyes of its owner only', async () => {
    const store = await open();
    store.election('main', 'quorum').save({ term: 1 });
    expect(existsSync(logFile())).toBe(false);
    store.election('x', 'quorum').save({ term: 2 });
    await saveSoon(store, 'y', { term: 3 });
    store.close();
    expect(logged()).toEqual({ x: { term: 2 }, y: { term: 3 } });
    expect(statSync(logFile()).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['election-main.json', 'member.json', 'records.log']);
    const again = await open();
    expect(again.election('x', 'quorum').load(none)).toEqual({ term: 2 });
    expect(again.isRecorded('y')).toBe(true);
    expect(again.isRecorded('z')).toBe(false);
    expect(again.records('quorum')).toEqual(expect.arrayContaining([{ term: 1 }, { term: 2 }, { term: 3 }]));
    again.close();
  });

  it('makes five hundred records durable with a few syncs', async () => {
    const fs = counting();
    const store = await open(fs);
    const names = Array.from({ length: 500 }, (_, i) => `e${i}`);
    await saveSoon(store, 'first', { term: 1 });
    fs.syncs = 0;
    await Promise.all(names.map((name) => saveSoon(store, name, { term: 1 })));
    expect(fs.syncs).toBeLessThan(4);
    store.close();
    expect(Object.keys(logged())).toHaveLength(501);
  });

  it('has all that was told to be durable, when its process is killed in the middle of many saves', async () => {
    const told: Record<string, number> = {};
    for (let round = 0; round < 6; round++) {
      const child = spawn(process.execPath, [CHILD, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = once(child, 'exit');
      let text = '';
      let count = 0;
      // Killed after another number of saves each time.
      child.stdout.on('data', (bytes: Buffer) => {
        text += bytes.toString();
        count += bytes.toString().split('\n').length - 1;
        if (count > 1 + round * 700) child.kill('SIGKILL');
      });
      await Promise.all([ended, once(child.stdout, 'close')]);
      // A line that was cut off tells nothing.
      for (const line of text.split('\n').slice(1, -1)) {
        const [name, term] = line.split(' ');
        told[name!] = Number(term);
      }
      const kept = logged();
      for (const [name, term] of Object.entries(told))
        expect(kept[name]!.term, name).toBeGreaterThanOrEqual(term);
    }
    expect(Object.keys(told)).toHaveLength(40);
    (await open()).close();
  });

  it('answers with the reason where nothing can be written, and takes part again', async () => {
    let isFull = false;
    const fs = counting();
    const full: FileSystem = {
      ...fs,
      write: (handle, bytes, at) => {
        if (isFull) throw new Error('ENOSPC: no space left on device, write');
        return fs.write(handle, bytes, at);
      },
    };
    const store = await open(full);
    await saveSoon(store, 'x', { term: 1 });
    isFull = true;
    const failed = /records.log: cannot be written: ENOSPC.*; this member takes no part until the disk takes/;
    await expect(saveSoon(store, 'x', { term: 2 })).rejects.toThrow(failed);
    expect(() => store.election('x', 'quorum').save({ term: 3 })).toThrow(failed);
    expect(readdirSync(folder)).not.toContain('records.log.new');
    isFull = false;
    await saveSoon(store, 'y', { term: 4 });
    expect(logged()).toEqual({ x: { term: 1 }, y: { term: 4 } });
    store.close();
  });

  it('takes no more writes after the folder was taken over', async () => {
    const store = await open();
    await saveSoon(store, 'x', { term: 1 });
    rmSync(path.join(folder, 'lock'));
    const other = await lockFolder(folder);
    await expect(saveSoon(store, 'x', { term: 2 })).rejects.toMatchObject({ code: 'E_STORE_LOCKED' });
    store.close();
    other.release();
    expect(logged()).toEqual({ x: { term: 1 } });
  });

  it('that is damaged is refused in words by every election but the main one', async () => {
    const store = await open();
    store.election('main', 'quorum').save({ term: 7 });
    await saveSoon(store, 'x', { term: 1 });
    store.close();
    const bytes = readFileSync(logFile());
    bytes[100]! ^= 4;
    writeFileSync(logFile(), bytes);
    const again = await open();
    expect(again.election('main', 'quorum').load(none)).toEqual({ term: 7 });
    for (const name of ['x', 'new'])
      expect(() => again.election(name, 'quorum').load(none)).toThrow(
        /records.log: torn or damaged .* move the whole data folder away and start again/,
      );
    expect(again.records('quorum')).toContain(null);
    again.close();
  });

  it('says so if another protocol wrote a record', async () => {
    const store = await open();
    await saveSoon(store, 'x', { term: 1 });
    expect(() => store.election('x', 'draw').load(none)).toThrow(
      'election x belongs to protocol "quorum", not to "draw"',
    );
    store.close();
  });
});

describe('a folder of an earlier release', () => {
  const owner = { cluster: 'c', id: 'a', election: 'x', protocol: 'quorum' };
  const file = (): string => path.join(folder, 'election-x.json');

  it('is read, and each record carried over when it is next saved', async () => {
    new RecordFile(file(), owner).write({ term: 1 });
    const store = await open();
    const x = store.election('x', 'quorum');
    expect(x.load(none)).toEqual({ term: 1 });
    expect(store.isRecorded('x')).toBe(true);
    expect(existsSync(file())).toBe(true);
    x.save({ term: 2 });
    expect(existsSync(file())).toBe(false);
    store.close();
    const again = await open();
    expect(again.election('x', 'quorum').load(none)).toEqual({ term: 2 });
    again.close();
  });

  it('does not count any more once the log has the record, also if the process was killed in between', async () => {
    new RecordFile(file(), owner).write({ term: 1 });
    const before = readFileSync(file());
    const store = await open();
    const x = store.election('x', 'quorum');
    x.load(none);
    x.save({ term: 2 });
    store.close();
    writeFileSync(file(), before);
    const again = await open();
    expect(again.election('x', 'quorum').load(none)).toEqual({ term: 2 });
    expect(existsSync(file())).toBe(false);
    again.close();
  });

  it('is refused by that release once the log has a record, and not before', async () => {
    const format = (): string =>
      (
        JSON.parse(readFileSync(path.join(folder, 'member.json'), 'utf8').split('\n')[0]!) as {
          format: string;
        }
      ).format;
    const store = await open();
    store.election('main', 'quorum').save({ term: 1 });
    expect(format()).toBe('caucus-record/4');
    await saveSoon(store, 'x', { term: 1 });
    // Releases before the log read 4 and less.
    expect(format()).toBe('caucus-record/5');
    store.saveVoters([]);
    store.close();
    const bytes = readFileSync(path.join(folder, 'member.json')).toString('latin1');
    expect(bytes).not.toContain('caucus-record/4');
    const again = await open();
    expect(again.member.incarnation).toBe(store.member.incarnation + 1);
    expect(readFileSync(path.join(folder, 'member.json')).toString('latin1')).not.toContain(
      'caucus-record/4',
    );
    again.close();
  });

  it('changes its main election: the record goes to its own file, and back to the log', async () => {
    const store = await open();
    store.election('main', 'quorum').save({ term: 7 });
    await saveSoon(store, 'x', { term: 1 });
    store.close();
    const other = await open(undefined, 'x');
    expect(logged()).toEqual({});
    expect(other.election('x', 'quorum').load(none)).toEqual({ term: 1 });
    other.election('x', 'quorum').save({ term: 2 });
    const main = other.election('main', 'quorum');
    expect(main.load(none)).toEqual({ term: 7 });
    main.save({ term: 8 });
    other.close();
    const back = await open();
    expect(back.election('main', 'quorum').load(none)).toEqual({ term: 8 });
    expect(back.election('x', 'quorum').load(none)).toEqual({ term: 2 });
    back.close();
  });
});
