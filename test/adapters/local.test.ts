/** onlyLeader among real processes: as PM2 starts them, and as workers of node:cluster. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onlyLeader } from '../../src/adapters/local/index.ts';

const program = path.join(import.meta.dirname, 'support/only-leader-process.ts');
let folder: string;
const children: { readonly pid: number; readonly closed: Promise<unknown> }[] = [];

interface Line {
  readonly pid: number;
  readonly began?: string;
  readonly ended?: string;
}

let lines: Line[];
const began = (): Line[] => lines.filter((line) => line.began !== undefined);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-local-'));
  lines = [];
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {} // It has ended.
    await child.closed;
  }
  rmSync(folder, { recursive: true, force: true });
});

function start(args: string[], file = program): void {
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  // Closed when its workers have ended too, which share its output.
  children.push({ pid: child.pid!, closed: once(child, 'close') });
  createInterface({ input: child.stdout! }).on('line', (line) => {
    lines.push(line.startsWith('{') ? JSON.parse(line) : { pid: child.pid!, began: line });
  });
}

describe('onlyLeader', () => {
  it('runs in one of three processes, in another when that is killed, and in the last when that is asked to end', async () => {
    for (let i = 0; i < 3; i++) start([folder]);
    await expect.poll(() => began().length).toBe(1);
    process.kill(began()[0]!.pid, 'SIGKILL');
    await expect.poll(() => began().length).toBe(2);
    process.kill(began()[1]!.pid, 'SIGTERM');
    await expect.poll(() => began().length).toBe(3);
    expect(lines.find((line) => line.ended)).toEqual({ pid: began()[1]!.pid, ended: 'resigned' });
    expect(new Set(began().map((line) => line.pid)).size).toBe(3);
    const tokens = began().map((line) => BigInt(line.began!));
    expect(tokens).toEqual([tokens[0], tokens[0]! + 1n, tokens[0]! + 2n]);
  });

  it('survives the death of a worker of node:cluster', async () => {
    start([folder, 'cluster']);
    await expect.poll(() => began().length).toBe(1);
    process.kill(began()[0]!.pid, 'SIGKILL');
    await expect.poll(() => began().length).toBe(2);
    expect(began()[1]!.pid).not.toBe(began()[0]!.pid);
  });

  it('is what the example shows', async () => {
    // Its folder is that of the user, so other processes could wait there too: it only has to lead once.
    start([], path.resolve(import.meta.dirname, '../../examples/adapters/only-leader.ts'));
    await expect.poll(() => lines.length).toBeGreaterThan(0);
    expect(lines[0]!.began).toMatch(/^\d+ leads with token \d+$/);
  });

  it('settles with the result of a function, and then lets the next one run', async () => {
    const order: string[] = [];
    const work = (name: string) => async (): Promise<string> => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
      return name;
    };
    const results = await Promise.all(
      ['a', 'b'].map((name) => onlyLeader('nightly', work(name), { folder })),
    );
    expect(results).toEqual(['a', 'b']);
    expect(order.map((each) => each.split(' ')[1])).toEqual(['begins', 'ends', 'begins', 'ends']);
  });

  it('rejects with what the work throws, and resolves with undefined when its signal is aborted', async () => {
    const fails = onlyLeader('nightly', () => Promise.reject(new Error('no paper')), { folder });
    await expect(fails).rejects.toThrow('no paper');
    const stop = new AbortController();
    const told: string[] = [];
    const shift = { start: () => stop.abort(), stop: (why: Error) => told.push(why.message) };
    expect(await onlyLeader('nightly', shift, { folder, signal: stop.signal })).toBe(undefined);
    expect(told).toEqual(['no longer leading nightly: its program ended its candidacy']);
    expect(await onlyLeader('nightly', () => 'never', { folder, signal: stop.signal })).toBe(undefined);
  });

  it('refuses names that it cannot use', async () => {
    await expect(onlyLeader('a b', () => {}, { folder })).rejects.toThrow(
      'election: expected a name of 1 to 64',
    );
    await expect(onlyLeader('a', () => {}, { folder: 'x' })).rejects.toThrow(
      'url: expected an absolute path',
    );
  });
});
