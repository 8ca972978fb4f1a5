import { setTimeout as sleep } from 'node:timers/promises';
import { Election } from '../../../src/election/index.ts';
import { type EtcdOptions, etcd } from '../../../src/engines/etcd/index.ts';
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts';
import { EtcdServer } from './etcd.ts';

/** The shortest that etcd holds. */
export const LEASE_MS = 2000;

/** Nothing but what is told wakes whoever has these times. */
export const PATIENT: EtcdOptions = { leaseMs: 60_000, retryMs: 3_600_000 };

/** An etcd, those who use it, and tunnels between them that can be cut. */
export class EtcdBed {
  readonly server: EtcdServer;
  /** What is closed after a test. */
  closing: { close(): Promise<void> }[] = [];
  #proxies: TcpProxy[] = [];
  #elections = 0;

  private constructor(server: EtcdServer) {
    this.server = server;
  }

  static async start(): Promise<EtcdBed> {
    return new EtcdBed(await EtcdServer.start());
  }

  /** A participant in this election. */
  join(name: string, options: EtcdOptions = {}, url: string = this.server.url): Election {
    const engine = etcd(url, { leaseMs: LEASE_MS, log: () => {}, ...options });
    this.closing.push(engine);
    return new Election(name, engine);
  }

  async proxy(): Promise<TcpProxy & { readonly etcdUrl: string }> {
    const made = await startTcpProxy(`http://127.0.0.1:${this.server.port}`);
    this.#proxies.push(made);
    return Object.assign(made, { etcdUrl: made.url.replace('http', 'etcd') });
  }

  newName(): string {
    this.#elections += 1;
    return `election-${this.#elections}`;
  }

  /** All keys that begin like this. */
  async keysOf(prefix: string): Promise<string[]> {
    const text = await this.server.ctl(['get', '--prefix', prefix, '--keys-only']);
    return text.split('\n').filter((line) => line !== '');
  }

  /** Clears away what one test has used. */
  async clear(): Promise<void> {
    await this.server.recover();
    await Promise.all(this.closing.map((each) => each.close()));
    await Promise.all(this.#proxies.map((each) => each.close()));
    this.closing = [];
    this.#proxies = [];
  }

  close(): Promise<void> {
    return this.server.close();
  }
}

/** Asks until it is so. */
export async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await isSo()) return;
    await sleep(25);
  }
  throw new Error(`it never came about: ${what}`);
}
