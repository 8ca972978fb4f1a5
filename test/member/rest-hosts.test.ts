/** Three members on three hosts with a secret and a voter that shares no code with them, by the commands of docs/operations.md. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { compiled } from '../support/compiled.ts';
import { blocksOf, Hosts, IDS } from '../support/hosts.ts';
import { withoutNamespaces } from '../support/namespaces.ts';

const SCRIPT = await compiled(path.resolve(import.meta.dirname, '../support/rest-voter-process.ts'));

let hosts: Hosts | null = null;

afterEach(async () => {
  await hosts?.close();
  hosts = null;
});

const reason = withoutNamespaces() ?? withoutCurl();
if (reason !== null) process.stderr.write(`SKIPPED: a REST voter on a host of its own, since ${reason}\n`);

function withoutCurl(): string | null {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'there is no command `curl`';
  }
}

interface Told {
  readonly leader: unknown;
  readonly term: number;
  readonly isRemoved: boolean;
  readonly knownVoters: readonly string[];
  readonly castIn: readonly number[];
  readonly certifiedIn: readonly number[];
}

describe.skipIf(reason !== null)(`three hosts${reason === null ? '' : ` (${reason})`}`, () => {
  it('have a voter that knows the secret, and not one that does not', async () => {
    const lab = new Hosts();
    hosts = lab;
    const [make, start, elect, remove, ...more] = blocksOf('Voters in other languages, with a secret');
    expect(more).toEqual([]);
    await lab.run(make!);
    for (const host of [1, 2, 3]) lab.start(host, start!);
    const urlOf = (host: number): string => `http://${lab.address(host)}:7101`;
    const startVoter = (id: string, port: number, secret: string): void => {
      const [seed, address] = [urlOf(1), lab.address(3)];
      lab.startProgram(3, id, process.execPath, SCRIPT, id, seed, address, String(port), 'shop', secret);
    };
    const statusOf = async (host: number): Promise<{ leader: unknown; knownVoters: unknown[] }> =>
      (await (await fetch(`${urlOf(host)}/status`)).json()) as { leader: unknown; knownVoters: unknown[] };
    /** Until all members know these voters. */
    const known = (ids: readonly string[]): Promise<void> =>
      lab.until(`${ids} are known to all`, async () => {
        const all = await Promise.all([1, 2, 3].map(statusOf));
        return all.every(({ knownVoters }) => String(knownVoters) === String(ids));
      });
    const told = (id: string): Told | null => {
      const last = lab.members.get(id)!.log.findLast((line) => line.startsWith('{'));
      return last === undefined ? null : (JSON.parse(last) as Told);
    };

    await lab.until('all are up', () => IDS.every((id) => lab.has(id, / is up at /)));
    await known(IDS);
    // Without one, `caucus status` ends with 1.
    await lab.until('they have a leader', async () => (await statusOf(1)).leader !== null);
    startVoter('rest', 7201, '/etc/caucus/secret');
    await known([...IDS, 'rest']);
    await lab.until('it knows all', () => told('rest')?.knownVoters.join() === 'a,b,c,rest');

    // It casts the highest number, and wins each election that it takes part in. One that is not heard for a while on a
    // busy machine is forgotten, and found again.
    let winner: Told;
    do {
      const before = told('rest')!.term;
      expect(await lab.run(elect!)).toContain(`http://${lab.address(3)}:7201`);
      await lab.until('all follow the leader of a later election', async () => {
        const all = await Promise.all([1, 2, 3].map(statusOf));
        const { leader, term } = told('rest')!;
        return term > before && leader !== null && all.every((each) => each.leader === leader);
      });
      winner = told('rest')!;
    } while (winner.leader !== 'rest');
    expect(winner.castIn).toContain(winner.term);
    expect(winner.certifiedIn).toContain(winner.term);

    // One that has another secret than the members is registered by none of them.
    await lab.run(
      'umask 077; head -c 32 /dev/urandom | base64 > other; scp other 10.0.0.3:/etc/caucus/other',
    );
    startVoter('stranger', 7202, '/etc/caucus/other');
    await lab.until('it ends', () => lab.members.get('stranger')!.child.exitCode !== null);
    expect(lab.members.get('stranger')!.log.join('\n')).toContain('the seed does not answer');
    expect(lab.has('a', /its proof does not fit the secret of this member/)).toBe(true);
    await known([...IDS, 'rest']);

    await lab.run(remove!);
    await lab.until('it knows that it was removed', () => told('rest')?.isRemoved === true);
    await known(IDS);
    await lab.until('one of the others leads', async () => {
      const all = await Promise.all([1, 2, 3].map(statusOf));
      return IDS.includes(all[0]!.leader as 'a') && all.every(({ leader }) => leader === all[0]!.leader);
    });
  }, 300_000);
});
