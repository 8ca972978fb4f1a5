/**
 * What a stranger says by POST in the name of a member that is down has no lasting effect: when that member is back it counts, and no
 * register is committed that no leader made. Real processes, killed with kill -9.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { majority } from '../../src/core/index.ts';
import type { Saved } from '../../src/protocols/quorum/state.ts';
import { pureCoding } from '../../src/store/coding.ts';
import { recover } from '../../src/store/recovery.ts';
import { DiskLab, HEALS_WITHIN_MS, type Watched } from '../support/disk-lab.ts';

const FIRST = { published: 'first' };

/** Followers stay bound to their leader although the machine is busy with other tests. */
const LONG_LEASES = { timing: { timeoutMs: [1600, 2000], heartbeatMs: 200, leaseMs: 1500 } } as const;

let lab: DiskLab;

afterEach(async () => {
  await lab.close();
});

/** What this member has saved. */
function recordOf(id: string): Saved {
  const bytes = readFileSync(path.join(lab.folder(id), 'election-main.json'));
  const owner = { cluster: 'caucus', id, election: 'main', protocol: 'quorum' };
  const found = recover(bytes, owner, pureCoding);
  if (found.is !== 'record') throw new Error(`${id} has no record: ${JSON.stringify(found)}`);
  return found.record as unknown as Saved;
}

/** As soon as the receiver knows that the member is down: while it is connected, nothing is taken in its name. */
async function post(to: Watched, kind: string, from: string, body: object): Promise<number> {
  for (;;) {
    const answer = await fetch(`${to.url}/${kind}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ voterId: from, ...body }),
    });
    const text = await answer.text();
    if (!text.includes('sends nothing by POST')) return answer.status;
    await delay(20);
  }
}

async function untilSaved(what: string, isSo: () => boolean): Promise<void> {
  const endMs = performance.now() + HEALS_WITHIN_MS;
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error(`${what}: not within ${HEALS_WITHIN_MS} ms`);
    await delay(20);
  }
}

/** Only these and as many others as make a majority go on. */
async function killAllBut(kept: readonly Watched[]): Promise<void> {
  const spare = majority(lab.ids.length) - kept.length;
  const others = lab.ids.map((id) => lab.at(id)).filter((each) => !kept.includes(each));
  for (const each of others.slice(spare)) await lab.kill(each);
}

describe.each([3, 5])('%d members', (size) => {
  it.each(['leader', 'follower'] as const)(
    'hear a member again whose start a stranger has overstated to the %s while it was down',
    async (lied) => {
      lab = await DiskLab.settled(size, true);
      const leader = await lab.leader();
      const [down, follower] = lab.ids.filter((id) => id !== leader.id).map((id) => lab.at(id));
      await lab.kill(down!);
      const victim = lied === 'leader' ? leader : follower!;
      const { disk, term } = recordOf(down!.id);
      const by = { disk, start: 500, life: 'made-up' };
      expect(await post(victim, 'probe', down!.id, { by, term })).toBe(200);
      expect(recordOf(victim.id).seen[down!.id]).toEqual(by);
      const back = await lab.start(down!.id);
      await untilSaved('a later start', () => recordOf(back.id).start > 500);
      await untilSaved('it is believed', () => (recordOf(victim.id).seen[back.id]?.start ?? 0) > 500);
      expect(recordOf(back.id).disk).toBe(disk);
      await lab.seated(back.id);
      // Without its vote and its answers, the others are no majority now.
      await killAllBut([back, victim]);
      await lab.leader();
      lab.check();
    },
  );

  it('take no register from a stranger while they hear their leader', async () => {
    lab = await DiskLab.settled(size, true, LONG_LEASES);
    const leader = await lab.leader();
    const [down, ...followers] = lab.ids.filter((id) => id !== leader.id).map((id) => lab.at(id));
    await lab.kill(down!);
    const { disk, start, register } = recordOf(down!.id);
    const planted = { ...register, version: register.version + 1, value: 'planted' };
    for (const follower of followers)
      await post(follower, 'publish/copy', down!.id, {
        by: { disk, start, life: 'made-up' },
        register: planted,
      });
    for (const { id } of followers) expect(recordOf(id).register.version).toBe(register.version);
    await lab.start(down!.id);
    await lab.seated(down!.id);
    await lab.survivesNext(FIRST);
    lab.check();
  });
});

describe('a term as far ahead as a stranger may raise it', () => {
  /** As far as a POST may go now (src/member/door.ts), less two seconds. */
  const line = (): number => 2 ** 40 + Date.now() - Date.UTC(2026, 0, 1) - 2000;

  it.each([
    ['an hour behind', 3_600_000],
    ['at 1970', Date.now()],
  ])('shuts out no member whose clock is %s', async (_what, setBackMs) => {
    lab = await DiskLab.settled(3, true, LONG_LEASES);
    const down = await lab.follower();
    await lab.kill(down);
    const by = { disk: 'a stranger', start: 1, life: 'a stranger' };
    const others = lab.ids.filter((id) => id !== down.id).map((id) => lab.at(id));
    const term = Math.floor(line());
    for (const other of others) expect(await post(other, 'term', down.id, { by, term })).toBeLessThan(300);
    await lab.leader();
    await untilSaved('the term', () => others.every(({ id }) => recordOf(id).term >= term));
    await lab.start(down.id, { setBackMs });
    await lab.seated(down.id);
    await lab.survivesNext(FIRST);
    lab.check();
  });
});
