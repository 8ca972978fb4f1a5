import { describe, expect, it } from 'vitest';
import type { TraceLine } from '../../src/core/index.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { type Happening, readScenario, World } from '../../src/simulation/index.ts';
import { Queue } from '../../src/simulation/queue.ts';

const BASE = { protocol: 'epoch', members: 3, network: { latencyMs: 100 } };

/** The first vote request to leave, and what the trace says from then on. */
function firstRequest(): Happening {
  let found: Happening | null = null;
  const scheduled = (each: Happening): void => {
    if (each.kind === 'deliver' && each.message!.type === 'vote-request') found ??= each;
  };
  const world = new World(readScenario(BASE, catalogue), 1, { scheduled });
  world.runUntil(5000);
  return found!;
}

function runWith(event: object): { lines: TraceLine[]; world: World } {
  const lines: TraceLine[] = [];
  const scenario = readScenario({ ...BASE, events: [event] }, catalogue);
  const world = new World(scenario, 1, { trace: (line) => lines.push(line) });
  world.runUntil(5000);
  return { lines, world };
}

const arrivals = (lines: readonly TraceLine[], { from, host }: Happening): number =>
  lines.filter(
    (line) =>
      'input' in line &&
      line.member === host.id &&
      line.input.type === 'message' &&
      line.input.from === from &&
      line.input.message.type === 'vote-request',
  ).length;

describe('a message on its way', () => {
  const request = firstRequest();
  const atMs = request.atUs / 1000 - 50;
  const flight = request.seq;

  it('arrives once if nobody touches it', () => {
    const { lines } = runWith({ atMs, do: 'heal' });
    expect(arrivals(lines, request)).toBe(1);
  });

  it('is dropped', () => {
    const { lines } = runWith({ atMs, do: 'drop', flight });
    expect(arrivals(lines, request)).toBe(0);
    const { from, host } = request;
    expect(lines).toContainEqual({
      atMs,
      event: { do: 'dropped', from, to: host.id, type: 'vote-request', flight },
    });
  });

  it('is held, and released by hand', () => {
    const { lines, world } = runWith({ atMs, do: 'hold', flight });
    expect(arrivals(lines, request)).toBe(0);
    world.act({ do: 'release', type: 'vote-request' });
    world.runUntil(5001);
    expect(arrivals(lines, request)).toBe(1);
  });

  it('is duplicated', () => {
    const { lines } = runWith({ atMs, do: 'duplicate', flight });
    expect(arrivals(lines, request)).toBe(2);
  });

  it('is said not to be there once it has arrived', () => {
    const { lines } = runWith({ atMs: atMs + 60, do: 'drop', flight });
    expect(lines).toContainEqual({
      atMs: atMs + 60,
      event: { do: 'drop', skipped: 'not-in-flight', flight },
    });
  });

  it('is named alone', () => {
    const event = { atMs: 1, do: 'drop', flight: 3, type: 'vote' };
    expect(() => readScenario({ ...BASE, events: [event] }, catalogue)).toThrow(
      /events\[0\]\.type: expected either a message on its way or messages to come/,
    );
  });
});

describe('the queue', () => {
  it('keeps its order whatever is taken out of the middle', () => {
    for (let hole = 0; hole < 60; hole++) {
      const queue = new Queue<{ atUs: number; seq: number }>();
      for (let i = 0; i < 60; i++) queue.push({ atUs: (i * 37) % 23, seq: 0 });
      expect(queue.remove((each) => each.seq === hole)?.seq).toBe(hole);
      const left = Array.from({ length: 59 }, () => queue.pop()!);
      const sorted = left.toSorted((a, b) => a.atUs - b.atUs || a.seq - b.seq);
      expect(left).toEqual(sorted);
      expect(queue.pop()).toBeUndefined();
    }
  });
});
