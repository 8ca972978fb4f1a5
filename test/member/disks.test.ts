/** Real processes whose data folders are lost, copied and set back, whose clocks are wrong, and that run twice. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DiskLab, HEALS_WITHIN_MS, type Watched } from '../support/disk-lab.ts';

const HOUR_MS = 3_600_000;
const FIRST = { published: 'first' };

let lab: DiskLab;

afterEach(async () => {
  await lab.close();
});

/** Kills a member, has something done to its disk, and starts it again; a leader is there all the time it takes, and after. */
async function whileDown(member: Watched, harm: (id: string) => void, wishes = {}): Promise<void> {
  await lab.kill(member);
  harm(member.id);
  await lab.leader();
  await lab.start(member.id, wishes);
  await lab.leader();
  await lab.seated(member.id);
}

const wipe = (id: string): void => lab.wipe(id);
const loseElection = (id: string): void => lab.remove(id, 'election-main.json');
const loseMember = (id: string): void => lab.remove(id, 'member.json');
const loseList = (id: string): void => lab.remove(id, 'elections');

describe.each([3, 5])('%d members with data folders', (size) => {
  it.each([
    ['a wiped folder', wipe, {}],
    ['a wiped folder and --new', wipe, { firstStart: true }],
    ['election-main.json lost alone', loseElection, {}],
    ['member.json lost alone', loseMember, {}],
    ['the list of elections lost alone', loseList, {}],
  ] as const)('heal by themselves: %s, of a follower and of the leader', async (_, harm, wishes) => {
    lab = await DiskLab.settled(size, true);
    await whileDown(await lab.follower(), harm, wishes);
    await lab.survivesNext(FIRST);
    await whileDown(await lab.leader(), harm, wishes);
    await lab.survivesNext(FIRST);
    lab.check();
  });

  it('take no second process on a copied folder while the first lives, and go on when it is killed', async () => {
    lab = await DiskLab.settled(size, true);
    for (const first of [await lab.follower(), await lab.leader()]) {
      const second = await lab.start(first.id, { isSecond: true, data: lab.copy(first.id) });
      await lab.until('it is told', HEALS_WITHIN_MS, () =>
        second.log.some((line) => line.includes('two live processes')),
      );
      await lab.leader();
      await lab.kill(second);
      await lab.leader();
      await lab.allSeated();
    }
    await lab.survivesNext(FIRST);
    lab.check();
  });

  it.each(['follower', 'leader'] as const)(
    'lead on while a second process on a copied folder takes the place of a stopped %s',
    async (role) => {
      lab = await DiskLab.settled(size, true);
      await lab.kill(await takePlaceOf(await lab[role]()));
      await lab.leader();
      await lab.publish(FIRST);
      lab.check();
    },
  );

  it.each(['follower', 'leader'] as const)(
    'take a stopped %s for a copy when it goes on after such a second process, and give it another seat',
    async (role) => {
      lab = await DiskLab.settled(size, true);
      const first = await lab[role]();
      await lab.kill(await takePlaceOf(first));
      // The second process was the later start of the disk. To the others, what the first one has is an old state of it.
      await lab.reseated(first);
      await lab.publish(FIRST);
      await lab.survivesNext(FIRST);
      lab.check();
    },
  );

  it('take a folder that was restored from an older copy for a new disk', async () => {
    lab = await DiskLab.settled(size, true);
    const members = [await lab.follower(), await lab.leader()];
    for (const { id } of members) {
      const old = lab.copy(id);
      await whileDown(lab.at(id), () => {});
      const value = { publishedTo: lab.at(id).name };
      await lab.publish(value);
      // What it shows it has accepted, so the leader has heard of its later start.
      await lab.shows(lab.at(id), value);
      await whileDown(lab.at(id), () => lab.restore(id, old));
      await lab.reseated(lab.at(id));
      await lab.survivesNext(value);
    }
    lab.check();
  });

  it('ask no wall clock: it is set back by an hour between restarts', async () => {
    lab = await DiskLab.settled(size, true);
    // One after the other, the leader last; then with all at once.
    const leader = await lab.leader();
    const others = lab.ids.filter((id) => id !== leader.id);
    for (const id of [...others, leader.id]) {
      await whileDown(lab.at(id), () => {}, { setBackMs: HOUR_MS });
      expect(lab.at(id).log.join('\n')).not.toContain('refused');
    }
    await Promise.all(lab.ids.map((id) => lab.kill(lab.at(id))));
    await Promise.all(lab.ids.map((id) => lab.start(id, { setBackMs: 2 * HOUR_MS })));
    await lab.leader();
    await lab.allSeated();
    await lab.survivesNext(FIRST);
    lab.check();
  });

  it('keep their promises to the leader when a second process under its id was killed', async () => {
    lab = await DiskLab.settled(size, true);
    await expectSecondToChangeNothing(lab.folder('second'));
    await lab.survivesNext(FIRST);
    lab.check();
  });
});

describe.each([3, 5])('%d members without data folders', (size) => {
  it('heal by themselves when one after the other comes back with nothing, also with a wrong clock', async () => {
    lab = await DiskLab.settled(size, false);
    const nothing = (): void => {};
    await whileDown(await lab.follower(), nothing);
    await lab.survivesNext(FIRST);
    await whileDown(await lab.leader(), nothing, { firstStart: true });
    await lab.survivesNext(FIRST);
    await whileDown(await lab.leader(), nothing, { setBackMs: HOUR_MS });
    await whileDown(await lab.follower(), nothing, { setBackMs: HOUR_MS });
    await lab.survivesNext(FIRST);
    lab.check();
  });

  it('keep their promises to the leader when a second process under its id was killed', async () => {
    lab = await DiskLab.settled(size, false);
    await expectSecondToChangeNothing();
    await lab.survivesNext(FIRST);
    lab.check();
  });
});

/** Stops a process, starts a second one on a copy of its folder, and lets the first go on once the leader knows the second. */
async function takePlaceOf(first: Watched): Promise<Watched> {
  const data = lab.copy(first.id);
  first.child.kill('SIGSTOP');
  await lab.leader();
  const second = await lab.start(first.id, { isSecond: true, data });
  const value = { publishedTo: second.name };
  await lab.publish(value);
  // What it shows it has accepted, so the leader has heard of it.
  await lab.shows(second, value);
  first.child.kill('SIGCONT');
  await lab.leader();
  return second;
}

/** Starts another process under the leader's id: while the leader runs, and while it is stopped and may come back. */
async function expectSecondToChangeNothing(data?: string): Promise<void> {
  const wishes = { isSecond: true, ...(data === undefined ? {} : { data }) };
  const leader = await lab.leader();
  const second = await lab.start(leader.id, wishes);
  await lab.kill(second);
  expect(await lab.leader()).toBe(leader);

  leader.child.kill('SIGSTOP');
  const third = await lab.start(leader.id, wishes);
  await lab.leader();
  await lab.kill(third);
  leader.child.kill('SIGCONT');
  await lab.leader();
  await lab.allSeated();
}

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
