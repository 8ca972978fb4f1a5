import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { openStore } from '../../src/member/data-folder.ts';
import { parseList } from '../../src/member/election-list.ts';
import { join } from '../../src/member/index.ts';
import { lockFolder } from '../../src/member/lock.ts';
import { lookAtLog } from '../../src/member/log-file.ts';
import { RecordFile } from '../../src/member/record-file.ts';
import {
  type OpenRecovery,
  openRecovery,
  RECOVERY_STEP,
  type RecoverOptions,
} from '../../src/member/recover-folder.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { compiled } from '../support/compiled.ts';
import { contentOf } from '../support/folder-content.ts';

const CHILD = await compiled(path.resolve(import.meta.dirname, '../support/recover-child.ts'));
const SEATS = ['a', 'b', 'c'].map((id) => ({ id, disk: `disk-${id}` }));
const TERMS = { jobs: 12, main: 7 };
/** How many processes run at a time. */
const AT_ONCE = 4;

let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-recover-'));
  const store = await openStore(folder, 'shop', 'a', 'main');
  for (const [name, term] of Object.entries(TERMS).reverse()) {
    const election = store.election(name, 'quorum');
    election.load(() => null);
    const register = { term, version: 4, members: SEATS, founding: SEATS, value: { of: name } };
    election.save({
      disk: 'disk-a',
      start: 3,
      term,
      votedFor: null,
      register,
      committed: register,
      promiseMs: 100,
      seen: {},
    });
  }
  store.close();
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the recovery of a data folder', () => {
  it('makes its member the only one, on a new disk, above all that was', async () => {
    const { plan } = await recovered();
    expect(plan).toMatchObject({
      highest: 12,
      dropped: ['b', 'c'],
      elections: [
        { name: 'jobs', term: 12 },
        { name: 'main', term: 7 },
      ],
    });
    const { main, jobs, list, recovery } = stateOf(folder);
    const disk = list!.disk;
    expect(disk).not.toBe('disk-a');
    for (const record of [main, jobs])
      expect(record).toMatchObject({
        disk,
        term: 12 + RECOVERY_STEP,
        votedFor: null,
        promiseMs: 100,
        register: { version: 4 + RECOVERY_STEP, members: [{ id: 'a', disk }], founding: [{ id: 'a', disk }] },
      });
    expect(main.register.value).toEqual({ of: 'main' });
    expect(recovery).toEqual(plan.recovery);
    expect([...list!.elections].sort()).toEqual(['jobs', 'main']);
  });

  it('starts elections that were never opened here above all tokens too', async () => {
    const { plan } = await recovered();
    const timing = { timeoutMs: [100, 200] };
    const member = await join({ id: 'a', cluster: 'shop', data: folder, timing, insecure: true });
    try {
      for (const name of ['main', 'later']) {
        const leadership = await member.election(name).campaign();
        expect(leadership.token).toBe(BigInt(plan.recovery.term) + 1n);
      }
    } finally {
      await member.close();
    }
  });

  it('adds the same again each time, and remembers the recoveries before', async () => {
    const first = await recovered();
    const second = await recovered();
    expect(second.plan.recovery).toMatchObject({
      term: 12 + 2 * RECOVERY_STEP,
      earlier: [first.plan.recovery.id],
    });
    expect(second.plan.before).toEqual(first.plan.recovery);
    // The terms that members believe last for more than two thousand recoveries.
    const reached = Math.floor((2 ** 41 - 12) / RECOVERY_STEP);
    expect(reached).toBeGreaterThan(2000);
    setTerm('main', 2 ** 41 + 1e12);
    await expect(open()).rejects.toThrow(/its terms have reached \d+, and members believe none above/);
  });

  it('is all or nothing, whenever its process is killed', async () => {
    const states: ('before' | 'after')[] = [];
    for (let isDone = false, next = 1; !isDone; next += AT_ONCE) {
      const killed = Array.from({ length: AT_ONCE }, (_, i) => killedAt(next + i));
      const results = await Promise.all(killed);
      states.push(...results.map(({ is }) => is));
      isDone = results.some(({ code }) => code === 0);
    }
    const turn = states.indexOf('after');
    expect(turn).toBeGreaterThan(10);
    expect(states.length - turn).toBeGreaterThan(10);
    // Once it is recovered, it stays so.
    expect(states).toEqual(states.map((_, i) => (i < turn ? 'before' : 'after')));
  });

  it('completes a recovery that was interrupted, when it is called again', async () => {
    // Killed soon after the moment from which on it is recovered.
    for (let change = 10; !readdirSync(folder).includes('recovery'); change++) await runChild(folder, change);
    expect(await open()).toBe('completed');
    expect(readdirSync(folder)).not.toContain('recovery');
    expect(isRecovered(folder)).toBe(true);
  });
});

describe('a folder that cannot be recovered', () => {
  it.each<[string, Partial<RecoverOptions>, () => unknown, RegExp]>([
    [
      'of another cluster',
      { cluster: 'mine' },
      () => {},
      /records.log: belongs to cluster "shop", not to "mine"/,
    ],
    ['of another member', { id: 'b' }, () => {}, /records.log: belongs to id "a", not to "b"/],
    [
      'of another protocol',
      {},
      () => write('old', 'bully'),
      /election-old.json: belongs to protocol "bully", not to "quorum"/,
    ],
    ['that is damaged', {}, () => damage('election-main.json'), /election-main.json: torn or damaged/],
    ['whose log is damaged', {}, () => damage('records.log'), /records.log: torn or damaged/],
    ['whose own record is damaged', {}, () => damage('member.json'), /member.json: torn or damaged/],
    ['that is not there', { data: '/nowhere' }, () => {}, /^\/nowhere: there is no such folder$/],
    ['that is empty', {}, () => empty(), /holds no record of an election/],
  ])('is refused in one line: one %s', async (_, options, harm, words) => {
    harm();
    const before = contentOf(folder);
    const failure = await open(options).then(String, (error: Error) => error.message);
    expect(failure).toMatch(words);
    expect(failure).not.toContain('\n');
    expect(contentOf(folder)).toEqual(before);
  });

  it('is refused while a member runs on it', async () => {
    const lock = await lockFolder(folder);
    await expect(open()).rejects.toThrow(`is used by process ${process.pid}; stop the member first`);
    lock.release();
  });

  it('is left as it was on a disk that is full', async () => {
    const opened = (await open()) as OpenRecovery;
    const before = contentOf(folder);
    const { realFiles } = await import('../../src/member/recovery-journal.ts');
    const full = (): never => {
      throw new Error('ENOSPC');
    };
    expect(() => opened.carryOut({ ...realFiles, write: full })).toThrow('ENOSPC');
    opened.release();
    expect(contentOf(folder)).toEqual(before);
  });
});

function open(options: Partial<RecoverOptions> = {}): ReturnType<typeof openRecovery> {
  const definitions = Object.values(catalogue);
  return openRecovery({
    data: folder,
    cluster: 'shop',
    id: 'a',
    definitions,
    by: 'test',
    nowMs: Date.now(),
    ...options,
  });
}

async function recovered(): Promise<OpenRecovery> {
  const opened = (await open()) as OpenRecovery;
  opened.carryOut();
  opened.release();
  return opened;
}

async function killedAt(change: number): Promise<{ is: 'before' | 'after'; code: number | null }> {
  const copy = mkdtempSync(path.join(tmpdir(), 'caucus-recover-'));
  try {
    cpSync(folder, copy, { recursive: true });
    const code = await runChild(copy, change);
    // As a member does at its start.
    (await openStore(copy, 'shop', 'a', 'main')).close();
    expect(readdirSync(copy)).not.toContain('recovery');
    return { is: isRecovered(copy) ? 'after' : 'before', code };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function runChild(at: string, change: number): Promise<number | null> {
  const child = spawn(process.execPath, [CHILD, at, String(change)], { stdio: 'inherit' });
  const [code, signal] = await once(child, 'exit');
  expect(code === 0 || signal === 'SIGKILL').toBe(true);
  return code;
}

/** Are all files those of after the recovery? If none is, they are those of before. */
function isRecovered(at: string): boolean {
  const { main, jobs, list, recovery } = stateOf(at);
  const term = 12 + RECOVERY_STEP;
  const told = [main.term === term, jobs.term === term, list!.disk !== 'disk-a', recovery?.term === term];
  const copies = readdirSync(at).filter((name) => name.startsWith('before-recovery-'));
  told.push(copies.length === 1);
  expect(new Set(told).size, JSON.stringify(told)).toBe(1);
  if (copies.length === 1) expect(stateOf(path.join(at, copies[0]!)).main.term).toBe(7);
  else expect([main.term, jobs.term, list!.disk]).toEqual([7, 12, 'disk-a']);
  return told[0]!;
}

// biome-ignore lint/suspicious/noExplicitAny: the records of a test.
type Loose = any;

function stateOf(at: string): {
  main: Loose;
  jobs: Loose;
  list: ReturnType<typeof parseList>;
  recovery: Loose;
} {
  const member = { cluster: 'shop', id: 'a', election: null, protocol: null };
  const own = new RecordFile(path.join(at, 'member.json'), member).read()!.record as Loose;
  return {
    main: recordFile('main', 'quorum', at).read()!.record,
    jobs: loggedIn(at, 'jobs'),
    list: parseList(readFileSync(path.join(at, 'elections'), 'utf8')),
    recovery: own.recovery,
  };
}

/** What the log has of this election. */
function loggedIn(at: string, election: string): Loose {
  const found = lookAtLog(path.join(at, 'records.log'), { cluster: 'shop', id: 'a' });
  if (found.is !== 'log') throw new Error(`expected a log, found ${JSON.stringify(found)}`);
  return JSON.parse(found.records.get(election)!.text);
}

function recordFile(election: string, protocol: string, at: string = folder): RecordFile {
  return new RecordFile(path.join(at, `election-${election}.json`), {
    cluster: 'shop',
    id: 'a',
    election,
    protocol,
  });
}

function write(election: string, protocol: string): void {
  recordFile(election, protocol).write({});
}

function setTerm(election: string, term: number): void {
  const file = recordFile(election, 'quorum');
  file.write({ ...(file.read()!.record as object), term } as Json);
}

function damage(file: string): void {
  const at = path.join(folder, file);
  const bytes = readFileSync(at);
  bytes[100]! ^= 1;
  writeFileSync(at, bytes);
}

function empty(): void {
  for (const file of readdirSync(folder)) rmSync(path.join(folder, file));
}
