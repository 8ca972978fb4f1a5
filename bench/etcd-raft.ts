/**
 * etcd's own Raft: three servers, one of which leads. A server says in its log that it became leader, and the line is timed when
 * it arrives here. That is the earliest moment that could be meant: it answers its first write a round trip and a save later.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../test/support/free-ports.ts';
import { HERE } from '../test/support/ground.ts';
import { type Program, ServerProcess } from '../test/support/servers/server-process.ts';
import { type Blow, type Cost, nowMs } from './candidates.ts';
import { cpuMsOf, rssMbOf } from './process-cost.ts';
import { byRole, type Rest, type Rivals } from './rivals.ts';

const SETTLE_MS = 300;
const MOST_TRIES = 40;
const LONGEST_WAIT_MS = 30_000;

interface Timing {
  readonly heartbeatMs: number;
  readonly electionMs: number;
}

interface Became {
  readonly server: EtcdMember;
  readonly term: number;
  readonly atMs: number;
}

class EtcdMember extends ServerProcess {
  readonly #flags: Readonly<Record<string, string | number>>;

  constructor(
    port: number,
    flags: Readonly<Record<string, string | number>>,
    onLeader: (server: EtcdMember, term: number) => void,
  ) {
    super('etcd', port, {
      ...HERE,
      spawn(program, options) {
        const child = HERE.spawn(program, options);
        let line = '';
        child.stderr!.setEncoding('utf8').on('data', (text: string) => {
          const lines = `${line}${text}`.split('\n');
          line = lines.pop()!;
          for (const each of lines) {
            const term = / became leader at term (\d+)/.exec(each)?.[1];
            if (term !== undefined) onLeader(self(), Number(term));
          }
        });
        return child;
      },
    });
    const self = (): EtcdMember => this;
    this.#flags = flags;
  }

  protected program(): Program {
    const flags = { ...this.#flags, 'data-dir': this.file('data') };
    return {
      file: '/usr/bin/etcd',
      args: Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`),
    };
  }

  protected async ask(): Promise<void> {
    const health = await (await fetch(`${this.#url}/health`)).text();
    if (!health.includes('true')) throw new Error(health);
  }

  get #url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async call(what: string, body: object = {}): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.#url}/v3/maintenance/${what}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    return (await response.json()) as Record<string, unknown>;
  }

  /** Bytes to other servers so far. */
  async bytesSent(): Promise<number> {
    const text = await (await fetch(`${this.#url}/metrics`)).text();
    const counts = [...text.matchAll(/^etcd_network_peer_sent_bytes_total\{.*\} (\S+)$/gm)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  }
}

export class EtcdRaft implements Rivals {
  readonly #servers: EtcdMember[] = [];
  #latest: Became | null = null;
  #onLeader: (became: Became) => void = () => {};

  static async open({ heartbeatMs, electionMs }: Timing): Promise<EtcdRaft> {
    const made = new EtcdRaft();
    const ports = await freePorts(6);
    const peerUrl = (i: number): string => `http://127.0.0.1:${ports[3 + i]}`;
    for (const i of [0, 1, 2]) {
      const client = `http://127.0.0.1:${ports[i]}`;
      const flags = {
        name: `n${i}`,
        'listen-client-urls': client,
        'advertise-client-urls': client,
        'listen-peer-urls': peerUrl(i),
        'initial-advertise-peer-urls': peerUrl(i),
        'initial-cluster': [0, 1, 2].map((each) => `n${each}=${peerUrl(each)}`).join(','),
        'heartbeat-interval': heartbeatMs,
        'election-timeout': electionMs,
      };
      made.#servers.push(new EtcdMember(ports[i]!, flags, (server, term) => made.#became(server, term)));
    }
    try {
      await Promise.all(made.#servers.map((server) => server.restart()));
      await made.#settled();
    } catch (error) {
      await made.close();
      throw error;
    }
    return made;
  }

  #became(server: EtcdMember, term: number): void {
    if (term <= (this.#latest?.term ?? 0)) return;
    this.#latest = { server, term, atMs: nowMs() };
    this.#onLeader(this.#latest);
  }

  /** One has led for a while. */
  async #settled(): Promise<Became> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const leader = this.#latest;
      await sleep(SETTLE_MS);
      if (leader !== null && leader === this.#latest) return leader;
    }
    throw new Error(`no leader of etcd for ${SETTLE_MS} ms on end`);
  }

  async trial(blow: Blow, limitMs: number = LONGEST_WAIT_MS): Promise<{ ms: number }> {
    const { server } = await this.#settled();
    const heir = this.#servers.find((each) => each !== server)!;
    const { header } = (await heir.call('status')) as { header: { member_id: string } };
    if (blow === 'resign') await server.call('status'); // The connection is open then.
    const next = new Promise<number>((resolve) => {
      const late = setTimeout(resolve, limitMs, Number.POSITIVE_INFINITY);
      this.#onLeader = ({ atMs }) => {
        clearTimeout(late);
        resolve(atMs);
      };
    });
    const fromMs = nowMs();
    const struck = this.#strike(blow, server, header.member_id);
    const ms = (await next) - fromMs;
    this.#onLeader = () => {};
    await struck;
    if (blow === 'kill') await server.restart();
    if (blow === 'pause') server.resume();
    return { ms };
  }

  async #strike(blow: Blow, server: EtcdMember, heir: string): Promise<void> {
    if (blow === 'kill') await server.stop('SIGKILL');
    else if (blow === 'pause') server.pause();
    else await server.call('transfer-leadership', { targetID: heir });
  }

  async rest(seconds: number): Promise<Rest> {
    const { server } = await this.#settled();
    const before = await this.#counts();
    await sleep(seconds * 1000);
    const after = await this.#counts();
    const costs = new Map<number, Cost>();
    for (const [i, now] of after.entries()) {
      costs.set(i, {
        cpuMs: (now.cpuMs - before[i]!.cpuMs) / seconds,
        rssMb: now.rssMb,
        messages: Number.NaN,
        bytes: (now.bytes - before[i]!.bytes) / seconds,
      });
    }
    return { ...byRole(costs, this.#servers.indexOf(server)), server: null };
  }

  async #counts(): Promise<{ cpuMs: number; rssMb: number; bytes: number }[]> {
    return await Promise.all(
      this.#servers.map(async (server) => ({
        bytes: await server.bytesSent(),
        cpuMs: cpuMsOf(server.pid!),
        rssMb: rssMbOf(server.pid!),
      })),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}
