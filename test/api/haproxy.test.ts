/** Debian's HAProxy in front of three members: whoever asks it is served by the leader, also by the next one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { compiled } from '../support/compiled.ts';
import { ensureDebian } from '../support/debian.ts';
import { freePorts } from '../support/free-ports.ts';

const CHILD = await compiled(path.resolve(import.meta.dirname, '../support/member-child.ts'));
const why = ensureDebian(['haproxy']);

let folder = '';
let children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children) await kill(child);
  children = [];
  rmSync(folder, { recursive: true, force: true });
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Between our finding a port free and a member's taking it, another program may: then all is tried anew. */
async function openMembers(): ReturnType<typeof tryMembers> {
  for (let tries = 3; ; tries--) {
    try {
      return await tryMembers();
    } catch (error) {
      if (tries === 1) throw error;
      for (const child of children) await kill(child);
      children = [];
    }
  }
}

/** Three members in processes of their own, by id. */
async function tryMembers(): Promise<Map<string, { child: ChildProcess; port: number }>> {
  const ports = await freePorts(3);
  const peers = ports.map((port, i) => ({ id: 'abc'[i]!, url: `http://127.0.0.1:${port}` }));
  const members = new Map<string, { child: ChildProcess; port: number }>();
  for (const [i, { id }] of peers.entries()) {
    const port = ports[i]!;
    const data = path.join(folder, `${id}-${port}`);
    const options = { id, listen: { port }, peers, data };
    const args = [CHILD, JSON.stringify(options)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    members.set(id, { child, port });
  }
  await Promise.all([...members.values()].map(({ child }) => started(child)));
  return members;
}

async function started(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit').then(([code]) => Promise.reject(new Error(`a member ended with ${code}`)));
  await Promise.race([once(child.stdout!, 'data'), gone]);
  gone.catch(() => {});
}

/** As it stands in the manual of Patroni, but for the haste. It listens on a socket in our folder, and tells what it sees. */
function configuration(ports: ReadonlyMap<string, { port: number }>): string {
  const servers = [...ports].map(([id, { port }]) => `  server ${id} 127.0.0.1:${port} check`);
  return `
global
  log stdout format raw local0
defaults
  mode http
  log global
  retries 0
  timeout connect 1s
  timeout client 5s
  timeout server 5s
  timeout check 1s
frontend front
  bind unix@${path.join(folder, 'front.sock')}
  default_backend primary
backend primary
  option httpchk HEAD /primary
  http-check expect status 200
  default-server inter 50ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}

class HaProxy {
  readonly #lines = new Set<() => void>();
  readonly child: ChildProcess;

  constructor(file: string) {
    this.child = spawn('/usr/sbin/haproxy', ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(this.child);
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      createInterface({ input: stream }).on('line', () => {
        for (const look of [...this.#lines]) look();
      });
    }
  }

  /** Who answers through the proxy as the leader; null if nobody does. */
  ask(): Promise<{ name: string; term: number } | null> {
    return new Promise((resolve) => {
      const socketPath = path.join(folder, 'front.sock');
      const request = http.get({ socketPath, path: '/leader', agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', () => resolve(null));
        response.on('end', () => {
          if (response.statusCode !== 200) return resolve(null);
          const { voterId, term } = JSON.parse(Buffer.concat(chunks).toString());
          resolve({ name: voterId, term });
        });
      });
      request.on('error', () => resolve(null));
    });
  }

  /** Asks whenever the proxy has something to tell (a server is up or down, a request was served), until somebody fits. */
  until(fits: (found: { name: string; term: number }) => boolean): Promise<{ name: string; term: number }> {
    return new Promise((resolve) => {
      let isAsking = false;
      let isNews = false;
      const look = async (): Promise<void> => {
        isNews = true;
        if (isAsking) return;
        isAsking = true;
        while (isNews) {
          isNews = false;
          const found = await this.ask();
          if (found === null || !fits(found)) continue;
          this.#lines.delete(look);
          resolve(found);
        }
        isAsking = false;
      };
      this.#lines.add(look);
      void look();
    });
  }
}

describe('HAProxy with `option httpchk HEAD /primary`', () => {
  it.skipIf(why !== null)(
    `follows the leader through a failover${why === null ? '' : ` (${why})`}`,
    async () => {
      folder = mkdtempSync(path.join(tmpdir(), 'caucus-haproxy-'));
      const members = await openMembers();
      const file = path.join(folder, 'haproxy.cfg');
      writeFileSync(file, configuration(members));
      const proxy = new HaProxy(file);

      const first = await proxy.until(() => true);
      await kill(members.get(first.name)!.child);
      const second = await proxy.until(({ name }) => name !== first.name);
      expect(second.term).toBeGreaterThan(first.term);

      // The third is no majority, so nobody answers.
      await kill(members.get(second.name)!.child);
      expect(await proxy.ask()).toBeNull();
    },
  );
});
