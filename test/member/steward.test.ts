/** An operator's wish to hand over reaches the work before it reaches the others. */
import { afterEach, expect, it } from 'vitest';
import { join, type Member } from '../../src/member/index.ts';

let members: Member[] = [];
afterEach(async () => {
  await Promise.all(members.map((member) => member.close()));
  members = [];
});

it('POST /resign waits for the work to stop, and releases only then', { timeout: 30_000 }, async () => {
  const member = await join({ id: 1, peers: [], firstStart: true });
  members.push(member);
  const election = member.election();
  const told: string[] = [];
  let stop = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let begun = (): void => {};
  const working = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const tokens: bigint[] = [];
  const leading = election.lead(async ({ signal, token }) => {
    tokens.push(token);
    if (tokens.length > 1) return 'second';
    begun();
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    told.push(`told to stop, while ${member.electionPort('main').view.role}`);
    await stopped;
    told.push('stopped');
    return 'first';
  });
  await working;
  const asked = fetch(`${member.url}/resign`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  }).then(({ status }) => told.push(`answered ${status}`));
  await new Promise((resolve) => setImmediate(resolve));
  stop();
  await asked;
  expect(told).toEqual(['told to stop, while leader', 'stopped', 'answered 200']);
  expect(await leading).toBe('second');
  expect(tokens[1]! > tokens[0]!).toBe(true);
});
