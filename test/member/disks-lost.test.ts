/** Real processes whose data folders are lost, in whole or in part, or were written by an earlier version. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DiskLab } from '../support/disk-lab.ts';

const HOUR_MS = 3_600_000;
const FIRST = { published: 'first' };

let lab: DiskLab;

afterEach(async () => {
  await lab.close();
});

const wipe = (id: string): void => lab.wipe(id);
const loseElection = (id: string): void => lab.remove(id, 'election-main.json');
const loseMember = (id: string): void => lab.remove(id, 'member.json');
const loseList = (id: string): void => lab.remove(id, 'elections');

const LOSSES = {
  'a wiped folder': [wipe, {}],
  'a wiped folder and --new': [wipe, { firstStart: true }],
  'election-main.json lost alone': [loseElection, {}],
  'member.json lost alone': [loseMember, {}],
  'the list of elections lost alone': [loseList, {}],
} as const;

describe.each([
  [3, Object.keys(LOSSES) as (keyof typeof LOSSES)[]],
  [5, ['a wiped folder', 'election-main.json lost alone']],
] as [number, (keyof typeof LOSSES)[]][])('%d members with data folders', (size, losses) => {
  it.each(losses)('heal by themselves: %s, of a follower and of the leader', async (loss) => {
    const [harm, wishes] = LOSSES[loss];
    lab = await DiskLab.settled(size, true);
    await lab.whileDown(await lab.follower(), harm, wishes);
    await lab.survivesNext(FIRST);
    await lab.whileDown(await lab.leader(), harm, wishes);
    await lab.survivesNext(FIRST);
    lab.check();
  });
});

describe.each([3, 5])('%d members without data folders', (size) => {
  it('heal by themselves when one after the other comes back with nothing, also with a wrong clock', async () => {
    lab = await DiskLab.settled(size, false);
    const nothing = (): void => {};
    await lab.whileDown(await lab.follower(), nothing);
    await lab.survivesNext(FIRST);
    await lab.whileDown(await lab.leader(), nothing, { firstStart: true });
    await lab.survivesNext(FIRST);
    await lab.whileDown(await lab.leader(), nothing, { setBackMs: HOUR_MS });
    await lab.whileDown(await lab.follower(), nothing, { setBackMs: HOUR_MS });
    await lab.survivesNext(FIRST);
    lab.check();
  });
});

describe('data folders of 0.1', () => {
  it('are carried over: tokens go on growing, and what was published is still there', async () => {
    const old = path.resolve(import.meta.dirname, '../fixtures/data-0.1');
    lab = await DiskLab.open(3, true);
    for (const id of lab.ids) lab.restore(id, path.join(old, id));
    await Promise.all(lab.ids.map((id) => lab.start(id)));
    const leader = await lab.leader();
    await lab.allSeated();
    expect(leader.standing!.value).toEqual({ shard: 8, owner: 'second' });
    expect(lab.tokens[0]).toBeGreaterThan(4n);
    for (const id of lab.ids) expect(existsSync(path.join(lab.folder(id), 'elections'))).toBe(true);
    await lab.survivesNext({ shard: 8, owner: 'second' });
    lab.check();
  });
});
