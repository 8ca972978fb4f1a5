import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AnyJoinOptions, Peer } from '../../src/member/index.ts';
import { compiled } from '../support/compiled.ts';
import { until } from '../support/linked.ts';

const SCRIPT = await compiled(path.resolve(import.meta.dirname, '../support/member-process.ts'));

interface Said {
  readonly acting?: boolean;
  readonly token?: string;
  readonly leader?: string | null;
  readonly role?: string;
  readonly why?: readonly string[];
  readonly closed?: boolean;
}

/** A member in a process of its own, and what it has said. */
class Process {
  readonly id: string;
  readonly child: ChildProcess;
  readonly said: Said[] = [];
  #listeners = new Set<() => void>();

  constructor(options: AnyJoinOptions) {
    this.id = String(options.id);
    this.child = spawn(process.execPath, [SCRIPT, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface({ input: this.child.stdout! }).on('line', (line) => {
      this.said.push(JSON.parse(line) as Said);
      for (const listener of [...this.#listeners]) listener();
    });
  }

  get last(): Said | undefined {
    return this.said.at(-1);
  }

  /** Waits until it has said such a thing, from now on or before. */
  async says(found: (said: Said) => boolean, from = 0): Promise<Said> {
    return await new Promise((resolve) => {
      const look = (): void => {
        const said = this.said.slice(from).find(found);
        if (said === undefined) return;
        this.#listeners.delete(look);
        resolve(said);
      };
      this.#listeners.add(look);
      look();
    });
  }
}

let folder: string;
let processes: Process[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-processes-'));
});

afterEach(() => {
  for (const { child } of processes) child.kill('SIGKILL');
  processes = [];
  rmSync(folder, { recursive: true, force: true });
});

async function findPorts(ids: readonly string[]): Promise<Peer[]> {
  const servers = await Promise.all(
    ids.map(async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const peers = servers.map((server, i) => ({
    id: ids[i]!,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  }));
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return peers;
}

function startProcess(id: string, peers: readonly Peer[], wishes: AnyJoinOptions = {}): Process {
  const port = Number(new URL(peers.find((peer) => peer.id === id)!.url).port);
  const started = new Process({ id, peers, listen: { port }, data: path.join(folder, id), ...wishes });
  processes.push(started);
  return started;
}

async function leaderOf(members: readonly Process[]): Promise<{ leader: Process; token: bigint }> {
  const [leader, said] = await Promise.race(
    members.map(async (member) => [member, await member.says(({ acting }) => acting === true)] as const),
  );
  return { leader, token: BigInt(said.token!) };
}

/** It knows its leader and has a seat: before that, those who are left could not elect another. */
function follows({ leader, role }: Said, of: Process): boolean {
  return leader === of.id && role === 'follower';
}

const HEARTBEAT_MS = 500;

/** Its record then says where it was before that vote. */
function hasVotedInAdvance({ id }: Process): boolean {
  const own = path.join(folder, id);
  return readdirSync(own)
    .filter((name) => name.startsWith('election'))
    .some((name) => readFileSync(path.join(own, name), 'utf8').includes('"before":'));
}

describe('members in processes of their own', () => {
  it('take over from a leader that was killed, knowing that it is dead', async () => {
    const peers = await findPorts(['a', 'b', 'c']);
    // Long leases: without proof, the takeover would take as long.
    const timing = { timeoutMs: [4000, 5000] };
    const members = peers.map(({ id }) => startProcess(String(id), peers, { timing }));
    const { leader, token } = await leaderOf(members);
    const others = members.filter((member) => member !== leader);
    await Promise.all(others.map((other) => other.says((said) => follows(said, leader))));

    const from = others.map(({ said }) => said.length);
    const killedMs = performance.now();
    leader.child.kill('SIGKILL');
    const taken = await Promise.race(
      others.map((other, i) => other.says(({ acting }) => acting === true, from[i])),
    );
    expect(performance.now() - killedMs).toBeLessThan(2000);
    expect(BigInt(taken.token!)).toBeGreaterThan(token);
    const told = others.flatMap(({ said }) => said.flatMap(({ why = [] }) => why));
    expect(told).toContain(`${leader.id} does not answer: its process is gone`);
  });

  it('wait for the lease of a leader that is only stopped, which finds out before it can act again', async () => {
    const peers = await findPorts(['a', 'b', 'c']);
    const timing = { timeoutMs: [1000, 2000] };
    const members = peers.map(({ id }) => startProcess(String(id), peers, { timing }));
    const { leader, token } = await leaderOf(members);
    const others = members.filter((member) => member !== leader);
    await Promise.all(others.map((other) => other.says((said) => follows(said, leader))));
    const from = others.map(({ said }) => said.length);
    // Twice as long as a lease, so that there is no doubt what it was lost for.
    const longEnough = sleep(2000);
    leader.child.kill('SIGSTOP');
    const taken = await Promise.race(
      others.map((other, i) => other.says(({ acting }) => acting === true, from[i])),
    );
    expect(BigInt(taken.token!)).toBeGreaterThan(token);
    await longEnough;
    const before = leader.said.length;
    leader.child.kill('SIGCONT');
    const first = await leader.says(() => true, before);
    expect(first.acting).toBe(false);
    expect(first.why!.join('\n')).toMatch(/the event loop of \S+ was blocked for /);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'elect a deputy in advance, which acts after %s of the leader although no other member answers',
    async (signal) => {
      const ids = ['a', 'b', 'c'];
      const peers = await findPorts(ids);
      const timing = { timeoutMs: [4000, 5000], heartbeatMs: HEARTBEAT_MS };
      const members = ids.map((id) => startProcess(id, peers, { timing, deputies: true }));
      const { leader, token } = await leaderOf(members);
      const others = members.filter((member) => member !== leader);
      await Promise.all(others.map((other) => other.says((said) => follows(said, leader))));
      // The first member after the leader, by id. Its folder has its vote for itself in a later term.
      const deputy = members[(members.indexOf(leader) + 1) % 3]!;
      const bystander = others.find((other) => other !== deputy)!;
      await until('it has voted in advance', () => hasVotedInAdvance(deputy));
      // Since it asks with every heartbeat, it has been answered by the second one after that.
      await sleep(3 * HEARTBEAT_MS);

      bystander.child.kill('SIGSTOP');
      const from = deputy.said.length;
      leader.child.kill(signal);
      const taken = await deputy.says(({ acting }) => acting === true, from);
      expect(BigInt(taken.token!)).toBeGreaterThan(token);
      const before = bystander.said.length;
      bystander.child.kill('SIGCONT');
      await bystander.says((said) => said.leader === deputy.id, before);
    },
  );

  it('leave nothing behind that would keep the process, and hand over', async () => {
    const peers = await findPorts(['a', 'b']);
    const members = peers.map(({ id }) => startProcess(String(id), peers, {}));
    const { leader } = await leaderOf(members);
    leader.child.kill('SIGTERM');
    const [code] = (await once(leader.child, 'exit')) as [number | null];
    expect(code).toBe(0);
    expect(leader.last).toEqual({ closed: true });
  });
});
