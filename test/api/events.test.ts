import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readEvents, type ServerEvent } from '../../src/api/wire/index.ts';

async function read(...chunks: readonly string[]): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const event of readEvents(Readable.from(chunks))) events.push(event);
  return events;
}

const STREAM = 'retry: 1000\n\nevent: state\ndata: {"a":1}\n\n: still here\n\ndata:1\ndata: 2\n\n';
const EVENTS = [
  { name: 'state', data: '{"a":1}' },
  { name: 'message', data: '1\n2' },
];

describe('a stream of server-sent events', () => {
  it('is read as it was written, without what is said to its reader only', async () => {
    expect(await read(STREAM)).toEqual(EVENTS);
  });

  it('may come in any pieces', async () => {
    expect(await read(...STREAM)).toEqual(EVENTS);
    for (let at = 1; at < STREAM.length; at++)
      expect(await read(STREAM.slice(0, at), STREAM.slice(at))).toEqual(EVENTS);
  });

  it('ends with its last whole event', async () => {
    expect(await read(`${STREAM}event: state\ndata: {"a":`)).toEqual(EVENTS);
  });
});
