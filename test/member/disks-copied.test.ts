/** Real processes whose data folders are copied and set back, and that run twice. */
import { afterEach, describe, expect, it } from 'vitest';
import { DiskLab, HEALS_WITHIN_MS, type Watched } from '../support/disk-lab.ts';
import { bestGround, loopback } from '../support/ground.ts';

const FIRST = { published: 'first' };

let lab: DiskLab;

afterEach(async () => {
  await lab.close();
});

describe.each([
  [3, bestGround],
  [5, loopback],
] as const)('%d members with data folders', (size, ground) => {
  it('take no second process on a copied folder while the first lives, and go on when it is killed', async () => {
    lab = await DiskLab.settled(size, true, {}, ground);
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
      lab = await DiskLab.settled(size, true, {}, ground);
      await lab.kill(await takePlaceOf(await lab[role]()));
      await lab.leader();
      await lab.publish(FIRST);
      lab.check();
    },
  );

  it.each(['follower', 'leader'] as const)(
    'take a stopped %s for a copy when it goes on after such a second process, and give it another seat',
    async (role) => {
      lab = await DiskLab.settled(size, true, {}, ground);
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
    lab = await DiskLab.settled(size, true, {}, ground);
    const members = [await lab.follower(), await lab.leader()];
    for (const { id } of members) {
      const old = lab.copy(id);
      await lab.whileDown(lab.at(id), () => {});
      const value = { publishedTo: lab.at(id).name };
      await lab.publish(value);
      // What it shows it has accepted. All others are connected to it, so they have heard of its later start: a copy
      // that only a minority recognises is answered by the rest, and then counts as the disk itself.
      await lab.shows(lab.at(id), value);
      await lab.whileDown(lab.at(id), () => lab.restore(id, old));
      await lab.reseated(lab.at(id));
      await lab.survivesNext(value);
    }
    lab.check();
  });

  it('keep their promises to the leader when a second process under its id was killed', async () => {
    lab = await DiskLab.settled(size, true, {}, ground);
    await expectSecondToChangeNothing(lab.folder('second'));
    await lab.survivesNext(FIRST);
    lab.check();
  });
});

describe.each([3, 5])('%d members without data folders', (size) => {
  it('keep their promises to the leader when a second process under its id was killed', async () => {
    lab = await DiskLab.settled(size, false);
    await expectSecondToChangeNothing();
    await lab.survivesNext(FIRST);
    lab.check();
  });
});

/** Stops a process, starts a second one on a copy of its folder, and lets the first go on once all others know the second. */
async function takePlaceOf(first: Watched): Promise<Watched> {
  const data = lab.copy(first.id);
  first.signal('SIGSTOP');
  await lab.leader();
  const second = await lab.startKnown(first.id, { isSecond: true, data });
  const value = { publishedTo: second.name };
  await lab.publish(value);
  // What it shows it has accepted, so the leader has heard of it.
  await lab.shows(second, value);
  first.signal('SIGCONT');
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

  leader.signal('SIGSTOP');
  const third = await lab.start(leader.id, wishes);
  await lab.leader();
  await lab.kill(third);
  leader.signal('SIGCONT');
  await lab.leader();
  await lab.allSeated();
}
