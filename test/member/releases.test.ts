/**
 * Members of an earlier release and of this one in one cluster: it is upgraded and downgraded member by member, as an
 * operator would. `test/fixtures/releases` has what a member of that release needs, as it was built.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DiskLab, type Watched } from '../support/disk-lab.ts';

const RELEASE = path.resolve(import.meta.dirname, '../fixtures/releases/caucus-0.2.0-alpha.tar.gz');
/** Below the dependencies of the project, which are those of the release. */
const CACHE = path.resolve(import.meta.dirname, '../../node_modules/.cache/caucus-tests');
const VALUE = { published: 'first' };

let folder = '';
let earlier = '';
let lab: DiskLab | null = null;

beforeAll(() => {
  mkdirSync(CACHE, { recursive: true });
  folder = mkdtempSync(path.join(CACHE, 'release-'));
  execFileSync('tar', ['xzf', RELEASE, '-C', folder]);
  earlier = path.join(folder, 'dist/member/index.js');
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(async () => {
  await lab?.close();
  lab = null;
});

/** Restarts a member with one release or the other. It hands over first, and is not waited for. */
async function replace(member: Watched, build: string | undefined): Promise<void> {
  await lab!.stop(member);
  await lab!.leader();
  await lab!.startKnown(member.id, build === undefined ? {} : { build });
  await lab!.seated(member.id);
  await lab!.shows(lab!.at(member.id), VALUE);
}

describe('members of an earlier release', () => {
  it.each([
    [
      'the leader last',
      (leader: string, ids: readonly string[]) => [...ids.filter((id) => id !== leader), leader],
    ],
    [
      'the leader first',
      (leader: string, ids: readonly string[]) => [leader, ...ids.filter((id) => id !== leader)],
    ],
  ])('are upgraded one after the other, and downgraded again: %s', async (_, order) => {
    lab = await DiskLab.open(3, true);
    await Promise.all(lab.ids.map((id) => lab!.start(id, { build: earlier })));
    await lab.leader();
    await lab.allSeated();
    await lab.publish(VALUE);
    for (const build of [undefined, earlier]) {
      const leader = await lab.leader();
      for (const id of order(leader.id, lab.ids)) await replace(lab.at(id), build);
    }
    lab.check();
    expect(lab.tokens.length).toBeGreaterThan(1);
  });
});
