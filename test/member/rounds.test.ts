import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Rounds } from '../../src/member/rounds.ts';

const many = Array.from({ length: 100 }, (_, i) => i);

describe('news for many elections', () => {
  it('reaches a few at once, and the others in turns of their own', async () => {
    const rounds = new Rounds<number>(() => 0);
    const heard: number[] = [];
    rounds.add(many, (each) => heard.push(each));
    expect(heard).toEqual(many.slice(0, 16));
    while (heard.length < many.length) await setImmediate();
    expect(heard).toEqual(many);
    rounds.add([7], (each) => heard.push(each));
    expect(heard.at(-1)).toBe(7);
  });

  it('reaches fewer in a turn in which each of them takes long, but at least one', async () => {
    let nowMs = 0;
    const rounds = new Rounds<number>(() => nowMs);
    const heard: number[] = [];
    const slow = (each: number): void => {
      heard.push(each);
      nowMs += each < 20 ? 1 : 10;
    };
    rounds.add(many, slow);
    expect(heard).toHaveLength(3);
    await setImmediate();
    expect(heard).toHaveLength(6);
    while (heard.length < 60) await setImmediate();
    const before = heard.length;
    await setImmediate();
    expect(heard).toHaveLength(before + 1);
    rounds.close();
  });

  it('says which of them have yet to hear of it', async () => {
    const rounds = new Rounds<number>(() => 0);
    rounds.add(many, () => {});
    expect(many.filter((each) => rounds.isWaiting(each))).toEqual(many.slice(16));
    rounds.settle(99);
    expect(rounds.isWaiting(99)).toBe(false);
    while (rounds.isWaiting(98)) await setImmediate();
  });

  it('waits for its turn with what is added while another one hears', async () => {
    const rounds = new Rounds<number>(() => 0);
    const heard: string[] = [];
    rounds.add([1, 2], (each) => {
      heard.push(`${each}`);
      if (each === 1) rounds.add([3], () => heard.push('3'));
    });
    expect(heard).toEqual(['1', '2', '3']);
  });

  it('reaches each of them in the order in which it came, and before a message', async () => {
    const rounds = new Rounds<number>(() => 0);
    const heard: string[] = [];
    rounds.add(many, (each) => heard.push(`${each} gone`));
    rounds.add(many, (each) => heard.push(`${each} back`));
    rounds.settle(99);
    expect(heard.slice(16)).toEqual(['99 gone', '99 back']);
    while (heard.length < 2 * many.length) await setImmediate();
    for (const each of many)
      expect(heard.filter((line) => line.startsWith(`${each} `))).toEqual([`${each} gone`, `${each} back`]);
  });

  it('reaches none after the end', async () => {
    const rounds = new Rounds<number>(() => 0);
    const heard: number[] = [];
    rounds.add(many, (each) => heard.push(each));
    rounds.close();
    await setImmediate();
    await setImmediate();
    expect(heard).toHaveLength(16);
  });
});
