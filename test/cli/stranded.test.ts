/** What the command says of a cluster in which members are missing, or are to go for ever. */
import { afterEach, describe, expect, it } from 'vitest';
import { join, type Member } from '../../src/member/index.ts';
import { Cluster as ServedCluster } from '../api/cluster.ts';
import { Cluster } from '../support/cluster.ts';
import { caucus } from './caucus.ts';

let cluster: Cluster | null = null;
let served: ServedCluster | null = null;
afterEach(async () => {
  await cluster?.close();
  await served?.closeAll();
  cluster = null;
  served = null;
});

/** Leads until it is told to stop. Settles once it leads. */
function leads(member: Member): Promise<void> {
  return new Promise((begun) => {
    const work = ({ signal }: { readonly signal: AbortSignal }): Promise<void> => {
      begun();
      return new Promise((stop) => signal.addEventListener('abort', () => stop()));
    };
    member
      .election()
      .lead(work)
      .catch(() => {});
  });
}

async function three(): Promise<Cluster> {
  const made = await Cluster.start(['a', 'b', 'c']);
  cluster = made;
  await leads(made.member('a'));
  await made.until(() =>
    made.members.every(({ elections }) => elections.some(({ view }) => view.leader === 'a')),
  );
  return made;
}

const firstLine = (text: string): string => text.split('\n')[0]!;

describe('caucus status', () => {
  it('says in its first line why there is no leader', async () => {
    const made = new ServedCluster();
    served = made;
    await made.open(['a', 'b', 'c'], { options: { preset: 'lan' } });
    const [a, b, c] = made.members;
    const port = a!.electionPort('main');
    await leads(a!);
    for (const member of [b, c]) await made.close(member!);
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!port.acting) resolve();
      };
      port.subscribe(look);
      look();
    });
    const { code, stdout } = await caucus(['status', a!.url]);
    expect(code).toBe(1);
    expect(firstLine(stdout)).toBe(
      'main of caucus (quorum): no leader: 1 of 3 members answers, 2 are needed',
    );
  });

  it('tells for whom the first start of a cluster waits', async () => {
    const made = await Cluster.open(['a', 'b', 'c']);
    cluster = made;
    const a = await made.join('a');
    a.election();
    await made.until(() => made.log.some((line) => /waiting for b, c/.test(line)));
    const { stdout } = await caucus(['status', a.url]);
    expect(firstLine(stdout)).toMatch(
      /^main of caucus \(quorum\): no leader: waiting for b, c: the first start of a cluster, .* needs 3 of its 3 members$/,
    );
    const leader = await caucus(['leader', a.url]);
    expect(leader).toMatchObject({ code: 1, stdout: '' });
    expect(leader.stderr).toMatch(
      /^caucus: no leader: waiting for b, c: the first start of a cluster, .*\n$/,
    );
  });
});

describe('caucus remove', () => {
  it('names the command for members of a cluster', async () => {
    const made = await three();
    const { code, stderr } = await caucus(['remove', '--member', 'c', made.member('b').url]);
    expect(code).toBe(1);
    expect(stderr).toContain('caucus member remove c');
    expect(made.member('a').electionPort('main').view.members).toEqual(['a', 'b', 'c']);
  });

  it('removes a voter that comes back when it is started again', async () => {
    const first = await join({ id: 'a', protocol: 'draw' });
    const port = Number(new URL(first.url).port);
    let second = await join({ id: 'b', protocol: 'draw', seed: { host: `127.0.0.1:${port}` } });
    const known = async (ids: string[]): Promise<void> =>
      expect.poll(() => first.electionPort('main').view.members, { timeout: 20_000 }).toEqual(ids);
    try {
      await known(['a', 'b']);
      await expect.poll(() => first.electionPort('main').view.leader, { timeout: 20_000 }).not.toBeNull();
      const { leader } = first.electionPort('main').view;
      const removed = await caucus(['remove', '--member', 'b', first.url]);
      expect(removed).toEqual({ code: 0, stdout: `${leader} has removed b\n`, stderr: '' });
      await known(['a']);
      await second.close();
      second = await join({ id: 'b', protocol: 'draw', seed: { host: `127.0.0.1:${port}` } });
      await known(['a', 'b']);
    } finally {
      await Promise.all([first.close(), second.close()]);
    }
  });
});
