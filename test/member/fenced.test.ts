import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, on, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gate } from '../../src/election/index.ts';
import { compiled } from '../support/compiled.ts';
import { freePorts } from '../support/free-ports.ts';

const SCRIPT = await compiled(path.resolve(import.meta.dirname, '../support/writer-process.ts'));
const ROUNDS = 50;

interface Write {
  readonly token: bigint;
  readonly by: string;
  /** Just before its writer asked whether it may. */
  readonly begunAt: bigint;
}

/** Takes what its gate accepts, and keeps apart what it does not. */
class Store extends EventEmitter {
  readonly #gate = new Gate();
  readonly server: Server;
  readonly refused: Write[] = [];
  last: Write | null = null;

  constructor() {
    super();
    this.server = createServer((socket) => {
      socket.on('error', () => {}); // Its writer was killed.
      createInterface({ input: socket }).on('line', (line) => {
        const [token, by, begunAt] = line.split(' ');
        this.#write({ token: BigInt(token!), by: by!, begunAt: BigInt(begunAt!) });
      });
    });
  }

  #write(write: Write): void {
    if (this.#gate.accepts(write.token)) {
      this.last = write;
      this.emit('write', write);
    } else this.refused.push(write);
  }

  /** The next write that is accepted. */
  async next(fits: (write: Write) => boolean): Promise<Write> {
    for await (const [write] of on(this, 'write')) if (fits(write as Write)) return write as Write;
    throw new Error('no more writes');
  }
}

/** A process that writes while it leads, and what its `assert()` has thrown, by token. */
class Writer extends EventEmitter {
  readonly child: ChildProcess;
  readonly #thrown = new Map<bigint, string>();

  constructor(args: readonly string[]) {
    super();
    this.child = spawn(process.execPath, [SCRIPT, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface({ input: this.child.stdout! }).on('line', (line) => {
      const { token, threw } = JSON.parse(line) as { token: string; threw: string };
      this.#thrown.set(BigInt(token), threw);
      this.emit('threw');
    });
  }

  async thrown(token: bigint): Promise<string> {
    while (!this.#thrown.has(token)) await once(this, 'threw');
    return this.#thrown.get(token)!;
  }
}

let folder: string;
let store: Store;
const writers = new Map<string, Writer>();

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-fenced-'));
  store = new Store();
  await once(store.server.listen(0, '127.0.0.1'), 'listening');
});

afterEach(() => {
  for (const { child } of writers.values()) child.kill('SIGKILL');
  writers.clear();
  store.server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startWriters(ids: readonly string[]): Promise<void> {
  const { port: storePort } = store.server.address() as { port: number };
  const ports = await freePorts(ids.length);
  const peers = ids.map((id, i) => ({ id, url: `http://127.0.0.1:${ports[i]}` }));
  for (const [i, id] of ids.entries()) {
    const own = { id, listen: { port: ports[i] }, data: path.join(folder, id) };
    const options = { ...own, peers, options: { preset: 'lan' } };
    writers.set(id, new Writer([JSON.stringify(options), String(storePort)]));
  }
}

describe('a leader that was stopped for longer than its lease', () => {
  it(`finds out before its first write, ${ROUNDS} times out of ${ROUNDS}`, async () => {
    const first = store.next(() => true);
    await startWriters(['a', 'b', 'c']);
    let leading = await first;
    for (let round = 1; round <= ROUNDS; round++) {
      const stopped = writers.get(leading.by)!;
      const successor = store.next(({ by }) => by !== leading.by);
      stopped.child.kill('SIGSTOP');
      const next = await successor;
      expect(next.token).toBeGreaterThan(leading.token);
      const wentOnAt = process.hrtime.bigint();
      stopped.child.kill('SIGCONT');
      expect(await stopped.thrown(leading.token)).toMatch(/^LeadershipLost: /);
      // A write that was begun before the stop may come after it; that is what the gate is for. None was begun later.
      expect(store.refused.filter(({ begunAt }) => begunAt > wentOnAt)).toEqual([]);
      leading = store.last!;
    }
  }, 120_000);
});
