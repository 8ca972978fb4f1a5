/** Signals that are aborted together. */
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { anyOf } from '../../src/election/index.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('aborts with the first of its signals, and with its reason', () => {
  const [a, b] = [new AbortController(), new AbortController()];
  const either = anyOf([a.signal, b.signal]);
  expect(either.aborted).toBe(false);
  b.abort('b');
  a.abort('a');
  expect(either.reason).toBe('b');
  expect(anyOf([new AbortController().signal, b.signal]).reason).toBe('b');
});

it('keeps a time limit that only it refers to, also as a part of a part', async () => {
  const other = new AbortController().signal;
  const limit = (): AbortSignal => AbortSignal.timeout(200);
  const signals = [anyOf([other, limit()]), anyOf([anyOf([limit(), other]), other])];
  const reasons = signals.map(
    (signal) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve(signal.reason), { once: true }),
      ),
  );
  await sleep(20);
  collectGarbage();
  for (const reason of await Promise.all(reasons)) expect(reason).toHaveProperty('name', 'TimeoutError');
});
