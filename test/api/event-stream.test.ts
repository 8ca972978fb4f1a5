/** When a stream of events gives up on its reader: a mounted member has no limit of connections that would. */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventStream } from '../../src/api/event-stream.ts';

/** The side of the server, with a reader that takes nothing while `writableNeedDrain`. */
class Response extends EventEmitter {
  writableNeedDrain = false;
  isDestroyed = false;
  written = 0;
  writeHead(): this {
    return this;
  }
  write(): boolean {
    this.written++;
    return !this.writableNeedDrain;
  }
  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }
  reads(): void {
    this.writableNeedDrain = false;
    this.emit('drain');
  }
}

let response: Response;
let closed: number;

beforeEach(() => {
  vi.useFakeTimers();
  response = new Response();
  closed = 0;
  new EventStream(response as unknown as ServerResponse, 5000, { drain: () => {}, close: () => closed++ });
});
afterEach(() => vi.useRealTimers());

describe('a reader of a stream', () => {
  it('that takes nothing for ten seconds is disconnected, and nothing is left running for it', () => {
    response.writableNeedDrain = true;
    vi.advanceTimersByTime(9000);
    expect(response.isDestroyed).toBe(false);
    vi.advanceTimersByTime(3000);
    expect([response.isDestroyed, closed, vi.getTimerCount()]).toEqual([true, 1, 0]);
  });

  it('that is slow, but takes something now and then, stays', () => {
    for (let i = 0; i < 10; i++) {
      response.writableNeedDrain = true;
      vi.advanceTimersByTime(8000);
      response.reads();
    }
    vi.advanceTimersByTime(60_000);
    expect([response.isDestroyed, closed]).toEqual([false, 0]);
  });

  it('that has nothing to read stays, and is sent heartbeats; one that is behind is not', () => {
    const before = response.written;
    vi.advanceTimersByTime(20_000);
    expect([response.written - before, response.isDestroyed]).toEqual([4, false]);
    response.writableNeedDrain = true;
    vi.advanceTimersByTime(6000);
    expect(response.written - before).toBe(4);
  });
});
