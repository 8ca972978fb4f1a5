import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { drawName } from '../../src/member/draw-name.ts';
import { LocalSocket, Meeting } from '../../src/member/links/local-socket.ts';

const closing: { close(): void }[] = [];

afterEach(() => {
  for (const each of closing.splice(0)) each.close();
});

/** A process whose local socket ends the first connection at once, as one does that was blocked for too long. */
function blockedOnce(name: string): string[] {
  const tokens: string[] = [];
  const open: Socket[] = [];
  const server = createServer((socket) => {
    const token = drawName();
    tokens.push(token);
    open.push(socket);
    if (tokens.length === 1) socket.end(token);
    else socket.write(token);
  });
  server.listen({ path: `\0${name}` });
  closing.push({ close: () => void server.close() });
  closing.push({ close: () => open.forEach((each) => void each.destroy()) });
  return tokens;
}

describe('a meeting with a process of this kernel', () => {
  it('is confirmed by the token that the other process drew', async () => {
    const other = new LocalSocket();
    closing.push(other);
    const asked: string[] = [];
    const meeting = new Meeting(other.name, (token) => asked.push(token));
    closing.push(meeting);
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    expect(other.drew(asked[0]!)).toBe(true);
    expect(meeting.isConfirmedBy(asked[0]!)).toBe(true);
    expect(meeting.isConfirmedBy(drawName())).toBe(false);
  });

  it('is tried again if it ended before it was confirmed: else the death of that process would never be proven', async () => {
    const name = `caucus-${drawName()}`;
    const tokens = blockedOnce(name);
    const asked: string[] = [];
    const meeting = new Meeting(name, (token) => asked.push(token));
    closing.push(meeting);
    await vi.waitFor(() => expect(asked).toHaveLength(2), { timeout: 15_000 });
    expect(asked).toEqual(tokens);
    expect(meeting.isConfirmedBy(asked[0]!)).toBe(false);
    expect(meeting.isConfirmedBy(asked[1]!)).toBe(true);
  });

  it('asks for nothing where no such process is', async () => {
    const closed = vi.fn();
    closing.push(new Meeting(`caucus-${drawName()}`, () => expect.unreachable(), closed));
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
  });
});
