/** A disk takes part in several elections, and not every process of it opens all of them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
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

/** What is on the disk: a file holds the last two records. */
function kept(election: string): Kept {
  const lines = readFileSync(path.join(cluster!.dataOf('a'), `election-${election}.json`), 'utf8').split(
    /[\n\0]+/,
  );
  const records = lines.flatMap((line, i) =>
    line.startsWith('{"format"')
      ? [{ sequence: JSON.parse(line).sequence as number, text: lines[i + 1]! }]
      : [],
  );
  return JSON.parse(records.sort((one, other) => other.sequence - one.sequence)[0]!.text);
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
