/** The history of a member with a data folder outlives its process. */
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Act } from '../../src/api/index.ts';
import type { Leadership } from '../../src/election/index.ts';
import type { Change } from '../../src/host/index.ts';
import { HistoryFile } from '../../src/member/history-file.ts';
import { Cluster } from '../support/cluster.ts';

let folder = '';
let file = '';
let failures: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-history-'));
  file = path.join(folder, 'history-main.ndjson');
  failures = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (): HistoryFile => new HistoryFile(file, (reason) => failures.push(reason));

const change = (token: number): Change => ({
  atMs: 1_700_000_000_000 + token,
  leader: token % 2 === 0 ? 'a' : 2,
  token: BigInt(token),
  cause: 'won',
  detail: `token ${token}`,
});

const act: Act = {
  at: '2026-01-01T00:00:00.000Z',
  atMs: 1_700_000_000_000,
  electionName: 'main',
  by: 'alice',
  from: '127.0.0.1',
  what: 'resign',
  outcome: 'done',
};

describe('the file of a history', () => {
  it('gives back what was added, with its types', async () => {
    const log = open();
    const left: Change = {
      atMs: 7,
      leader: null,
      token: null,
      cause: 'closed',
      detail: 'a has left',
      about: 'member',
    };
    for (const entry of [change(1), act, left]) log.add(entry);
    await log.close();
    expect(open().changes).toEqual([change(1), left]);
    expect(open().acts).toEqual([act]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('keeps the last thousand, and does not grow without end', async () => {
    for (let process = 0; process < 5; process++) {
      const log = open();
      for (let i = 0; i < 700; i++) log.add(change(process * 700 + i));
      await log.close();
    }
    const { changes } = open();
    expect(changes).toHaveLength(1000);
    expect([changes[0]!.token, changes.at(-1)!.token]).toEqual([2500n, 3499n]);
    expect(readFileSync(file, 'utf8').split('\n').filter(Boolean).length).toBeLessThanOrEqual(2001);
  });

  it('loses only the line that a crash has cut off', async () => {
    const before = open();
    before.add(change(1));
    await before.close();
    appendFileSync(file, '{"atMs":17000000');
    const after = open();
    after.add(change(2));
    await after.close();
    expect(open().changes).toEqual([change(1), change(2)]);
  });

  it('reads no nonsense', () => {
    const lines = ['{"caucus":"history/1"}', '7', 'null', '[]', '{"atMs":1e300,"cause":"won"}'];
    const wrong = [
      { ...act, by: 7 },
      { atMs: 1, leader: {}, token: null, cause: 'won', detail: '' },
    ];
    writeFileSync(file, [...lines, ...wrong.map((each) => JSON.stringify(each))].join('\n'));
    expect([open().changes, open().acts, failures]).toEqual([[], [], []]);
  });

  it('leaves a file of a later version alone, and says so once', async () => {
    const text = '{"caucus":"history/2"}\n{"something":"else"}\n';
    writeFileSync(file, text);
    const log = open();
    log.add(change(1));
    log.add(change(2));
    await log.close();
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(failures).toEqual([
      `${file}: the history is not kept: another version of caucus wrote it: what happens now is not added to it`,
    ]);
  });

  it('that cannot be written is told once, and costs nothing else', async () => {
    const log = new HistoryFile(path.join(folder, 'no-such-folder', 'h'), (reason) => failures.push(reason));
    for (let i = 0; i < 5; i++) {
      log.add(change(i));
      await log.close();
    }
    expect(failures).toHaveLength(1);
    chmodSync(folder, 0o700);
  });
});

describe('a member', () => {
  it('that restarts with its folder tells what earlier processes saw, and what operators did', async () => {
    const cluster = await Cluster.start(['a'], { keeps: true });
    try {
      const first = cluster.member('a');
      const token = await new Promise<bigint>((begun) => {
        const work = ({ token: own, signal }: Leadership): Promise<void> => {
          begun(own);
          return new Promise((stop) => signal.addEventListener('abort', () => stop(), { once: true }));
        };
        first
          .election()
          .lead(work)
          .catch(() => {});
      });
      await fetch(`${first.url}/resign`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      await cluster.leave('a');
      const second = await cluster.join('a');
      const answer = (await (await fetch(`${second.url}/history`)).json()) as {
        history: { token: string | null; cause: string; about?: string }[];
        acts: { what: string }[];
      };
      expect(answer.history).toContainEqual(expect.objectContaining({ token: String(token), cause: 'won' }));
      expect(answer.history).toContainEqual(expect.objectContaining({ cause: 'closed', about: 'member' }));
      expect(answer.acts).toEqual([expect.objectContaining({ what: 'resign', from: '127.0.0.1' })]);
      // Counters count what this process has seen.
      expect(second.electionPort('main').history.every((each) => each.token !== token)).toBe(true);
    } finally {
      await cluster.close();
    }
  });
});
