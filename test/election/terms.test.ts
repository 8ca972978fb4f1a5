/** election.terms: leaderships one after the other, as a loop. */
import { describe, expect, it } from 'vitest';
import { CaucusError, Election, type Leadership } from '../../src/election/index.ts';
import { Memory } from '../../src/engines/memory/memory.ts';
import { join } from '../../src/member/index.ts';

describe('terms', () => {
  it('are one after the other, and the end of the body releases what is still held', async () => {
    const memory = new Memory();
    const [a, b] = ['a', 'b'].map((name) => new Election('job', memory.engine({ name })));
    const tokens: bigint[] = [];
    const stop = new AbortController();
    const order: string[] = [];
    const loop = async (election: Election): Promise<void> => {
      for await (const { token, isValid } of election.terms({ signal: stop.signal })) {
        order.push(`${election.self} ${isValid()}`);
        tokens.push(token);
        await new Promise((resolve) => setImmediate(resolve));
        if (tokens.length === 4) stop.abort();
      }
    };
    await Promise.all([a!, b!].map(loop));
    expect(tokens).toEqual([1n, 2n, 3n, 4n]);
    expect(order.every((each) => each.endsWith('true'))).toBe(true);
    expect([a!.leadership, b!.leadership]).toEqual([null, null]);
    await Promise.all([a!.close(), b!.close()]);
  });

  it('end when the signal is aborted, also in the middle of one and before the first', async () => {
    const memory = new Memory();
    const election = new Election('job', memory.engine());
    const stop = new AbortController();
    const told: string[] = [];
    for await (const term of election.terms({ signal: stop.signal })) {
      setImmediate(() => stop.abort());
      const { cause, detail } = await term.ended;
      told.push(cause, detail);
    }
    expect(told).toEqual(['resigned', 'its program ended its candidacy']);
    for await (const _ of election.terms({ signal: stop.signal })) told.push('never');
    expect(told).toHaveLength(2);
    await election.close();
    for await (const _ of election.terms()) told.push('never');
    expect(told).toHaveLength(2);
  });

  it('are released when the loop is left, and go on after a loss', async () => {
    const memory = new Memory();
    const election = new Election('job', memory.engine());
    const held: Leadership[] = [];
    for await (const term of election.terms()) {
      held.push(term);
      if (held.length === 2) break;
      void election.resign();
      expect((await term.ended).cause).toBe('resigned');
    }
    expect(held.map(({ lost }) => lost !== null)).toEqual([true, true]);
    const failing = async (): Promise<void> => {
      for await (const term of election.terms()) {
        held.push(term);
        throw new Error('mine');
      }
    };
    await expect(failing()).rejects.toThrow('mine');
    expect(held[2]!.isValid()).toBe(false);
    await election.close();
  });
});

it('the options of an election are those of its first opening', async () => {
  const member = await join({ id: 'a' });
  const election = member.election('job', { drainMs: 50 });
  expect(member.election('job')).toBe(election);
  expect(() => member.election('job', { drainMs: 60 })).toThrow(CaucusError);
  await election.close();
  expect(member.election('job', { drainMs: 60 })).not.toBe(election);
  await member.close();
});
