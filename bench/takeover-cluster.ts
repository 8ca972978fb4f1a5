/** Members as processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../test/support/free-ports.ts';
import { TestCa } from '../test/support/test-ca.ts';
import { Candidates } from './candidates.ts';

const MEMBER = fileURLToPath(new URL('./takeover-member.mjs', import.meta.url));
const PROBE = fileURLToPath(new URL('./takeover-probe.cjs', import.meta.url));

/** How members authenticate each other. */
export type Auth = 'none' | 'secret' | 'tls';

const SECRET = 'a-secret-of-the-bench-alone';

interface ClusterOptions {
  readonly members?: number;
  readonly elections?: number;
  readonly preset?: string;
  readonly auth?: Auth;
  readonly deputies?: boolean;
}

export class Cluster extends Candidates {
  readonly #folder: string;
  readonly #ca: TestCa | null;

  private constructor(
    folder: string,
    ca: TestCa | null,
    peers: readonly { readonly id: number; readonly url: string }[],
    { elections = 1, preset = 'lan', auth = 'none', deputies = false }: ClusterOptions,
  ) {
    const joinOptions = async (id: number): Promise<object> => {
      if (ca !== null) return { tls: await ca.member(id) };
      return auth === 'secret' ? { secret: SECRET } : {};
    };
    super({
      elections,
      countsMessages: true,
      async launch(id): Promise<ChildProcess> {
        const args = [String(id), JSON.stringify(peers), path.join(folder, String(id)), String(elections)];
        const join = { ...(await joinOptions(id)), deputies, options: { preset } };
        return spawn(process.execPath, ['--require', PROBE, MEMBER, ...args], {
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
          env: { ...process.env, JOIN: JSON.stringify(join) },
        });
      },
    });
    this.#folder = folder;
    this.#ca = ca;
  }

  static async open(options: ClusterOptions = {}): Promise<Cluster> {
    const ca = options.auth === 'tls' ? await TestCa.open() : null;
    const scheme = ca === null ? 'http' : 'https';
    const ports = await freePorts(options.members ?? 3);
    const peers = ports.map((port, i) => ({ id: i + 1, url: `${scheme}://127.0.0.1:${port}` }));
    const cluster = new Cluster(mkdtempSync(path.join(tmpdir(), 'caucus-bench-')), ca, peers, options);
    try {
      await Promise.all(peers.map(({ id }) => cluster.start(id)));
      await cluster.settled();
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  override async close(): Promise<void> {
    await super.close();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
    this.#ca?.close();
  }
}
