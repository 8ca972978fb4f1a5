/** What the logs say when a member comes back with another disk. */
import { rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { Cluster } from '../support/cluster.ts';

let cluster: Cluster | null = null;
afterEach(async () => {
  await cluster?.close();
  cluster = null;
});

/** The leader needs to be heard by all before it gives seats. */
async function threeSeated(): Promise<Cluster> {
  const made = await Cluster.start(['a', 'b', 'c'], { keeps: true });
  cluster = made;
  void made
    .member('a')
    .election()
    .lead(({ signal }) => new Promise<void>((stop) => signal.addEventListener('abort', () => stop())))
    .catch(() => {});
  await seated(made);
  return made;
}

const seated = (made: Cluster): Promise<unknown> =>
  made.until(() =>
    made.members.every(({ id, elections }) =>
      elections.some(({ view }) => view.leader === 'a' && (id === 'a' || view.role === 'follower')),
    ),
  );

const seatLines = ({ log }: Cluster): string[] => log.filter((line) => / now has its seat/.test(line)).sort();

describe('a member that comes back', () => {
  it('with another disk: every member says once that the disknow has its seatthe seat', async () => {
    const made = await threeSeated();
    expect(seatLines(made)).toEqual([]);
    await made.leave('c');
    rmSync(made.dataOf('c'), { recursive: true });
    await made.join('c');
    await seated(made);
    await made.until(() => seatLines(made).length >= 3);
    const line = 'main: c came back with another disk, which now has its seat';
    expect(seatLines(made)).toEqual([`a: ${line}`, `b: ${line}`, `c: ${line}`]);
    // Started again on the disk that it has now, there is nothing more to say.
    for (const id of ['b', 'c']) {
      await made.leave(id);
      await made.join(id);
    }
    await seated(made);
    expect(seatLines(made)).toHaveLength(3);
  });

  it('with its own disk: nothing is said', async () => {
    const made = await threeSeated();
    await made.leave('c');
    await made.join('c');
    await seated(made);
    expect(seatLines(made)).toEqual([]);
  });
});
