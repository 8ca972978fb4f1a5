/**
 * A cluster on hosts of their own that an operator changes by the commands of docs/operations.md, while its members write to a
 * ledger whenever they lead: it knows whether two ever led at the same time.
 */
import { once } from 'node:events';
import path from 'node:path';
import { compiled } from './compiled.ts';
import { Hosts } from './hosts.ts';
import { Ledger } from './ledger.ts';

const SCRIPT = await compiled(path.resolve(import.meta.dirname, 'writer-process.ts'));
const IDS = 'abcdefgh';

interface Status {
  readonly leader: string | null;
  readonly knownVoters: readonly string[];
  readonly pending: readonly string[];
  readonly detail: string;
  readonly role: string;
  readonly timing: string;
}

export class OperatedHosts {
  readonly lab: Hosts;
  readonly store: Ledger = new Ledger();
  readonly #elections: readonly string[];
  #token = '';

  private constructor(count: number, elections: readonly string[]) {
    this.lab = new Hosts(count);
    this.#elections = elections;
  }

  /** `make`: the commands that make a secret and the token of an operator. */
  static async open(count: number, elections: readonly string[], make: string): Promise<OperatedHosts> {
    const hosts = new OperatedHosts(count, elections);
    await once(hosts.store.server.listen(0, hosts.lab.here), 'listening');
    await hosts.lab.run(make);
    hosts.#token = (await hosts.lab.run('cat token')).trim();
    return hosts;
  }

  urlOf(id: string): string {
    return `http://${this.lab.address(hostOf(id))}:7101`;
  }

  peers(...ids: readonly string[]): { readonly id: string; readonly url: string }[] {
    return ids.map((id) => ({ id, url: this.urlOf(id) }));
  }

  /** Starts a member. `peers`: how it finds the others. `before`: the command that starts the program, if there is one. */
  start(id: string, peers: object, ...before: readonly string[]): void {
    const options = {
      id,
      cluster: 'shop',
      listen: { host: this.lab.address(hostOf(id)), port: 7101 },
      secretFile: '/etc/caucus/secret',
      data: '/var/lib/caucus',
      tokens: [{ name: 'alice', roles: ['operate'], token: this.#token }],
      ...peers,
    };
    const { port } = this.store.server.address() as { port: number };
    const args = [JSON.stringify(options), String(port), this.lab.here, ...this.#elections];
    this.lab.startProgram(hostOf(id), id, ...before, process.execPath, SCRIPT, ...args);
  }

  async statusOf(id: string, election: string): Promise<Status> {
    return (await (await fetch(`${this.urlOf(id)}/elections/${election}/status`)).json()) as Status;
  }

  /** Settles when it is so of all elections, as each of these members sees them. */
  async all(what: string, ids: readonly string[], isSo: (status: Status) => boolean): Promise<void> {
    await this.lab.until(what, async () => {
      const asked = ids.flatMap((id) => this.#elections.map((election) => this.statusOf(id, election)));
      const seen = await Promise.all(asked).catch(() => []);
      return seen.length > 0 && seen.every(isSo);
    });
  }

  /** How often two led at the same time, and whether each election was led for long. */
  get outcome(): { readonly overlaps: number; readonly unwritten: readonly string[] } {
    const unwritten = this.#elections.filter((name) => (this.store.writes.get(name)?.length ?? 0) <= 100);
    return { overlaps: this.store.overlaps.length, unwritten };
  }

  async close(): Promise<void> {
    await this.lab.close();
    this.store.server.close();
  }
}

function hostOf(id: string): number {
  return 1 + IDS.indexOf(id);
}
