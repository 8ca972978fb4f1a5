import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LogEntry } from '../../src/member/index.ts';
import { readOptions, type Settled } from '../../src/member/options.ts';
import { Rehearsals, rehearseElection } from '../../src/member/rehearsal.ts';

function settledWith(protocol: string, log: (entry: LogEntry) => void = () => {}): Promise<Settled> {
  return readOptions({
    protocol,
    id: 'a',
    listen: { port: 0 },
    url: 'http://127.0.0.1:1',
    peers: [{ id: 'b', url: 'http://127.0.0.1:2' }],
    log,
  });
}

afterEach(() => {
  vi.useRealTimers();
});

describe('the rehearsals of a process', () => {
  it('are held some times soon, and later once a minute, by the first of its members', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const settled = await settledWith('quorum');
    const [first, second] = [new Rehearsals(settled), new Rehearsals(settled)];
    const rounds = async (forMs: number): Promise<void> => {
      await vi.advanceTimersByTimeAsync(forMs);
      while (first.isBusy || second.isBusy) await new Promise((resolve) => setImmediate(resolve));
    };
    for (let round = 1; round <= 5; round++) {
      await rounds(40);
      expect([first.held, second.held]).toEqual([round, 0]);
    }
    await rounds(59_000);
    expect(first.held).toBe(5);
    await rounds(1000);
    expect(first.held).toBe(6);
    first.close();
    await rounds(60_000);
    expect([first.held, second.held]).toEqual([6, 1]);
    second.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a rehearsal', () => {
  it('elects a leader, another after its resignation, and another after the death of that one', async () => {
    for (let i = 0; i < 20; i++) expect(await rehearseElection(await settledWith('quorum'))).toBe(4);
  });

  it.each(['epoch', 'bully', 'ring', 'chang-roberts', 'draw'])('ends with %s too', async (protocol) => {
    expect(await rehearseElection(await settledWith(protocol))).toBeLessThanOrEqual(4);
  });

  it('logs nothing', async () => {
    const entries: LogEntry[] = [];
    await rehearseElection(await settledWith('quorum', (entry) => entries.push(entry)));
    expect(entries).toEqual([]);
  });
});
