/**
 * Three members on three hosts with TLS, by the commands of docs/operations.md: each host is a network namespace with a pid
 * namespace of its own. Only addresses and folders are replaced by those of the test.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../support/linked.ts';
import { Namespaces, withoutNamespaces } from '../support/namespaces.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const MAIN = path.join(ROOT, 'dist/cli/main.js');
const IDS = ['a', 'b', 'c'] as const;
const run = promisify(execFile);

/** The blocks of commands of a section, in order. */
function blocksOf(section: string): string[] {
  const text = readFileSync(path.join(ROOT, 'docs/operations.md'), 'utf8');
  const [, found] = new RegExp(`\\n## ${section}\\n([\\s\\S]*?)\\n## `).exec(text)!;
  return [...found!.matchAll(/(?:^ {4}.*\n?)+/gm)].map(([block]) => block.replace(/^ {4}/gm, ''));
}

interface Running {
  readonly child: ChildProcess;
  readonly log: string[];
}

class Hosts {
  readonly folder: string = mkdtempSync(path.join(tmpdir(), 'caucus-hosts-'));
  readonly members = new Map<string, Running>();
  readonly #lab = new Namespaces(3, (address) => `host-${address.split('.').at(-1)}`);

  constructor() {
    const bin = path.join(this.folder, 'bin');
    mkdirSync(bin);
    for (const host of [1, 2, 3]) {
      mkdirSync(this.#etc(host), { recursive: true });
      mkdirSync(path.join(this.folder, `host-${host}`, 'data'));
    }
    write(path.join(bin, 'caucus'), `exec '${process.execPath}' '${MAIN}' "$@"`);
    // Copies to the folder of the host, as scp does.
    write(
      path.join(bin, 'scp'),
      `for to in "$@"; do :; done; while [ $# -gt 1 ]; do cp "$1" "${this.folder}/host-$(echo "$to" | sed 's/:.*//; s/.*\\.//')/etc/\${to##*/}" || exit 1; shift; done`,
    );
  }

  address(host: number): string {
    return this.#lab.address(host);
  }

  /** Runs a block on the machine where certificates are made. */
  async run(block: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
    const script = this.#here(block);
    const { stdout } = await run('sh', ['-ec', script], { cwd: this.folder, env: { ...this.#env, ...env } });
    return stdout;
  }

  /** Runs a block on that host, in its own network and among its own processes, until the test ends. */
  start(host: number, block: string): void {
    const id = IDS[host - 1]!;
    const script = this.#here(block.replace(/^ID=.*$/m, `ID=${id} ADDRESS=${this.address(host)}`))
      .replaceAll('/etc/caucus', this.#etc(host))
      .replaceAll('/var/lib/caucus', path.join(this.folder, `host-${host}`, 'data'))
      .replace('caucus node', 'exec caucus node --json');
    const apart = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child', 'sh', '-ec', script];
    const [command, ...args] = this.#lab.command(host, ...apart);
    const child = spawn(command!, args, { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    const log: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => void log.push(line));
    this.members.set(id, { child, log });
  }

  has(id: string, words: RegExp): boolean {
    return this.members.get(id)!.log.some((line) => words.test(line));
  }

  get logs(): string {
    return [...this.members].map(([id, { log }]) => `${id}:\n  ${log.join('\n  ')}`).join('\n');
  }

  async close(): Promise<void> {
    const running = [...this.members.values()]
      .map(({ child }) => child)
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const gone = running.map((child) => once(child, 'exit'));
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(gone);
    this.#lab.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #env(): NodeJS.ProcessEnv {
    return { ...process.env, PATH: `${path.join(this.folder, 'bin')}:${process.env.PATH}` };
  }

  #etc(host: number): string {
    return path.join(this.folder, `host-${host}`, 'etc');
  }

  #here(block: string): string {
    return block.replace(/10\.0\.0\.([123])/g, (_, host) => this.address(Number(host)));
  }
}

function write(file: string, script: string): void {
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

let hosts: Hosts | null = null;

afterEach(async () => {
  await hosts?.close();
  hosts = null;
});

const reason = withoutNamespaces();

describe.skipIf(reason !== null)(`three hosts${reason === null ? '' : ` (${reason})`}`, () => {
  it('are set up, asked and given new certificates by the commands of the documentation', async () => {
    const lab = new Hosts();
    hosts = lab;
    const [certificates, start, ask, renew, ...replace] = blocksOf('Three members on three hosts with TLS');
    await lab.run(certificates!);
    for (const host of [1, 2, 3]) lab.start(host, start!);
    const acting = (): string[] => IDS.filter((id) => lab.has(id, /"event":"acting"/));
    const isWhole = (): boolean =>
      IDS.every((id) =>
        IDS.every((other) => other === id || lab.has(id, new RegExp(`connected to ${other} at https:`))),
      );
    try {
      await until('one acts', () => acting().length === 1 && isWhole());
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${lab.logs}`);
    }
    const [leader] = acting();
    const said = await lab.run(ask!);
    expect(said).toMatch(new RegExp(`main of shop .*: ${leader} leads, token \\d+`));
    for (const host of [1, 2, 3]) expect(said).toContain(`https://${lab.address(host)}:7101`);
    await lab.run(renew!);
    await until('a has read its certificate', () =>
      lab.has('a', /certificates were read again; that of this member is [0-9A-F]/),
    );
    expect(replace).toHaveLength(3);
    for (const [step, block] of replace.entries()) {
      const before = IDS.map((id) => count(lab, id));
      await lab.run(block);
      await until(`step ${step + 1} of the CA is read by all`, () =>
        IDS.every((id, i) => count(lab, id) > before[i]!),
      );
    }
    // With the old CA gone, only the new one opens the door.
    const env = { CAUCUS_TLS_CA: 'ca2/ca.pem', CAUCUS_URL: `https://${lab.address(2)}:7101` };
    expect(await lab.run('caucus leader', env)).toBe(`${leader}\n`);
    await expect(lab.run('caucus leader', { ...env, CAUCUS_TLS_CA: 'ca/ca.pem' })).rejects.toThrow(
      /its certificate is not of a CA that is trusted here/,
    );
    expect(acting()).toEqual([leader]);
    expect(IDS.some((id) => lab.has(id, /"event":"idle"/))).toBe(false);
    expect(IDS.some((id) => lab.has(id, /stay as they were/))).toBe(false);
    // A host that fails: another member takes over, and with the new certificates.
    lab.members.get(leader!)!.child.kill('SIGKILL');
    await until('another one acts', () => acting().length === 2);
  }, 180_000);
});

function count(lab: Hosts, id: string): number {
  return lab.members.get(id)!.log.filter((line) => line.includes('certificates were read again')).length;
}
