import path from 'node:path';
import { type Ground, type GroundOf, loopback } from '../ground.ts';
import { type Program, ServerProcess } from './server-process.ts';

const MAIN = path.resolve(import.meta.dirname, '../../../dist/cli/main.js');
const IDS = ['a', 'b', 'c'];

/** One `caucus node`, with a data folder. */
export class MemberServer extends ServerProcess {
  readonly id: string;
  readonly #address: string;
  readonly #flags: readonly string[];

  /** The index of an id says at which place of the ground it is. */
  constructor(id: string, ground: Ground, flags: readonly string[]) {
    const index = IDS.indexOf(id);
    super('member', ground.listens[index]!.port, ground.place(index));
    this.id = id;
    this.#address = addressOf(ground, index);
    this.#flags = flags;
  }

  get url(): string {
    return `http://${this.#address}`;
  }

  protected program(): Program {
    const where = ['--id', this.id, '--listen', this.#address];
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
  readonly #ground: Ground;

  private constructor(ground: Ground, flags: readonly string[]) {
    const peers = IDS.map((id, i) => `${id}=http://${addressOf(ground, i)}`).join(',');
    const insecure = ground.options.insecure === true ? ['--insecure'] : [];
    this.all = IDS.map((id) => new MemberServer(id, ground, ['--peers', peers, ...insecure, ...flags]));
    this.#ground = ground;
  }

  /** `flags`: more flags of each. They are at the first places of the ground, which is removed with them. */
  static async start(flags: readonly string[] = [], groundOf: GroundOf = loopback): Promise<Members> {
    for (let tries = 3; ; tries--) {
      const members = new Members(await groundOf(IDS.length), flags);
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
    return `caucus://${IDS.map((_, i) => addressOf(this.#ground, i)).join(',')}`;
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

  async recover(): Promise<void> {
    await Promise.all(this.all.map((member) => member.recover()));
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((member) => member.close()));
    this.#ground.remove();
  }
}

function addressOf({ listens }: Ground, index: number): string {
  const { host, port } = listens[index]!;
  return `${host}:${port}`;
}

export function urlOf(ports: readonly number[]): string {
  return `caucus://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
}
