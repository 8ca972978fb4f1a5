/**
 * Three members as processes that write to a store behind a fence while they lead, and whose certificates are replaced under
 * them: the CA beside the old one, the certificate of each member, and then the old CA goes. After each step a follower is
 * killed and started again, so that connections are made with what is new. Used by a test, and for a minute by
 * `verify/tls-rotation.ts`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { Gate } from '../../src/election/index.ts';
import type { TlsOptions } from '../../src/member/index.ts';
import { compiled } from './compiled.ts';
import { freePorts } from './free-ports.ts';
import { type Issued, TestCa } from './test-ca.ts';

const SCRIPT = await compiled(path.resolve(import.meta.dirname, 'writer-process.ts'));
const IDS = [1, 2, 3] as const;
/** Files are looked at every second. */
const WITHIN_MS = 60_000;

export class TlsRotation {
  writes = 0;
  refused = 0;
  /** The tokens of all writes, in order, each once. */
  readonly tokens: string[] = [];
  /** What the members said of new files that they did not use. */
  readonly complaints: string[] = [];
  #leader = 0;
  readonly #gate = new Gate();
  readonly #store: Server;
  readonly #children = new Map<number, ChildProcess>();
  readonly #files = new Map<number, TlsOptions>();
  readonly #ports: readonly number[];
  #ca: TestCa;
  readonly #cas: TestCa[];

  private constructor(ca: TestCa, store: Server, ports: readonly number[]) {
    this.#ca = ca;
    this.#cas = [ca];
    this.#store = store;
    this.#ports = ports;
  }

  static async open(): Promise<TlsRotation> {
    const store = createServer().listen(0, '127.0.0.1');
    await once(store, 'listening');
    const ca = await TestCa.open('CA 1');
    const rotation = new TlsRotation(ca, store, await freePorts(3));
    store.on('connection', (socket) => {
      socket.on('error', () => {});
      createInterface({ input: socket }).on('line', (line) => rotation.#onWrite(line));
    });
    for (const id of IDS) rotation.#files.set(id, await ca.member(id));
    for (const id of IDS) rotation.#start(id);
    await rotation.#until('one writes', async () => rotation.writes > 0);
    await rotation.#until('all are connected', async () => rotation.#isWhole());
    return rotation;
  }

  /** Replaces the CA and all certificates. */
  async rotate(): Promise<void> {
    const [old, next] = [this.#ca, await TestCa.open(`CA ${this.#cas.length + 1}`)];
    this.#cas.push(next);
    const [stranger] = await Promise.all([next.issue(9, { uris: [] })]);
    for (const id of IDS) replace(this.#files.get(id)!.ca, `${old.own.cert}${next.own.cert}`);
    for (const id of IDS)
      await this.#until(`${id} accepts the new CA`, async () =>
        (await this.#saysOf(id, stranger)).includes('names no member'),
      );
    await this.#restartFollower();
    for (const id of IDS) {
      const { cert, key } = await next.issue(id);
      replace(this.#files.get(id)!.cert, cert);
      replace(this.#files.get(id)!.key, key);
    }
    for (const id of IDS)
      await this.#until(
        `${id} shows its new certificate`,
        async () => (await this.#issuerOf(id)) === next.own.cert,
      );
    await this.#restartFollower();
    const gone = await old.issue(9, { uris: [] });
    for (const id of IDS) replace(this.#files.get(id)!.ca, next.own.cert);
    for (const id of IDS)
      await this.#until(`${id} refuses the old CA`, async () =>
        (await this.#saysOf(id, gone)).includes('not in the CA file'),
      );
    await this.#restartFollower();
    this.#ca = next;
  }

  /** Bad files: the member that leads gets the key of another certificate, and then its own again. */
  async spoil(): Promise<void> {
    const files = this.#files.get(this.#leader)!;
    const { key } = await this.#ca.issue(this.#leader);
    const good = await this.#ca.issue(this.#leader);
    const before = this.complaints.length;
    replace(files.key, key);
    await this.#until('the key is refused', async () => this.complaints.length > before);
    replace(files.cert, good.cert);
    replace(files.key, good.key);
  }

  async close(): Promise<void> {
    const gone = [...this.#children.values()].map((child) => once(child, 'exit'));
    for (const child of this.#children.values()) child.kill('SIGKILL');
    await Promise.all(gone);
    this.#store.close();
    for (const ca of this.#cas) ca.close();
  }

  #onWrite(line: string): void {
    const [token, by] = line.split(' ') as [string, string];
    this.writes++;
    if (!this.#gate.accepts(BigInt(token))) this.refused++;
    if (this.tokens.includes(token)) return;
    this.tokens.push(token);
    this.#leader = Number(by);
  }

  #start(id: number): void {
    const peers = this.#ports.map((port, i) => ({ id: i + 1, url: `https://127.0.0.1:${port}` }));
    const options = JSON.stringify({ id, peers, tls: this.#files.get(id) });
    const { port } = this.#store.address() as { port: number };
    const args = [SCRIPT, options, String(port)];
    const env = { ...process.env, WRITER_LOGS: '1' };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const { log = '' } = JSON.parse(line) as { log?: string };
      if (log.startsWith('the certificates stay as they were')) this.complaints.push(log);
    });
    this.#children.set(id, child);
  }

  async #restartFollower(): Promise<void> {
    const id = IDS.find((each) => each !== this.#leader)!;
    const child = this.#children.get(id)!;
    child.kill('SIGKILL');
    await once(child, 'exit');
    this.#start(id);
    await this.#until(`${id} is connected again`, async () => this.#isWhole());
  }

  /** Are all connected with all, as each of them sees it? */
  async #isWhole(): Promise<boolean> {
    const seen = await Promise.all(IDS.map((id) => this.#ask(id, 'GET', '/cluster')));
    return seen.every((text) => {
      const { members } = JSON.parse(text) as { members: readonly { via: string }[] };
      return members.length === 3 && members.every(({ via }) => via === 'self' || via === 'link');
    });
  }

  /** What a member says to a message under this certificate. */
  #saysOf(id: number, { cert, key }: Issued): Promise<string> {
    return this.#ask(id, 'POST', '/term', { cert, key });
  }

  #ask(id: number, method: string, path: string, tls: ConnectionOptions = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      const where = { host: '127.0.0.1', port: this.#ports[id - 1], method, path, agent: false };
      const request = https.request({ ...where, rejectUnauthorized: false, ...tls }, async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve(text);
      });
      request.on('error', reject);
      request.end();
    });
  }

  /** The CA that the certificate of a member is of. */
  async #issuerOf(id: number): Promise<string> {
    for (const { own } of this.#cas) {
      try {
        await this.#ask(id, 'GET', '/liveness', { rejectUnauthorized: true, ca: own.cert });
        return own.cert;
      } catch {
        // Of another one.
      }
    }
    return '';
  }

  async #until(what: string, test: () => Promise<boolean>): Promise<void> {
    for (const endMs = performance.now() + WITHIN_MS; performance.now() < endMs; await sleep(50))
      if (await test().catch(() => false)) return;
    throw new Error(`never came: ${what}`);
  }
}

/** In one step, as tools that renew certificates do it. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
