/** A disk takes part in several elections, and not every process of it opens all of them. */
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { lookAtLog } from '../../src/member/log-file.ts';
import { RecordFile } from '../../src/member/record-file.ts';
import { resumedFrom } from '../../src/protocols/quorum/identity.ts';
import { Cluster } from '../support/cluster.ts';

let cluster: Cluster | null = null;

afterEach(async () => {
  await cluster?.close();
  cluster = null;
});

interface Kept {
  readonly disk: string;
  readonly start: number;
}

/** What is on the disk. */
function kept(election: string): Kept {
  const owner = { cluster: 'caucus', id: 'a' };
  const file = path.join(cluster!.dataOf('a'), `election-${election}.json`);
  const found = new RecordFile(file, { ...owner, election, protocol: 'quorum' }).read();
  if (found !== null) return found.record as unknown as Kept;
  const log = lookAtLog(path.join(cluster!.dataOf('a'), 'records.log'), owner);
  if (log.is !== 'log') throw new Error(`expected a log, found ${JSON.stringify(log)}`);
  return JSON.parse(log.records.get(election)!.text) as Kept;
}

async function restart(...elections: string[]): Promise<void> {
  await cluster!.leave('a');
  const member = await cluster!.join('a');
  for (const election of elections) {
    member.seat(election).stand();
    await cluster!.leader(election);
  }
}

describe('the starts of a disk', () => {
  it('are counted in every election, also those in which it took no part', async () => {
    cluster = await Cluster.start(['a'], { keeps: true });
    await restart('main', 'nightly');
    for (let i = 0; i < 3; i++) await restart('main');
    expect([kept('main').start, kept('nightly').start]).toEqual([5, 2]);
    // Members that open nightly for the first time now know the disk by its starts in main.
    await restart('main', 'nightly');
    expect([kept('main').start, kept('nightly').start]).toEqual([6, 6]);
    expect(kept('nightly').disk).toBe(kept('main').disk);
  });

  it('are those of that disk: an election on another one counts its own', () => {
    const own = { disk: 'lost and drawn anew', start: 2, term: 7 };
    expect(resumedFrom(own, { disk: 'D', start: 9 })).toEqual(own);
    expect(resumedFrom({ ...own, disk: 'D' }, { disk: 'D', start: 9 })).toEqual({
      ...own,
      disk: 'D',
      start: 8,
    });
    expect(resumedFrom({ ...own, disk: 'D' }, { disk: 'D', start: 1 })).toEqual({ ...own, disk: 'D' });
  });
});
