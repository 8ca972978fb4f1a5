/** The recovery of a member on a host of its own, after the disks of the two others were lost, by the commands of docs/operations.md. */
import { once } from 'node:events';
import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { blocksOf, Hosts, IDS } from '../support/hosts.ts';
import { withoutNamespaces } from '../support/namespaces.ts';

let hosts: Hosts | null = null;

afterEach(async () => {
  await hosts?.close();
  hosts = null;
});

const reason = withoutNamespaces();

describe.skipIf(reason !== null)(`three hosts${reason === null ? '' : ` (${reason})`}`, () => {
  it('of which two lose their disks are recovered by the commands of the documentation', async () => {
    const lab = new Hosts();
    hosts = lab;
    const [make, start] = blocksOf('Three members on three hosts with a secret');
    const [look, recover, ask, empty] = blocksOf('After a majority was lost for good').filter(
      (block) => !block.startsWith('$'),
    );
    await lab.run(make!);
    for (const host of [1, 2, 3]) lab.start(host, start!);
    await lab.until('one acts', () => lab.acting.length === 1);
    await lab.until('all follow', () => IDS.every((id) => lab.has(id, /"event":"(change|acting)"/)));
    for (const id of IDS) await kill(lab, id);
    for (const host of [2, 3]) copy(dataOf(lab, host), `${dataOf(lab, host)}-kept`);
    for (const host of [2, 3]) await lab.run(on(lab, host, empty!));
    expect([2, 3].flatMap((host) => readdirSync(dataOf(lab, host)))).toEqual([]);

    const told = await lab.run(on(lab, 1, look!));
    const [, highest] = /^main +(\d+) +b, c$/m.exec(told)!;
    expect(readdirSync(dataOf(lab, 1)).some((name) => name.includes('recovery'))).toBe(false);
    expect(await lab.run(on(lab, 1, recover!))).toContain('recovered: start a, and then add members');

    lab.start(1, start!);
    await lab.until('a acts alone', () => lab.has('a', /"event":"acting"/));
    const status = await lab.run(ask!);
    const [, token] = /: a leads, token (\d+)$/m.exec(status)!;
    expect(Number(token)).toBeGreaterThan(Number(highest) + 1_000_000_000);
    expect(status).toMatch(/member a was recovered at \S+ \(caucus recover\): its cluster is that of a/);
    expect(status).toMatch(
      / recovered +a +member a was recovered at \S+ by \S+, without b, c; its tokens are above/,
    );

    // The old members are a majority of the seats that they know.
    for (const host of [2, 3]) copy(`${dataOf(lab, host)}-kept`, dataOf(lab, host));
    for (const host of [2, 3]) lab.start(host, start!);
    const refused =
      /refuses this member: member . at \S+ belongs to the cluster as it was before member a was recovered/;
    for (const id of ['b', 'c']) await lab.until(`${id} is refused`, () => lab.has(id, refused));
    for (const id of ['b', 'c']) await lab.until(`${id} leads nothing`, () => !isActing(lab, id));
    expect(isActing(lab, 'a')).toBe(true);

    for (const id of ['b', 'c']) await kill(lab, id);
    for (const host of [2, 3]) await lab.run(on(lab, host, empty!));
    for (const host of [2, 3]) lab.start(host, start!);
    const belongs = /this member belongs to the cluster after member a was recovered at/;
    for (const id of ['b', 'c']) await lab.until(`${id} belongs to it`, () => lab.has(id, belongs));
    expect(['b', 'c'].filter((id) => lab.has(id, /"event":"acting"/))).toEqual([]);
    expect(isActing(lab, 'a')).toBe(true);
  }, 180_000);
});

/** Without the socket by which a process held it. */
function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (file) => path.basename(file) !== 'lock' });
}

function dataOf({ folder }: Hosts, host: number): string {
  return path.join(folder, `host-${host}`, 'data');
}

function on(lab: Hosts, host: number, block: string): string {
  return block.replaceAll('/var/lib/caucus', dataOf(lab, host));
}

async function kill(lab: Hosts, id: string): Promise<void> {
  const { child } = lab.members.get(id)!;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Was the last that it said of this that it acts? */
function isActing(lab: Hosts, id: string): boolean {
  const last = lab.members.get(id)!.log.findLast((line) => /"event":"(acting|idle)"/.test(line));
  return last?.includes('"acting"') ?? false;
}
