/** A cluster that keeps nothing must not hand out a token again that an earlier one may have handed out. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { join } from '../../src/member/index.ts';

const START_MS = Date.UTC(2026, 5, 1);
const TENTHS = BigInt((START_MS - Date.UTC(2025, 0, 1)) / 100);

afterEach(() => vi.useRealTimers());

/** The tokens of so many leaderships of a whole cluster that starts at this time, and then stops. */
async function tokens(atMs: number, count: number, data?: string): Promise<bigint[]> {
  vi.useFakeTimers({ toFake: ['Date'], now: atMs });
  const member = await join({ id: 'a', options: { preset: 'lan' }, ...(data === undefined ? {} : { data }) });
  const election = member.election();
  const given: bigint[] = [];
  for (let i = 0; i < count; i++) {
    const leadership = await election.campaign();
    given.push(leadership.token);
    await leadership.resign();
  }
  await member.close();
  return given;
}

describe('a cluster without data folders', () => {
  it('begins with a token above all that it had before, if it had fewer than ten elections a second', async () => {
    const before = await tokens(START_MS, 9);
    expect(before[0]).toBeGreaterThan(TENTHS);
    const [first] = await tokens(START_MS + 1000, 1);
    expect(first).toBeGreaterThan(before.at(-1)!);
  });
});

describe('a cluster with data folders', () => {
  it('asks no clock for its tokens, and goes on from what it kept', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'caucus-blank-'));
    try {
      const data = path.join(folder, 'a');
      expect(await tokens(START_MS, 1, data)).toEqual([1n]);
      expect((await tokens(START_MS - 3_600_000, 1, data))[0]).toBeGreaterThan(1n);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
