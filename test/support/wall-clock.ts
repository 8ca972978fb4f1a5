import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hasDebian } from './debian.ts';

export function hasFaketime(): boolean {
  return hasDebian('libfaketime', ['faketime']);
}

/**
 * The wall clock of a server that is started with this environment, which can be moved while it runs. Nothing else of the machine
 * is touched: Debian's libfaketime stands between the server and the system's library. It does not work for programs in Go,
 * which ask the kernel by themselves.
 */
export class WallClock {
  readonly env: NodeJS.ProcessEnv;
  readonly #folder: string;

  constructor() {
    this.#folder = mkdtempSync(path.join(tmpdir(), 'caucus-clock-'));
    chmodSync(this.#folder, 0o755); // A server may run as another user.
    const triple = readdirSync('/usr/lib').find((name) => existsSync(`/usr/lib/${name}/faketime`))!;
    this.env = {
      // The memory allocator of Redis asks for the time before there is any. With that of the system's library it does not.
      LD_PRELOAD: `/usr/lib/${triple}/faketime/libfaketime.so.1 /lib/${triple}/libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    this.set(0);
  }

  /** From now on it shows the machine's time and this much more. */
  set(aheadS: number): void {
    writeFileSync(this.#file, `${aheadS < 0 ? '-' : '+'}${Math.abs(aheadS)}\n`);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #file(): string {
    return path.join(this.#folder, 'ahead');
  }
}
