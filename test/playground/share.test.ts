import { describe, expect, it } from 'vitest';
import type { Run } from '../../playground/src/game/run/run.ts';
import { decodeShare, encodeShare } from '../../playground/src/game/run/share.ts';

const RUN: Run = {
  protocol: 'epoch',
  members: 5,
  seed: 42,
  untilMs: 9000,
  events: [
    { atMs: 4000, do: 'cut', from: 1, to: 3 },
    { atMs: 5000, do: 'restart', member: 2, amnesia: true },
  ],
};

/** Why a link is refused. A run that is taken instead is not printed: one of megabytes would take minutes. */
const refusalOf = (link: string): Promise<string> => decodeShare(link).then(() => 'it is taken', String);

describe('a link', () => {
  it('gives back the run and the moment, and is short', async () => {
    const link = await encodeShare({ run: RUN, atMs: 4500 });
    expect(link).toMatch(/^v1\.[\w-]+$/);
    expect(link.length).toBeLessThan(400);
    expect(await decodeShare(link)).toEqual({ run: RUN, atMs: 4500 });
  });

  it('says in words what is wrong with it', async () => {
    const good = await encodeShare({ run: RUN, atMs: 0 });
    await expect(decodeShare('v9.abc')).rejects.toThrow(
      'link: expected one that begins with #v1., found #v9.abc',
    );
    for (const bad of ['v1.', 'v1.!!!', 'v1.AAAA', good.slice(0, -9), `v1.x${good.slice(4)}`]) {
      await expect(decodeShare(bad)).rejects.toThrow(/^link: expected a run, whole and unchanged/);
    }
    const foreign = await encodeShare({ run: { ...RUN, protocol: 'paxos' }, atMs: 0 });
    await expect(decodeShare(foreign)).rejects.toThrow(/protocol: expected one of/);
  });

  it('holds no run that would keep a page busy for long', async () => {
    const many = (events: number, members: number): Run => ({
      ...RUN,
      members,
      events: Array.from(
        { length: events },
        () => ({ atMs: 1, do: 'partition', groups: [[1], [2]] }) as const,
      ),
    });
    await expect(encodeShare({ run: many(10_000, 5), atMs: 0 }).then(decodeShare)).resolves.toBeDefined();
    const slow = await encodeShare({ run: many(10_000, 100), atMs: 0 });
    expect(slow.length).toBeLessThan(3000);
    expect(await refusalOf(slow)).toMatch(/10000 events for 100 members/);
  });

  it('unfolds to no more than a page can hold', async () => {
    const huge = { ...RUN, events: [{ atMs: 1, do: 'publish', value: ' '.repeat(5_000_000) } as const] };
    const link = await encodeShare({ run: huge, atMs: 0 });
    expect(link.length).toBeLessThan(20_000);
    expect(await refusalOf(link)).toMatch(/at most 2000000 bytes when unpacked/);
  });
});
