/**
 * Network namespaces for tests: each host has an address of its own, all are on one bridge, and the test is on it too.
 * Links are really cut and packets really lost. Everything is made by the test and removed again; it needs root and
 * the command `ip`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';

const PREFIX = 'caucus';

/** What unshare itself says when the program is killed is left out; the program has the standard error of the test. */
const APART = `exec unshare --pid --fork --mount-proc --kill-child sh -c 'exec "$@" 2>&9 9>&-' sh "$@" 9>&2 2>/dev/null`;

/**
 * Why namespaces cannot be used here, or null. In CI that is an error: tests that are skipped there are not run
 * anywhere.
 */
export function withoutNamespaces(): string | null {
  const reason = whyNot();
  if (reason === null) return null;
  if (process.env.CI === 'true') throw new Error(`network namespaces are needed in CI: ${reason}`);
  return reason;
}

function whyNot(): string | null {
  if (process.getuid?.() !== 0) return 'only root may make network namespaces';
  const name = `${PREFIX}-try-${process.pid}`;
  const tried = spawnSync('ip', ['netns', 'add', name]);
  if (tried.error !== undefined) return 'there is no command `ip`';
  if (tried.status !== 0) return String(tried.stderr).trim();
  spawnSync('ip', ['netns', 'del', name]);
  const listed = spawnSync('iptables', ['-L', '-n']);
  return listed.status === 0 ? null : 'there is no command `iptables`';
}

export class Namespaces {
  readonly #id: string;
  readonly #bridge: string;
  readonly #net: string;
  readonly #hosts: string[] = [];
  readonly #links: string[] = [];

  /** `hosts` names the lines of /etc/hosts in each namespace, by the number of the host. */
  constructor(count: number, nameOf: (address: string) => string) {
    // The name of an interface has at most 15 characters.
    this.#id = process.pid.toString(36);
    this.#bridge = `cau${this.#id}`;
    this.#net = `10.${64 + (process.pid % 64)}.${(process.pid >> 6) % 250}`;
    const hosts = Array.from(
      { length: count },
      (_, i) => `${this.address(i + 1)} ${nameOf(this.address(i + 1))}`,
    );
    try {
      run('link', 'add', this.#bridge, 'type', 'bridge');
      run('addr', 'add', `${this.#net}.254/24`, 'dev', this.#bridge);
      run('link', 'set', this.#bridge, 'up');
      for (let host = 1; host <= count; host++) this.#add(host, hosts.join('\n'));
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  address(host: number): string {
    return `${this.#net}.${host}`;
  }

  /** The command that runs a program on that host. */
  command(host: number, ...program: readonly string[]): readonly string[] {
    return ['ip', 'netns', 'exec', this.#name(host), ...program];
  }

  /** The same, among processes of its own: the program is the first of a pid namespace, and ends with the command. */
  apart(host: number, ...program: readonly string[]): readonly string[] {
    return this.command(host, 'sh', '-c', APART, 'sh', ...program);
  }

  /** No packet passes between the two, either way. */
  cut(a: number, b: number): void {
    this.#iptables(a, '-A', 'INPUT', '-s', this.address(b), '-j', 'DROP');
    this.#iptables(b, '-A', 'INPUT', '-s', this.address(a), '-j', 'DROP');
  }

  /** That share of the packets to this host is lost. */
  lose(host: number, share: number): void {
    const dropped = ['-m', 'statistic', '--mode', 'random', '--probability', share.toFixed(3)];
    this.#iptables(host, '-A', 'INPUT', ...dropped, '-j', 'DROP');
  }

  /** All cuts and losses end. */
  heal(): void {
    for (const i of this.#hosts.keys()) this.#iptables(i + 1, '-F', 'INPUT');
  }

  remove(): void {
    // With its namespace an interface would go too, but later.
    for (const link of this.#links) spawnSync('ip', ['link', 'del', link]);
    spawnSync('ip', ['link', 'del', this.#bridge]);
    for (const name of this.#hosts) {
      spawnSync('ip', ['netns', 'del', name]);
      rmSync(`/etc/netns/${name}`, { recursive: true, force: true });
    }
  }

  #name(host: number): string {
    return `${PREFIX}-${this.#id}-${host}`;
  }

  #add(host: number, hosts: string): void {
    const name = this.#name(host);
    const [outer, inner] = [`ca${this.#id}o${host}`, `ca${this.#id}i${host}`];
    run('netns', 'add', name);
    this.#hosts.push(name);
    this.#links.push(outer);
    mkdirSync(`/etc/netns/${name}`, { recursive: true });
    writeFileSync(`/etc/netns/${name}/hosts`, `127.0.0.1 localhost\n${hosts}\n`);
    run('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner);
    run('link', 'set', inner, 'netns', name);
    run('link', 'set', outer, 'master', this.#bridge, 'up');
    run('-n', name, 'addr', 'add', `${this.address(host)}/24`, 'dev', inner);
    run('-n', name, 'link', 'set', inner, 'up');
    run('-n', name, 'link', 'set', 'lo', 'up');
  }

  #iptables(host: number, ...rule: readonly string[]): void {
    const [command, ...rest] = this.command(host, 'iptables', '-w', ...rule);
    execFileSync(command!, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
  }
}

function run(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
