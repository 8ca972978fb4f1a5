/** `caucus up` as it was built: a cluster of real processes. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { whileTaken } from '../support/while-taken.ts';
import { caucus } from './caucus.ts';
import { isActing, type Printed, UpCluster } from './up-cluster.ts';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

let folder: string;
const clusters: UpCluster[] = [];

function up(...args: string[]): UpCluster {
  const cluster = new UpCluster(args);
  clusters.push(cluster);
  return cluster;
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-up-test-'));
});

afterEach(async () => {
  for (const cluster of clusters.splice(0)) {
    await cluster.stop();
  }
  rmSync(folder, { recursive: true, force: true });
});

describe('caucus up', () => {
  it('tells first who its members are, elects, survives kill -9 of the leader, and ends cleanly', async () => {
    const cluster = up('--members', '3');
    const first = await cluster.seen(isActing);
    expect(cluster.events.slice(0, 3).map(({ event, id }) => [event, id])).toEqual([
      ['member', 1],
      ['member', 2],
      ['member', 3],
    ]);
    const { url, data } = cluster.events[0];
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const seen = cluster.events.length;
    process.kill(cluster.pidOf(first.id), 'SIGKILL');
    await cluster.seen(({ event, id }) => event === 'exit' && id === first.id);
    const second = await cluster.seen((event) => isActing(event) && event.id !== first.id, seen);
    expect(BigInt(second.token)).toBeGreaterThan(BigInt(first.token));
    const status: Printed = await (await fetch(`${cluster.events[second.id - 1].url}/status`)).json();
    expect(status.voters).toHaveLength(3);
    const pids = [1, 2, 3].map((id) => cluster.pidOf(id));
    cluster.process.kill('SIGINT');
    expect(await cluster.ended).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(data)).toBe(false);
  });

  it('keeps its tokens growing when everything is started again on the same folders', async () => {
    const tokens: bigint[] = [];
    for (let round = 0; round < 3; round++) {
      const cluster = up('--members', '3', '--data', folder);
      tokens.push(BigInt((await cluster.seen(isActing)).token));
      cluster.process.kill('SIGINT');
      expect(await cluster.ended).toBe(0);
    }
    expect(tokens[0]! < tokens[1]! && tokens[1]! < tokens[2]!).toBe(true);
  });

  it.each(['acting', 'page'])(
    'takes its members along when it is killed with -9 itself, after the event %s',
    async (last) => {
      const cluster = up('--members', '3', '--data', folder);
      await cluster.seen(({ event }) => event === last);
      const pids = [1, 2, 3].map((id) => cluster.pidOf(id));
      cluster.process.kill('SIGKILL');
      await cluster.ended;
      while (pids.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 5));
      expect(readdirSync(folder)).toEqual(['1', '2', '3']);
    },
  );

  it.each(['bully', 'chang-roberts', 'draw', 'epoch', 'ring', 'quorum'])(
    'elects five members by %s, replaces a leader that dies, and takes it back',
    async (protocol) => {
      const times = protocol === 'quorum' ? [] : ['--timing', 'heartbeatMs=100'];
      const cluster = up('--members', '5', '--protocol', protocol, ...times);
      const first = await cluster.seen(isActing);
      const { id } = first;
      // Another may act already: the first to begin is not always the one that is preferred.
      const seen = cluster.events.indexOf(first);
      process.kill(cluster.pidOf(id), 'SIGKILL');
      const gone = await cluster.seen((event) => event.event === 'exit' && event.id === id, seen);
      await cluster.seen((event) => isActing(event) && event.id !== id, seen);
      const died = cluster.events.indexOf(gone);
      cluster.process.stdin!.write(String(id));
      await cluster.seen(
        (event) => event.event === 'change' && event.id === id && event.leader !== null,
        died,
      );
    },
  );

  it('tells of a kill once, and of a restart', async () => {
    const cluster = up('--members', '1');
    await cluster.seen(isActing);
    cluster.process.stdin!.write('1');
    expect(await cluster.seen(({ event }) => event === 'exit')).toMatchObject({ id: 1, asked: true });
    expect(cluster.events.filter(({ event }) => event === 'kill')).toHaveLength(1);
    cluster.process.stdin!.write('1');
    const { text } = await cluster.seen(({ event }) => event === 'restart');
    expect(text).toBe('member 1 is restarted');
  });

  it('says where to look when the usual ports are taken', async () => {
    await whileTaken(7101, async () => {
      const cluster = up('--members', '1');
      await cluster.pageUrl();
      const moved = cluster.events.find(({ event }) => event === 'moved');
      if (moved === undefined) return false;
      const { url } = cluster.events[0];
      expect(moved.url).toBe(url);
      expect(moved.text).toMatch(/^port 710[01] is in use, so others were taken: export CAUCUS_URL=/);
      expect(moved.text.endsWith(url)).toBe(true);
      return true;
    });
  });

  it('takes any ports with --port 0, and tells of none that is in use', async () => {
    const cluster = up('--members', '3', '--port', '0');
    await cluster.seen(isActing);
    const ports = cluster.events
      .filter(({ event }) => event === 'member')
      .map(({ url }) => Number(new URL(url).port));
    expect(new Set(ports).size).toBe(3);
    expect(ports.some((port) => port >= 7100 && port < 7110)).toBe(false);
    expect(cluster.events.some(({ event }) => event === 'moved')).toBe(false);
  });

  it('leaves the usual ports to a cluster that has the usual page, also while its members start', async () => {
    await whileTaken(7100, async () => {
      const cluster = up('--members', '1');
      await cluster.pageUrl();
      return cluster.events.some(({ event }) => event === 'moved');
    });
  });

  it('keeps the members of a cluster that was kept', async () => {
    const first = up('--members', '1', '--data', folder);
    await first.seen(isActing);
    first.process.kill('SIGINT');
    await first.ended;
    const { code, stderr } = await caucus(['up', '--members', '3', '--data', folder]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^caucus: --members: .* holds a cluster of 1, .* expected --members 1, or another folder\n$/,
    );
    const again = up('--data', folder);
    await again.seen(isActing);
    expect(again.events.filter(({ event }) => event === 'member')).toHaveLength(1);
  });

  it('has the successor of the leader elected in advance with --deputies', async () => {
    const cluster = up('--members', '3', '--deputies', '--data', folder);
    const { id } = await cluster.seen(isActing);
    const deputy = String((id % 3) + 1);
    // Its vote in a later term than that of the leader.
    const votes = (): string => readFileSync(path.join(folder, deputy, 'election-main.json'), 'utf8');
    await vi.waitFor(() => expect(votes()).toContain('"before":'), { timeout: 20_000 });
  });

  it('refuses what it cannot do, in one line', async () => {
    const lines = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await caucus(['up', ...args]);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await lines('--members', '0')).toBe(
      'caucus: --members: expected a whole number from 1 to 99, found 0\n',
    );
    expect(await lines('--protocol', 'paxos')).toMatch(
      /^caucus: --protocol: expected one of bully, .*"paxos"\n$/,
    );
    expect(await lines('--timing', 'heartbeatMs=never')).toMatch(
      /^caucus: --timing heartbeatMs: expected milli.*\n$/,
    );
    // A file system that allows no folder must not keep it busy for ever.
    if (process.platform === 'linux')
      expect(await lines('--data', '/proc/caucus')).toBe(
        'caucus: --data: /proc/caucus: no such file or directory\n',
      );
    const { createServer } = await import('node:net');
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    expect(await lines('--port', String(port))).toBe(`caucus: --port: port ${port} is in use\n`);
    server.close();
  });
});
