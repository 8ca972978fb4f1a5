import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { calm, open } from './support.ts';

describe('a value that nobody could have published', () => {
  it('counts as nothing, and harms nobody', async () => {
    const { seat, election } = open();
    const nested = (levels: number): Json => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    const observing = election.observe();
    await observing.next();
    seat.change({ value: nested(20_000), version: 1 });
    expect((await observing.next()).value).toMatchObject({ value: null, version: 1 });
    expect(election.value).toBeNull();
    const deepest = nested(100);
    seat.change({ value: deepest, version: 2 });
    expect((await observing.next()).value).toMatchObject({ value: deepest, version: 2 });
  });
});

describe('observe', () => {
  it('gives how it stands now, then every change, also that nobody leads', async () => {
    const { seat, election } = open();
    const seen: [string | null, bigint | null, boolean][] = [];
    const reading = (async () => {
      for await (const { leader, token, isSelf } of election.observe()) seen.push([leader, token, isSelf]);
    })();
    await calm();
    seat.win();
    await calm();
    seat.change({}); // A renewal is no news.
    await calm();
    seat.lose('deposed', 'b leads', 'b');
    await calm();
    seat.lose('lost-quorum', 'b is gone');
    await calm();
    await election.close();
    await reading;
    expect(seen).toEqual([
      [null, null, false],
      ['a', 1n, true],
      ['b', 2n, false],
      [null, null, false],
    ]);
  });

  it('gives a slow reader what is newest, and never loses it', async () => {
    const { seat, election } = open();
    const reader = election.observe();
    expect((await reader.next()).value).toMatchObject({ leader: null });
    for (const name of ['b', 'c', 'd']) seat.lose('won', `${name} was elected`, name);
    expect((await reader.next()).value).toMatchObject({ leader: 'd' });
    const pending = reader.next();
    seat.lose('won', 'e was elected', 'e');
    expect((await pending).value).toMatchObject({ leader: 'e' });
  });

  it('shows the last change before it ends', async () => {
    const { seat, election } = open();
    const reader = election.observe();
    await reader.next();
    seat.lose('won', 'b was elected', 'b');
    await election.close();
    expect(await reader.next()).toMatchObject({ done: false, value: { leader: 'b' } });
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it('ends with its signal, or when its reader leaves, also in the middle of a wait', async () => {
    const { election } = open();
    const controller = new AbortController();
    const reader = election.observe({ signal: controller.signal });
    await reader.next();
    const [one, two] = [reader.next(), reader.next()];
    controller.abort();
    expect(await one).toEqual({ done: true, value: undefined });
    expect(await two).toEqual({ done: true, value: undefined });

    const other = election.observe({ signal: new AbortController().signal });
    await other.next();
    const waiting = other.next();
    expect(await other.return!()).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await election.observe({ signal: controller.signal }).next()).toMatchObject({ done: true });
  });

  it('leaves no listener on a signal that lives on', async () => {
    const { election } = open();
    const { signal } = new AbortController();
    for (let i = 0; i < 50; i++) for await (const _ of election.observe({ signal })) break;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('finds the signal of a lost leadership aborted already', async () => {
    const { seat, election } = open();
    const waiting = election.campaign();
    seat.win();
    const leadership = await waiting;
    const reader = election.observe();
    await reader.next();
    const next = reader.next().then(({ value }) => [value?.leader, leadership.signal.aborted]);
    seat.lose('deposed', 'b leads', 'b');
    expect(await next).toEqual(['b', true]);
    await leadership.resign();
  });

  it('goes to any number of readers over any number of elections', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): number => warnings.push(warning);
    process.on('warning', note);
    const shutdown = new AbortController();
    const all = Array.from({ length: 200 }, () => open());
    const ended = all.map(async ({ seat, election }) => {
      const led = election.lead(({ token }) => token, { signal: shutdown.signal });
      const reader = election.observe({ signal: shutdown.signal });
      await reader.next();
      seat.win();
      const [token, next] = [await led, await reader.next()];
      expect([token, next.done]).toEqual([1n, false]);
      await reader.return!();
    });
    await Promise.all(ended);
    await calm();
    process.off('warning', note);
    expect(warnings).toEqual([]);
    expect(getEventListeners(shutdown.signal, 'abort')).toHaveLength(0);
  });

  it('shows a value that nobody can change, whoever published it', async () => {
    const { seat, election } = open();
    const waiting = election.campaign();
    seat.win();
    const leadership = await waiting;
    const given = { shards: [{ on: 'a' }] };
    await leadership.publish(given);
    given.shards[0]!.on = 'mine';
    expect(election.value).toEqual({ shards: [{ on: 'a' }] });
    seat.change({ value: { deep: [{ from: 'another' }] }, version: 2 });
    const reader = election.observe();
    const shown = [election.value, (await reader.next()).value?.value] as { deep: [{ from: string }] }[];
    for (const value of shown) {
      expect(() => {
        value.deep[0].from = 'here';
      }).toThrow(TypeError);
    }
    expect(election.value).toEqual({ deep: [{ from: 'another' }] });
    await leadership.resign();
  });
});
