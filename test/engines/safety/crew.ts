import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { compiled } from '../../support/compiled.ts';
import { HERE, type Place } from '../../support/ground.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import type { Site } from './site.ts';
import { Watch } from './watch.ts';

const SCRIPT = await compiled(path.resolve(import.meta.dirname, 'participant.ts'));

interface Said {
  readonly is: 'up' | 'won' | 'valid' | 'lost' | 'failed';
  readonly name?: string;
  readonly token?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly why?: string;
  readonly error?: string;
}

/** One process that wants to lead, and its way to the store. */
export class Participant {
  readonly child: ChildProcess;
  readonly proxies: readonly TcpProxy[];
  name = '';
  /** The token with which it was last heard to be valid. */
  token: bigint | null = null;

  readonly #place: Place;

  constructor(child: ChildProcess, place: Place, proxies: readonly TcpProxy[]) {
    this.child = child;
    this.#place = place;
    this.proxies = proxies;
  }

  signal(signal: NodeJS.Signals): void {
    this.#place.signal(this.child, signal);
  }
}

/** Several processes in one election, everything they say of themselves, and whoever watches over it. */
export class Crew extends EventEmitter {
  readonly watch: Watch = new Watch();
  readonly participants: Participant[] = [];
  /** Whoever was valid last. */
  leader: Participant | null = null;
  readonly losses: string[] = [];

  /** Every participant has its own way to the store, which can be harmed apart from those of the others. */
  static async start(count: number, { ports, way }: Site, options: object): Promise<Crew> {
    const crew = new Crew();
    await crew.add(count, { ports, way }, options);
    return crew;
  }

  /** More processes in the same election, each at the next place. */
  async add(
    count: number,
    { ports, way }: Pick<Site, 'ports' | 'way'>,
    options: object,
    places: readonly Place[] = [HERE],
  ): Promise<void> {
    for (let i = 0; i < count; i++) {
      const proxies = await Promise.all(
        (ports ?? []).map((port) => startTcpProxy(`http://127.0.0.1:${port}`)),
      );
      const { url, options: more } = way(proxies.map((proxy) => Number(new URL(proxy.url).port)));
      const args = [url, this.election, JSON.stringify({ ...options, ...more })];
      const place = places[this.participants.length % places.length]!;
      const child = place.spawn([process.execPath, SCRIPT, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
      this.#add(new Participant(child, place, proxies));
    }
  }

  readonly election: string = `trial-${process.pid}-${Math.floor(performance.now() * 1000)}`;

  #add(participant: Participant): void {
    this.participants.push(participant);
    createInterface({ input: participant.child.stdout! }).on('line', (line) => {
      this.#hear(participant, JSON.parse(line) as Said);
    });
  }

  #hear(from: Participant, { is, name, token, fromMs, toMs, why, error }: Said): void {
    if (is === 'up') from.name = name!;
    if (is === 'won') this.watch.won(BigInt(token!), from.name);
    if (is === 'lost') this.losses.push(why!);
    if (is === 'failed') this.losses.push(error!);
    if (is === 'valid') {
      this.watch.valid({ token: BigInt(token!), by: from.name, fromMs: fromMs!, toMs: toMs! });
      from.token = BigInt(token!);
      this.leader = from;
    }
    this.emit(is, from, token === undefined ? null : BigInt(token));
  }

  /** The next that is valid with a token above this one. */
  async leads(above: bigint, fits: (participant: Participant) => boolean = () => true): Promise<bigint> {
    for (;;) {
      const [from, token] = (await once(this, 'valid')) as [Participant, bigint];
      if (token > above && fits(from)) return token;
    }
  }

  async close(): Promise<void> {
    await this.kill(this.participants);
  }

  /** Ends these as by kill -9, and forgets them. */
  async kill(which: readonly Participant[]): Promise<void> {
    await Promise.all(
      [...which].map(async (each) => {
        const { child } = each;
        if (child.exitCode === null && child.signalCode === null) {
          each.signal('SIGKILL');
          await once(child, 'exit');
        }
        for (const proxy of each.proxies) await proxy.close();
      }),
    );
  }
}
