/** Three members on three hosts with TLS, by the commands of docs/operations.md. */
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
const READ = 'certificates were read again';

describe.skipIf(reason !== null)(`three hosts${reason === null ? '' : ` (${reason})`}`, () => {
  it('are set up, asked and given new certificates by the commands of the documentation', async () => {
    const lab = new Hosts();
    hosts = lab;
    const [certificates, start, ask, renew, ...replace] = blocksOf('Three members on three hosts with TLS');
    await lab.run(certificates!);
    for (const host of [1, 2, 3]) lab.start(host, start!);
    const isWhole = (): boolean =>
      IDS.every((id) =>
        IDS.every((other) => other === id || lab.has(id, new RegExp(`connected to ${other} at https:`))),
      );
    try {
      await until('one acts', () => lab.acting.length === 1 && isWhole());
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${lab.logs}`);
    }
    const [leader] = lab.acting;
    const said = await lab.run(ask!);
    expect(said).toMatch(new RegExp(`main of shop .*: ${leader} leads, token \\d+`));
    for (const host of [1, 2, 3]) expect(said).toContain(`https://${lab.address(host)}:7101`);
    await lab.run(renew!);
    await until('a has read its certificate', () =>
      lab.has('a', /certificates were read again; that of this member is [0-9A-F]/),
    );
    expect(replace).toHaveLength(3);
    for (const [step, block] of replace.entries()) {
      const before = IDS.map((id) => lab.count(id, READ));
      await lab.run(block);
      await until(`step ${step + 1} of the CA is read by all`, () =>
        IDS.every((id, i) => lab.count(id, READ) > before[i]!),
      );
    }
    // With the old CA gone, only the new one opens the door.
    const env = { CAUCUS_TLS_CA: 'ca2/ca.pem', CAUCUS_URL: `https://${lab.address(2)}:7101` };
    expect(await lab.run('caucus leader', env)).toBe(`${leader}\n`);
    await expect(lab.run('caucus leader', { ...env, CAUCUS_TLS_CA: 'ca/ca.pem' })).rejects.toThrow(
      /its certificate is not of a CA that is trusted here/,
    );
    expect(lab.acting).toEqual([leader]);
    expect(IDS.some((id) => lab.has(id, /"event":"idle"/))).toBe(false);
    expect(IDS.some((id) => lab.has(id, /stay as they were/))).toBe(false);
    // A host that fails: another member takes over, and with the new certificates.
    lab.members.get(leader!)!.child.kill('SIGKILL');
    await until('another one acts', () => lab.acting.length === 2);
  }, 180_000);
});
