/** Which connection gives way if too many have not proven themselves. */
import { describe, expect, it } from 'vitest';
import { type Stranger, Strangers } from '../../src/member/links/strangers.ts';

const from = (address: string): Stranger => ({ address });

describe('of too many strangers', () => {
  it('one of the address that has the most gives way, and none of another', () => {
    const strangers = new Strangers(5);
    const member = from('10.0.0.2');
    expect(strangers.add(member)).toBe(null);
    for (let i = 0; i < 4; i++) expect(strangers.add(from('10.0.0.9'))).toBe(null);
    for (let i = 0; i < 1000; i++) expect(strangers.add(from('10.0.0.9'))?.address).toBe('10.0.0.9');
    const late = from('10.0.0.3');
    expect(strangers.add(late)?.address).toBe('10.0.0.9');
    expect(strangers.add(from('10.0.0.9'))?.address).toBe('10.0.0.9');
  });

  it('none is certain to be the next, where all have one address', () => {
    for (const at of [0, 0.5, 0.999]) {
      const strangers = new Strangers(64, () => at);
      const all = Array.from({ length: 64 }, () => from('127.0.0.1'));
      for (const each of all) strangers.add(each);
      expect(all.indexOf(strangers.add(from('127.0.0.1'))!)).toBe(Math.floor(at * 64));
    }
  });

  it('the newcomer stays, and those that are gone take no place', () => {
    const strangers = new Strangers(1, () => 0);
    const [one, two, three] = [from('a'), from('a'), from('a')];
    strangers.add(one);
    expect(strangers.add(two)).toBe(one);
    strangers.delete(two);
    expect(strangers.add(three)).toBe(null);
  });
});
