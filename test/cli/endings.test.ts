import { describe, expect, it } from 'vitest';
import { Endings } from '../../src/cli/up/endings.ts';

const won = (leader: number, token: string): object => ({ leader, token, cause: 'won', detail: 'it leads' });
const lost = (cause: string, detail: string): object => ({ leader: null, token: null, cause, detail });

describe('the ends of leaderships', () => {
  const endings = new Endings();
  const hear = (id: number, change: object): void =>
    endings.hear({ at: '', event: 'change', id, text: '', ...change });
  hear(3, won(3, '8'));
  hear(2, won(3, '8'));
  hear(3, lost('event-loop-blocked', 'the event loop was blocked for 87 ms'));
  hear(2, lost('transferred', '3 hands over to 2'));
  hear(2, won(2, '9'));
  hear(2, lost('transferred', 'the leadership is handed to 1'));

  it('are told in the words of those who led, where others only know that they were handed the lead', () => {
    expect(endings.explain([won(3, '8'), lost('transferred', '3 hands over to 2'), won(2, '9')])).toEqual([
      won(3, '8'),
      lost('event-loop-blocked', '3 hands over to 2: the event loop was blocked for 87 ms'),
      won(2, '9'),
    ]);
  });

  it('are left as they are told where that says it all, or nothing is known', () => {
    for (const history of [
      [won(2, '9'), lost('transferred', '2 hands over to 1')],
      [won(1, '7'), lost('transferred', '1 hands over to 3')],
      [won(3, '8'), lost('lease-expired', 'nothing was heard of 3 in time')],
      [lost('transferred', '3 hands over to 2')],
      [],
    ]) {
      expect(endings.explain(history)).toEqual(history);
    }
  });

  it('forget what is older than any history', () => {
    for (let token = 10; token < 1011; token += 1) {
      hear(1, won(1, String(token)));
      hear(1, lost('lost-quorum', 'no majority'));
    }
    const handed = lost('transferred', '3 hands over to 2');
    expect(endings.explain([won(3, '8'), handed])).toEqual([won(3, '8'), handed]);
  });
});
