/** One call for many elections: who is carried with whom, from when an answer counts, and what one cannot do to another. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type Carried, type Share, SharedCall } from '../../src/engines/lease/shared-call.ts';
import { calm, HandClock } from '../election/support.ts';

const [EVERY_MS, CALL_MS, LASTS_MS, MOST] = [5000, 3000, 14_000, 1000];

/** A request as the store got it. */
interface Sent {
  readonly atMs: number;
  readonly items: readonly string[];
  readonly signal: AbortSignal;
  /** Answers for all that are not named with `ok`, and for the others with what is said. */
  answer(others?: Readonly<Record<string, string | Error>>): Promise<void>;
  fail(reason: string): Promise<void>;
}

let clock: HandClock;
let sent: Sent[];
let shared: SharedCall<string, string>;
let told: string[];
let answersAtOnce: boolean;

beforeEach(() => {
  answersAtOnce = false;
  clock = new HandClock();
  sent = [];
  told = [];
  shared = new SharedCall({
    ...{ clock, everyMs: EVERY_MS, callMs: CALL_MS, lastsMs: LASTS_MS, most: MOST },
    send(items, signal) {
      const ends = items.map(() => deferred());
      sent.push({
        ...{ atMs: clock.now(), items, signal },
        async answer(others = {}) {
          for (const [index, item] of items.entries()) {
            const said = others[item] ?? 'ok';
            if (said instanceof Error) ends[index]!.reject(said);
            else ends[index]!.resolve(said);
          }
          await calm();
        },
        async fail(reason) {
          for (const end of ends) end.reject(new Error(reason));
          await calm();
        },
      });
      if (answersAtOnce) void sent.at(-1)!.answer();
      return ends.map(({ promise }) => promise);
    },
  });
});

interface Deferred {
  readonly promise: Promise<string>;
  resolve(answer: string): void;
  reject(error: Error): void;
}

function deferred(): Deferred {
  let end: Omit<Deferred, 'promise'>;
  const promise = new Promise<string>((resolve, reject) => {
    end = { resolve, reject };
  });
  return { promise, ...end! };
}

/** A call whose caller waits for ever. */
const never = {
  get signal(): AbortSignal {
    return new AbortController().signal;
  },
};

const add = (item: string): Share<string> => shared.add(item, clock.now(), () => told.push(item));

/** What became of a call, as far as it is known. */
function outcomeOf(asked: Promise<Carried<string>>): { now: Carried<string> | Error | null } {
  const outcome: { now: Carried<string> | Error | null } = { now: null };
  asked.then(
    (carried) => {
      outcome.now = carried;
    },
    (error: Error) => {
      outcome.now = error;
    },
  );
  return outcome;
}

describe('a shared call', () => {
  it('carries all that are due soon, and each counts from when it was sent', async () => {
    const [a, b] = [add('a'), add('b')];
    await clock.pass(2000);
    const c = add('c');
    await clock.pass(3000);
    const asked = outcomeOf(a.ask(never));
    await clock.pass(40);
    expect(sent.map(({ items }) => items)).toEqual([['a', 'b', 'c']]);
    await sent[0]!.answer();
    expect(asked.now).toEqual({ answer: 'ok', sentMs: 5000 });
    expect(told).toEqual(['b', 'c']);
    await clock.pass(100);
    expect(await b.ask(never)).toEqual({ answer: 'ok', sentMs: 5000 });
    expect(await c.ask(never)).toEqual({ answer: 'ok', sentMs: 5000 });
    expect(sent).toHaveLength(1);
  });

  it('is not made for one whose last answer is recent, and an answer is used once', async () => {
    const a = add('a');
    await clock.pass(4000);
    const b = add('b');
    await clock.pass(1000);
    void a.ask(never);
    expect(sent[0]!.items).toEqual(['a']);
    await sent[0]!.answer();
    void b.ask(never);
    void a.ask(never);
    expect(sent.slice(1).map(({ items }) => items)).toEqual([['b'], ['a']]);
  });

  it('comes to one request per interval, whenever the elections began', async () => {
    answersAtOnce = true;
    const seats = Array.from({ length: 40 }, (_, i) => i);
    for (const i of seats) {
      let stop = (): void => {};
      const name = `seat ${i}`;
      const turn = async (): Promise<void> => {
        const { sentMs } = await share.ask(never);
        stop();
        stop = clock.after(sentMs + EVERY_MS - clock.now(), () => void turn());
      };
      const share = shared.add(name, clock.now(), () => void turn());
      stop = clock.after(EVERY_MS, () => void turn());
      await clock.pass(EVERY_MS / seats.length);
    }
    await clock.pass(2 * EVERY_MS);
    const from = sent.length;
    await clock.pass(4 * EVERY_MS);
    expect(sent.slice(from).map(({ items }) => items.length)).toEqual([40, 40, 40, 40]);
  });

  it('has an answer for each: one that fails leaves the others alone', async () => {
    const shares = ['a', 'b', 'c'].map(add);
    await clock.pass(EVERY_MS);
    const outcomes = shares.map((share) => outcomeOf(share.ask(never)));
    expect(sent).toHaveLength(1);
    await sent[0]!.answer({ b: new Error('locked') });
    expect(outcomes.map(({ now }) => (now instanceof Error ? now.message : now?.answer))).toEqual([
      ...['ok', 'locked', 'ok'],
    ]);
  });

  it('ends for all that wait when its time is up, and what comes later is ignored', async () => {
    const [a, b] = [add('a'), add('b')];
    await clock.pass(EVERY_MS);
    const outcomes = [outcomeOf(a.ask(never)), outcomeOf(b.ask(never))];
    await clock.pass(CALL_MS + 1);
    expect(outcomes.map(({ now }) => String(now))).toEqual([
      'Error: no answer within 3000 ms',
      'Error: no answer within 3000 ms',
    ]);
    expect(sent[0]!.signal.aborted).toBe(true);
    await sent[0]!.answer();
    expect(told).toEqual([]);
    const again = outcomeOf(b.ask(never));
    expect(sent).toHaveLength(2);
    await sent[1]!.answer();
    expect(again.now).toMatchObject({ sentMs: EVERY_MS + CALL_MS + 1 });
  });

  it('outlives a caller that stops waiting', async () => {
    const [a, b] = [add('a'), add('b')];
    await clock.pass(EVERY_MS);
    const controller = new AbortController();
    const impatient = outcomeOf(a.ask({ signal: controller.signal }));
    const patient = outcomeOf(b.ask(never));
    controller.abort(new Error('enough'));
    await calm();
    expect(String(impatient.now)).toBe('Error: enough');
    await sent[0]!.answer();
    expect(patient.now).toEqual({ answer: 'ok', sentMs: EVERY_MS });
    expect(await a.ask(never)).toEqual({ answer: 'ok', sentMs: EVERY_MS });
  });

  it('is made anew after a doubt, whatever was sent before it', async () => {
    const [a, b] = [add('a'), add('b')];
    await clock.pass(EVERY_MS);
    void a.ask(never);
    b.doubt();
    const asked = outcomeOf(b.ask(never));
    await clock.pass(10);
    expect(sent).toHaveLength(1);
    await sent[0]!.answer({ b: 'before the doubt' });
    expect(sent.map(({ items }) => items)).toEqual([['a', 'b'], ['b']]);
    await sent[1]!.answer({ b: 'after it' });
    expect(asked.now).toEqual({ answer: 'after it', sentMs: EVERY_MS + 10 });
  });

  it('is made for a doubted one alone, even if it was answered a moment ago', async () => {
    const [a, b] = [add('a'), add('b')];
    await clock.pass(EVERY_MS);
    void a.ask(never);
    await sent[0]!.answer();
    b.doubt();
    void b.ask(never);
    expect(sent.map(({ items }) => items)).toEqual([['a', 'b'], ['b']]);
  });

  it('does not carry one that has ended, and tells it nothing', async () => {
    const [a, b, c] = [add('a'), add('b'), add('c')];
    await clock.pass(EVERY_MS);
    b.end();
    void a.ask(never);
    c.end();
    expect(sent[0]!.items).toEqual(['a', 'c']);
    await sent[0]!.answer();
    expect(told).toEqual([]);
  });

  it('does not carry one that does not fetch its answers, nor one whose time is over', async () => {
    const a = add('a');
    add('b');
    for (const items of [['a', 'b'], ['a'], ['a']]) {
      await clock.pass(EVERY_MS);
      void a.ask(never);
      expect(sent.at(-1)!.items).toEqual(items);
      await sent.at(-1)!.answer();
    }
    add('c');
    await clock.pass(LASTS_MS);
    void a.ask(never);
    expect(sent.at(-1)!.items).toEqual(['a']);
  });

  it('carries so many at most, and sends as many requests as that takes', async () => {
    const shares = Array.from({ length: 2500 }, (_, i) => add(`e${i}`));
    await clock.pass(EVERY_MS);
    for (const share of shares) void share.ask(never);
    expect(sent.map(({ items }) => items.length)).toEqual([1000, 1000, 500]);
    expect(new Set(sent.flatMap(({ items }) => items)).size).toBe(2500);
  });

  it('is repeated once for all that retry within a moment of each other', async () => {
    const shares = Array.from({ length: 100 }, (_, i) => add(`e${i}`));
    await clock.pass(EVERY_MS);
    for (const share of shares) share.ask(never).catch(() => {});
    await sent[0]!.fail('refused');
    // A store that is down refuses at once, each time.
    for (const share of shares) {
      share.ask(never).catch(() => {});
      await clock.pass(0.5);
      if (sent.length > 1) await sent.at(-1)!.fail('refused');
    }
    expect(sent.length).toBeLessThanOrEqual(2);
    await clock.pass(100);
    expect(sent.at(-1)!.items).toHaveLength(100);
  });
});
