import path from 'node:path';
import { freePorts } from '../free-ports.ts';
import { type Program, ServerProcess } from './server-process.ts';

const MAIN = path.resolve(import.meta.dirname, '../../../dist/cli/main.js');
const IDS = ['a', 'b', 'c'];

/** One `caucus node`, with a data folder. */
export class MemberServer extends ServerProcess {
  readonly id: string;
  readonly #peers: string;
  readonly #flags: readonly string[];

  constructor(id: string, port: number, peers: string, flags: readonly string[]) {
    super('member', port);
    this.id = id;
    this.#peers = peers;
    this.#flags = flags;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  protected program(): Program {
    const where = ['--id', this.id, '--listen', `127.0.0.1:${this.port}`, '--peers', this.#peers];
    const args = [MAIN, 'node', ...where, '--data', this.file('data'), ...this.#flags];
    return { file: process.execPath, args };
  }

  protected async ask(): Promise<void> {
    const { status } = await fetch(`${this.url}/liveness`);
    if (status !== 200) throw new Error(`HTTP ${status}`);
  }

  /** Does it manage the leases? Rejects if it does not answer. */
  async isManager(): Promise<boolean> {
    const url = `${this.url}/elections/caucus.leases/leader`;
    return (await fetch(url, { signal: AbortSignal.timeout(2000) })).status === 200;
  }
}

/** Three of them, as a store of leases. */
export class Members {
  readonly all: readonly MemberServer[];

  private constructor(all: readonly MemberServer[]) {
    this.all = all;
  }

  /** `flags`: more flags of each. */
  static async start(flags: readonly string[] = []): Promise<Members> {
    for (let tries = 3; ; tries--) {
      const ports = await freePorts(IDS.length);
      const peers = IDS.map((id, i) => `${id}=http://127.0.0.1:${ports[i]}`).join(',');
      const members = new Members(IDS.map((id, i) => new MemberServer(id, ports[i]!, peers, flags)));
      try {
        await members.restart();
        return members;
      } catch (error) {
        await members.close();
        if (tries === 1) throw error;
      }
    }
  }

  get ports(): readonly number[] {
    return this.all.map(({ port }) => port);
  }

  get url(): string {
    return urlOf(this.ports);
  }

  /** The one that manages the leases, as soon as one does. */
  async manager(): Promise<MemberServer> {
    for (let tries = 300; tries > 0; tries--) {
      for (const member of this.all)
        if (member.isRunning && (await member.isManager().catch(() => false))) return member;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('no member manages the leases');
  }

  async restart(): Promise<void> {
    await Promise.all(this.all.map((member) => member.restart()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((member) => member.stop()));
  }

  pause(): void {
    for (const member of this.all) member.pause();
  }

  resume(): void {
    for (const member of this.all) member.resume();
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((member) => member.close()));
  }
}

export function urlOf(ports: readonly number[]): string {
  return `caucus://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
}
