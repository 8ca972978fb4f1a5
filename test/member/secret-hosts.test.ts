/** Three members on three hosts with a secret, by the commands of docs/operations.md. */
import { afterEach, describe, expect, it } from 'vitest';
import { blocksOf, Hosts, IDS } from '../support/hosts.ts';
import { until } from '../support/linked.ts';
import { withoutNamespaces } from '../support/namespaces.ts';

let hosts: Hosts | null = null;

afterEach(async () => {
  await hosts?.close();
  hosts = null;
});

const reason = withoutNamespaces();
const READ = 'the secret is now';

describe.skipIf(reason !== null)(`three hosts${reason === null ? '' : ` (${reason})`}`, () => {
  it('are set up, asked and given a new secret by the commands of the documentation', async () => {
    const lab = new Hosts();
    hosts = lab;
    const [make, start, ask, ...replace] = blocksOf('Three members on three hosts with a secret');
    await lab.run(make!);
    for (const host of [1, 2, 3]) lab.start(host, start!);
    const isWhole = (): boolean =>
      IDS.every((id) =>
        IDS.every((other) => other === id || lab.has(id, new RegExp(`connected to ${other} at http:`))),
      );
    try {
      await until('one acts', () => lab.acting.length === 1 && isWhole());
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${lab.logs}`);
    }
    const [leader] = lab.acting;
    expect(await lab.run(ask!)).toMatch(new RegExp(`main of shop .*: ${leader} leads, token \\d+`));
    expect(replace).toHaveLength(3);
    for (const [step, block] of replace.entries()) {
      const before = IDS.map((id) => lab.count(id, READ));
      await lab.run(block);
      await until(`step ${step + 1} is read by all`, () =>
        IDS.every((id, i) => lab.count(id, READ) > before[i]!),
      );
    }
    expect(lab.acting).toEqual([leader]);
    for (const id of IDS)
      expect(lab.has(id, /"event":"idle"|is closed|is refused|stay as they were/)).toBe(false);
    // A process of the network that does not know the secret is not heard.
    const target = `http://${lab.address(IDS.indexOf(leader as 'a') + 1)}:7101`;
    const answer = await fetch(`${target}/term`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ voterId: 'a', by: { disk: 'd', start: 1, life: 'x' }, term: 1e6 }),
    });
    expect(answer.status).toBe(401);
    // A host that fails: another member takes over.
    lab.members.get(leader!)!.child.kill('SIGKILL');
    await until('another one acts', () => lab.acting.length === 2);
  }, 180_000);
});
