/** Real processes, most of whose disks are lost for good: one of those that are left becomes a cluster of its own. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { Gate } from '../../src/election/index.ts';
import { DiskLab, type Watched } from '../support/disk-lab.ts';
import { contentOf } from '../support/folder-content.ts';
import { bestGround, loopback } from '../support/ground.ts';

const MAIN = path.resolve(import.meta.dirname, '../../dist/cli/main.js');
const FIRST = { published: 'first' };
const STEP = 1_000_000_000n;
/** Members that are refused call again after ten seconds. */
const HEARD_WITHIN_MS = 30_000;

let lab: DiskLab;

afterEach(async () => {
  await lab.close();
});

describe.each([
  [3, bestGround],
  [5, loopback],
] as const)('of %d members, one that is left', (size, ground) => {
  it('is recovered and leads alone, with tokens above all others; the old members are refused, and can be added', async () => {
    lab = await DiskLab.settled(size, true, {}, ground);
    const [a, ...others] = lab.ids as [string, ...string[]];
    const lost = others.slice(0, Math.ceil(size / 2));
    await Promise.all(lab.ids.map((id) => lab.kill(lab.at(id))));
    const highest = lab.tokens.toSorted((one, other) => Number(one - other)).at(-1)!;
    const gate = new Gate();
    gate.accepts(highest);
    const kept = new Map(lost.map((id) => [id, lab.copy(id)]));
    for (const id of lost) lab.wipe(id);

    const before = contentOf(lab.folder(a));
    const asked = await recover(a);
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('not confirmed') });
    expect(asked.stdout).toContain(`Dropped: ${others.join(', ')}.`);
    expect(contentOf(lab.folder(a))).toEqual(before);

    expect(await recover(a, '--yes')).toMatchObject({ code: 0, stderr: '' });
    const copy = readdirSync(lab.folder(a)).find((name) => name.startsWith('before-recovery-'))!;
    expect(contentOf(path.join(lab.folder(a), copy))).toEqual(before);

    await lab.start(a);
    await leads(a);
    const first = lab.tokens.at(-1)!;
    expect(first).toBeGreaterThan(highest + STEP);
    expect([gate.accepts(first), gate.accepts(highest), gate.accepts(highest + STEP - 1n)]).toEqual([
      true,
      false,
      false,
    ]);
    await lab.shows(lab.at(a), FIRST);

    // They have a majority of the seats that they know.
    for (const id of lost) lab.restore(id, kept.get(id)!);
    const returned = await Promise.all(lost.map((id) => lab.start(id)));
    for (const each of returned)
      await lab.until(`${each.name} is told`, HEARD_WITHIN_MS, () => isOutdated(each));
    for (const each of returned)
      await lab.until(`${each.name} leads nothing`, HEARD_WITHIN_MS, () => each.standing?.role === 'none');
    await leads(a);
    const acting = returned.map(({ actedAtUs }) => actedAtUs);
    await lab.publish({ published: 'after' });
    expect(returned.map(({ actedAtUs }) => actedAtUs)).toEqual(acting);
    expect(lab.at(a).log.join('\n')).toMatch(
      /is refused: member . at \S+ belongs to the cluster as it was before/,
    );

    for (const each of returned) await lab.kill(each);
    for (const id of others) {
      lab.wipe(id);
      await lab.start(id);
      await lab.order({ type: 'add', member: id });
      await lab.seated(id);
    }
    await lab.shows(lab.at(others[0]!), { published: 'after' });
    await lab.survivesNext({ published: 'after' });
    expect(lab.tokens.at(-1)).toBeGreaterThan(first);
    expect(lab.tokens.filter((token) => token > highest).every((token) => token >= first)).toBe(true);
  });
});

describe('two members that were recovered at the same time', () => {
  it('are two clusters that refuse each other in words, and say so to an operator', async () => {
    lab = await DiskLab.settled(5, true);
    await Promise.all(lab.ids.map((id) => lab.kill(lab.at(id))));
    await Promise.all(['a', 'b'].map((id) => recover(id, '--yes')));
    const [a, b] = await Promise.all(['a', 'b'].map((id) => lab.start(id)));
    for (const each of [a!, b!]) {
      await lab.until(`${each.name} is told`, HEARD_WITHIN_MS, () =>
        each.log.some((line) => line.includes('there are two clusters')),
      );
      await leads(each.id);
    }
    const status = await caucus('status', a!.url);
    expect(status.stdout).toContain('member a was recovered at');
    expect(status.stdout).toContain('member b was recovered at');
    const doctor = await caucus('doctor', a!.url, '--json');
    expect(doctor.stdout).toContain('"other-recovery"');
    expect((await caucus('history', a!.url)).stdout).toMatch(
      /recovered +a +member a was recovered at \S+ by \S+, without b, c, d, e/,
    );
  });
});

it('a copy of a folder is not recovered beside the cluster that still runs, unless that is forced', async () => {
  lab = await DiskLab.settled(3, true);
  const [a] = lab.ids as [string];
  const copy = lab.copy(a);
  const before = contentOf(copy);
  const of = (...flags: readonly string[]): ReturnType<typeof caucus> =>
    caucus('recover', '--data', copy, '--id', a, ...flags);
  const { code, stderr, stdout } = await of('--yes');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(
    /^caucus: members of the cluster still answer: a at http:\S+, b at .*, c at .*--force\n$/,
  );
  expect(contentOf(copy)).toEqual(before);
  const forced = await of('--force');
  expect(forced.stdout).toContain(`Whether this folder is a copy.`);
  expect(forced.code).toBe(1);
});

async function leads(id: string): Promise<void> {
  const from = lab.at(id).actedAtUs;
  await lab.until(`${id} leads`, HEARD_WITHIN_MS, () => lab.at(id).actedAtUs > from);
}

function isOutdated({ log }: Watched): boolean {
  return log.some((line) => line.includes('refuses this member') && line.includes('was recovered at'));
}

function recover(id: string, ...flags: readonly string[]): ReturnType<typeof caucus> {
  return caucus('recover', '--data', lab.folder(id), '--id', id, ...flags);
}

async function caucus(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  try {
    const env = { ...process.env, NO_COLOR: '1' };
    return { code: 0, ...(await promisify(execFile)(process.execPath, [MAIN, ...args], { env })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}
