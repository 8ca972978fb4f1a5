/** A CA for tests, and certificates of all kinds, also those that must be refused. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { issue, type Wanted } from '../../src/cli/commands/cert/openssl.ts';
import type { TlsOptions } from '../../src/member/index.ts';

const DAY_MS = 86_400_000;

export type Unusual = Partial<
  Pick<Wanted, 'uris' | 'dnsNames' | 'addresses' | 'uses' | 'fromMs' | 'untilMs'>
>;

export interface Issued {
  readonly cert: string;
  readonly key: string;
}

export function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export class TestCa {
  readonly folder: string = mkdtempSync(path.join(tmpdir(), 'caucus-ca-'));
  readonly own: Issued;
  #files = 0;

  private constructor(own: Issued) {
    this.own = own;
  }

  static async open(name = 'test CA', unusual: Unusual = {}): Promise<TestCa> {
    const key = newKey();
    const nowMs = Date.now();
    const cert = await issue({
      commonName: name,
      key,
      issuer: null,
      uris: [],
      dnsNames: [],
      addresses: [],
      uses: [],
      fromMs: nowMs - DAY_MS,
      untilMs: nowMs + 3650 * DAY_MS,
      ...unusual,
    });
    return new TestCa({ cert, key });
  }

  /** A certificate of this member of the cluster `caucus`, unless something else is wanted. */
  async issue(id: string | number, unusual: Unusual = {}, issuer: Issued = this.own): Promise<Issued> {
    const key = newKey();
    const nowMs = Date.now();
    const cert = await issue({
      commonName: `member ${id}`,
      key,
      issuer,
      uris: [`caucus:caucus:${id}`],
      dnsNames: ['localhost'],
      addresses: ['127.0.0.1'],
      uses: ['serverAuth', 'clientAuth'],
      fromMs: nowMs - DAY_MS,
      untilMs: nowMs + 365 * DAY_MS,
      ...unusual,
    });
    return { cert, key };
  }

  /** The same in files, as a member takes them. */
  async member(id: string | number, unusual: Unusual = {}): Promise<TlsOptions> {
    return this.files(await this.issue(id, unusual));
  }

  files({ cert, key }: Issued, ca: string = this.own.cert): TlsOptions {
    return { cert: this.file(cert), key: this.file(key), ca: this.file(ca) };
  }

  file(text: string): string {
    const file = path.join(this.folder, `${++this.#files}.pem`);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
