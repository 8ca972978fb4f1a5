/**
 * `npx tsx verify/rotation.ts --seconds 60`: replaces the secret of a cluster again and again while its leader writes to a store
 * that is fenced. No connection may be lost, no other member may lead, no write may be refused, and at the end a process with the
 * first secret must be refused.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Gate } from '../src/election/index.ts';
import { join } from '../src/member/index.ts';
import { freePorts } from '../test/support/free-ports.ts';

const SCRIPT = path.resolve(import.meta.dirname, 'rotation-member.ts');
const IDS = ['a', 'b', 'c'];
/** A connection that has not proven itself again by the new secret is closed after 5 s. */
const LAST_MS = 6000;
/** A member looks at the file every second. */
const PATIENCE_MS = 30_000;

export interface Wishes {
  /** Rotations begin until so much time has passed; at least one. */
  readonly seconds: number;
  readonly say: (line: string) => void;
}

export interface Found {
  readonly rotations: number;
  readonly writes: number;
  readonly tokens: number;
  readonly refusedWrites: number;
  /** The longest time between two writes. */
  readonly longestGapMs: number;
  /** Log lines that tell of lost connections or refusals, while the secret was replaced. */
  readonly complaints: readonly string[];
  /** What a process is told that has the first secret only. */
  readonly refusals: number;
}

class Cluster {
  readonly folder: string = mkdtempSync(path.join(tmpdir(), 'caucus-rotation-'));
  readonly logs = new Map<string, string[]>();
  readonly writes: { readonly token: bigint; readonly begunUs: number }[] = [];
  readonly #gate = new Gate();
  refusedWrites = 0;
  peers: readonly { readonly id: string; readonly url: string }[] = [];
  readonly #children: ChildProcess[] = [];
  readonly #waiting = new Set<() => void>();

  async start(secret: string): Promise<void> {
    const ports = await freePorts(IDS.length);
    this.peers = IDS.map((id, i) => ({ id, url: `http://127.0.0.1:${ports[i]}` }));
    for (const [i, id] of IDS.entries()) {
      this.write(id, [secret]);
      const options = {
        id,
        listen: { port: ports[i] },
        peers: this.peers,
        data: path.join(this.folder, id),
        secretFile: this.#file(id),
      };
      const log: string[] = [];
      this.logs.set(id, log);
      const child = spawn(process.execPath, ['--import', 'tsx', SCRIPT, JSON.stringify(options)], {
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      });
      this.#children.push(child);
      createInterface({ input: child.stdout! }).on('line', (line) => this.#hear(log, line));
    }
    await this.until('writes', () => this.writes.length > 10);
    await this.until('all are connected', () =>
      [...this.logs.values()].every((log) => log.filter((line) => line.startsWith('connected')).length >= 2),
    );
  }

  /** Replaced as a whole, as a careful operator does. */
  write(id: string, secrets: readonly string[]): void {
    const file = this.#file(id);
    writeFileSync(`${file}.new`, `${secrets.join('\n')}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  async until(what: string, isSo: () => boolean): Promise<void> {
    const endMs = performance.now() + PATIENCE_MS;
    while (!isSo()) {
      if (performance.now() > endMs) throw new Error(`never: ${what}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 200);
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  async close(): Promise<void> {
    for (const child of this.#children) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  #file(id: string): string {
    return path.join(this.folder, `secret-${id}`);
  }

  #hear(log: string[], line: string): void {
    const said = JSON.parse(line) as { log?: string; token?: string; begunUs?: number };
    if (said.log !== undefined) log.push(said.log);
    else {
      const write = { token: BigInt(said.token!), begunUs: said.begunUs! };
      if (this.#gate.accepts(write.token)) this.writes.push(write);
      else this.refusedWrites++;
    }
    for (const wake of [...this.#waiting]) wake();
    this.#waiting.clear();
  }
}

const changes = (log: readonly string[]): number =>
  log.filter((line) => line.startsWith('the secret is now')).length;

export async function rotate({ seconds, say }: Wishes): Promise<Found> {
  const cluster = new Cluster();
  try {
    const first = newSecret();
    let current = first;
    await cluster.start(first);
    const before = new Map([...cluster.logs].map(([id, log]) => [id, log.length]));
    const firstWrite = cluster.writes.length;
    const endMs = performance.now() + seconds * 1000;
    let rotations = 0;
    do {
      const next = newSecret();
      for (const stage of [[current, next], [next, current], [next]]) {
        for (const [id, log] of cluster.logs) {
          const count = changes(log);
          cluster.write(id, stage);
          await cluster.until(`${id} has read its secrets`, () => changes(log) > count);
        }
      }
      current = next;
      rotations++;
      say(`rotation ${rotations}: ${cluster.writes.length} writes, token ${cluster.writes.at(-1)!.token}`);
    } while (performance.now() < endMs);
    await sleep(LAST_MS);
    const complaints = [...cluster.logs].flatMap(([id, log]) =>
      log
        .slice(before.get(id))
        .flatMap((line) => (/^the secret is now/.test(line) ? [] : [`${id}: ${line}`])),
    );
    const writes = cluster.writes.slice(firstWrite);
    const refusals = await refusedWith(first, cluster);
    return {
      rotations,
      writes: writes.length,
      tokens: new Set(writes.map(({ token }) => token)).size,
      refusedWrites: cluster.refusedWrites,
      longestGapMs: Math.max(
        ...writes.map(({ begunUs }, i) => (i === 0 ? 0 : (begunUs - writes[i - 1]!.begunUs) / 1000)),
      ),
      complaints,
      refusals,
    };
  } finally {
    await cluster.close();
  }
}

/** A process that has the secret of long ago, and calls all members. */
async function refusedWith(secret: string, cluster: Cluster): Promise<number> {
  const stranger = await join({ id: 'd', secret, peers: cluster.peers });
  try {
    await cluster.until('refused by all', () => stranger.refusals['wrong-secret'] >= IDS.length);
    return stranger.refusals['wrong-secret'];
  } finally {
    await stranger.close();
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } });
  if (!/^[1-9]\d{0,4}$/.test(values.seconds)) {
    process.stderr.write(
      `--seconds: expected a whole number from 1 to 99999, found ${JSON.stringify(values.seconds)}\n`,
    );
    process.exit(2);
  }
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const found = await rotate({ seconds: Number(values.seconds), say });
  say(
    `${found.rotations} rotations, ${found.writes} writes under ${found.tokens} token, ${found.refusedWrites} refused, longest gap ${Math.round(found.longestGapMs)} ms`,
  );
  for (const complaint of found.complaints) say(complaint);
  say(`a process with the first secret was refused ${found.refusals} times`);
  process.exitCode = found.tokens === 1 && found.refusedWrites + found.complaints.length === 0 ? 0 : 1;
}
