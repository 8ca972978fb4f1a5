import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../src/member/index.ts';
import { readOptions, type Settled } from '../../src/member/options.ts';
import { rehearseElection } from '../../src/member/rehearsal.ts';

function settledWith(protocol: string, log: (entry: LogEntry) => void = () => {}): Settled {
  return readOptions({
    protocol,
    id: 'a',
    listen: { port: 0 },
    url: 'http://127.0.0.1:1',
    peers: [{ id: 'b', url: 'http://127.0.0.1:2' }],
    log,
  });
}

describe('a rehearsal', () => {
  it('elects a leader, another after its resignation, and another after the death of that one', async () => {
    for (let i = 0; i < 20; i++) expect(await rehearseElection(settledWith('quorum'))).toBe(3);
  });

  it.each(['epoch', 'bully', 'ring', 'chang-roberts', 'draw'])('ends with %s too', async (protocol) => {
    expect(await rehearseElection(settledWith(protocol))).toBeLessThanOrEqual(3);
  });

  it('logs nothing', async () => {
    const entries: LogEntry[] = [];
    await rehearseElection(settledWith('quorum', (entry) => entries.push(entry)));
    expect(entries).toEqual([]);
  });
});
