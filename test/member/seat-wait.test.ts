import { describe, expect, it } from 'vitest';
import type { MemberId, View } from '../../src/core/index.ts';
import { SeatWait } from '../../src/member/seat-wait.ts';
import { VirtualClock } from './virtual.ts';

const WHY = 'the first start of a cluster, or a start after disks were lost, needs';

function view(role: View['role'], members?: readonly MemberId[]): View {
  return {
    role,
    leader: null,
    term: 0,
    lease: null,
    version: 0,
    value: null,
    ...(members === undefined ? {} : { members }),
  };
}

function waitOf(...members: MemberId[]): { clock: VirtualClock; wait: SeatWait } {
  return { clock: new VirtualClock(), wait: new SeatWait({ id: members[0]!, members, settings: {} }) };
}

describe('a member without a seat', () => {
  it('says after a second for whom it waits, once, and again when the list changes', () => {
    const { clock, wait } = waitOf(1, 2, 3);
    const none = view('none', [1, 2, 3]);
    expect(wait.news(none, clock)).toBeNull();
    clock.advance(999);
    expect(wait.news(none, clock)).toBeNull();
    clock.advance(1);
    expect(wait.news(none, clock)).toBe(`waiting for 2, 3: ${WHY} 3 of its 3 members`);
    clock.advance(60_000);
    expect(wait.news(none, clock)).toBeNull();
    wait.onHeard(2);
    expect(wait.news(none, clock)).toBe(`waiting for 3: ${WHY} 3 of its 3 members`);
    wait.onHeard(3);
    expect(wait.news(none, clock)).toBeNull();
  });

  it('says how many of its members a cluster needs', () => {
    for (const [n, needed] of [
      [2, 2],
      [3, 3],
      [4, 4],
      [5, 4],
      [6, 5],
      [7, 5],
    ] as const) {
      const members = Array.from({ length: n }, (_, i) => i + 1);
      const { clock, wait } = waitOf(...members);
      wait.news(view('none'), clock); // It has not reported yet: those that it was configured with count.
      clock.advance(1000);
      expect(wait.news(view('none'), clock)).toMatch(new RegExp(`${WHY} ${needed} of its ${n} members$`));
    }
  });

  it('says nothing if it has all that it was told of, or has a seat, or was removed', () => {
    const { clock, wait } = waitOf('a');
    wait.news(view('none'), clock);
    clock.advance(5000);
    expect(wait.news(view('none'), clock)).toBeNull();
    const two = waitOf('a', 'b');
    for (const each of [view('follower', ['a', 'b']), view('none', ['b', 'c'])]) {
      two.wait.news(each, two.clock);
      two.clock.advance(5000);
      expect(two.wait.news(each, two.clock)).toBeNull();
    }
  });

  it('waits again for a member that is gone before the cluster had all that it needs', () => {
    const { clock, wait } = waitOf(1, 2, 3);
    const none = view('none', [1, 2, 3]);
    wait.news(none, clock);
    wait.onHeard(2);
    wait.onHeard(3);
    clock.advance(1000);
    expect(wait.news(none, clock)).toBeNull();
    wait.onGone(3);
    expect(wait.news(none, clock)).toBe(`waiting for 3: ${WHY} 3 of its 3 members`);
    wait.onHeard(3);
    expect(wait.news(none, clock)).toBeNull();
    wait.onGone(3);
    expect(wait.news(none, clock)).toBe(`waiting for 3: ${WHY} 3 of its 3 members`);
  });

  it('waits for none that the cluster does not need', () => {
    const { clock, wait } = waitOf(1, 2, 3, 4, 5);
    const none = view('none', [1, 2, 3, 4, 5]);
    wait.news(none, clock);
    clock.advance(1000);
    wait.onHeard(2);
    wait.onHeard(3);
    expect(wait.news(none, clock)).toBe(`waiting for 4, 5: ${WHY} 4 of its 5 members`);
    wait.onHeard(4);
    expect(wait.news(none, clock)).toBeNull();
  });

  it('begins anew when it loses its seat: those heard before may be gone', () => {
    const { clock, wait } = waitOf('a', 'b', 'c');
    const none = view('none', ['a', 'b', 'c']);
    wait.onHeard('b');
    wait.news(view('follower', ['a', 'b', 'c']), clock);
    clock.advance(5000);
    expect(wait.news(none, clock)).toBeNull();
    clock.advance(1000);
    expect(wait.news(none, clock)).toMatch(/^waiting for b, c: /);
  });
});
