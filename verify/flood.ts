/**
 * `npm run verify:flood`: does a client that floods the leader with junk take its leadership away? Three members on this
 * machine; one client sends 10,000 junk requests a second to the leader for 30 s. A control run of the same length without
 * the client stands beside it: what changes there is the machine's doing.
 *
 *     npm run verify:flood -- [seconds] [requests a second]
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const MAIN = path.resolve(import.meta.dirname, '..', 'dist', 'cli', 'main.js');
const FLOODER = path.join(import.meta.dirname, 'flooder.mjs');
const SECONDS = Number(process.argv[2] ?? 30);
const RATE = Number(process.argv[3] ?? 10_000);
const SETTLE_MS = 3000;
const TIMES: readonly (readonly [name: string, flags: readonly string[]])[] = [
  ['the default times', []],
  ['the preset lan', ['--option', 'preset=lan']],
];

interface Event {
  readonly event: string;
  readonly text: string;
}

class Cluster {
  readonly changes: string[] = [];
  readonly urls: readonly string[];
  leader = '';
  readonly #children: ChildProcess[] = [];

  constructor(ports: readonly number[], flags: readonly string[]) {
    this.urls = ports.map((port) => `http://127.0.0.1:${port}`);
    const peers = this.urls.map((url, i) => `${i + 1}=${url}`).join(',');
    this.urls.forEach((url, i) => {
      const args = ['node', '--json', '--id', String(i + 1), '--peers', peers, ...flags];
      const env = { ...process.env, CAUCUS_TOKENS: 'verify operate a-token-that-nobody-has-here' };
      const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      this.#children.push(child);
      createInterface({ input: child.stdout! }).on('line', (line) => {
        const { event, text } = JSON.parse(line) as Event;
        if (event === 'acting') this.leader = url;
        if (event === 'acting' || event === 'idle') this.changes.push(text);
      });
    });
  }

  async stop(): Promise<void> {
    const gone = this.#children.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of this.#children) child.kill('SIGTERM');
    await Promise.all(gone);
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
        ),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

interface Flood {
  readonly sent: number;
  readonly answered: number;
  readonly codes: Readonly<Record<string, number>>;
}

async function flood(url: string): Promise<Flood> {
  const client = fork(FLOODER, [url, String(SECONDS), String(RATE)], { execArgv: [] });
  return new Promise((resolve, reject) => {
    client.once('message', (result) => resolve(result as Flood));
    client.once('error', reject);
  });
}

const tell = (line: string): void => void process.stdout.write(`${line}\n`);
let isMoved = false;
for (const [name, flags] of TIMES) {
  const cluster = new Cluster(await freePorts(3), flags);
  try {
    while (cluster.leader === '') await sleep(100);
    await sleep(SETTLE_MS);
    const counted = async (run: () => Promise<unknown>): Promise<number> => {
      const before = cluster.changes.length;
      await run();
      return cluster.changes.length - before;
    };
    const control = await counted(() => sleep(SECONDS * 1000));
    let result: Flood | null = null;
    const changed = await counted(async () => {
      result = await flood(cluster.leader);
    });
    const { sent, answered, codes } = result as unknown as Flood;
    const rate = (count: number): string => Math.round(count / SECONDS).toLocaleString('en');
    tell(
      `${name}: ${rate(sent)} requests/s sent, ${rate(answered)}/s answered (${JSON.stringify(codes)}); leadership events: ${changed} under the flood, ${control} in ${SECONDS} s without it`,
    );
    for (const text of changed > 0 ? cluster.changes.slice(-changed) : []) tell(`  ${text}`);
    if (control > 0) tell('  the machine is too busy to tell: leadership moved without the flood too');
    else if (changed > 0) isMoved = true;
  } finally {
    await cluster.stop();
  }
}
process.exitCode = isMoved ? 1 : 0;
