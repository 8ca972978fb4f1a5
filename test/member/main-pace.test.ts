import { expect, it, vi } from 'vitest';
import { join } from '../../src/member/index.ts';

/** As many may be led before they rest. */
const MOST = 500;

it('never lets the main election wait for others of its process', async () => {
  await using member = await join({ id: 'a', peers: [] });
  const others = Array.from({ length: MOST + 100 }, (_, i) => `e${i}`);
  const names = [...others, member.mainElection];
  const seats = names.map((name) => member.seat(name));
  const acting = (): string[] => names.filter((name) => member.electionPort(name).acting);
  for (const seat of seats) seat.stand();
  await vi.waitUntil(() => acting().length === names.length, { timeout: 20_000 });
  await Promise.all(seats.map((seat) => seat.withdraw()));
  expect(acting()).toEqual([]);
  for (const seat of seats) seat.stand(); // A single member wins at once.
  expect(acting()).toEqual([...others.slice(0, MOST), member.mainElection]);
});
