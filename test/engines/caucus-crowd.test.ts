import { afterAll, beforeAll, expect, it } from 'vitest';
import { Members } from '../support/servers/members.ts';
import { runCrowd } from './safety/crowd.ts';

let members: Members;
beforeAll(async () => {
  members = await Members.start();
});
afterAll(() => members?.close());

it('ten participants that are killed and replaced, on members that are killed and stopped: one leads at a time, and nothing is left', async () => {
  const told: string[] = [];
  const result = await runCrowd(members, {
    count: 10,
    rounds: 1,
    leaseMs: 4000,
    say: (text) => told.push(text),
  });
  expect(result.faults, told.join('\n')).toEqual([]);
  expect(result.leaderships).toBeGreaterThanOrEqual(2);
  expect(result.left).toEqual([]);
});
