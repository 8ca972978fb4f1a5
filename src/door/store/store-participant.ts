import {
  type ElectionPort,
  HttpError,
  type MemberPort,
  type Refusal,
  type SelfReport,
} from '../../api/index.ts';
import {
  CaucusError,
  Election,
  type ElectionOptions,
  Partition,
  type PartitionOptions,
} from '../../election/index.ts';
import type { OpenEngine } from '../../engines/index.ts';
import { LoopLag, RefusalLog, SystemClock } from '../../member/index.ts';
import { EngineElection } from './engine-election.ts';

const NOT_HERE = 'this election is held on a store: there are no voters';

/** A participant in elections on a store, as the HTTP API sees a member. */
export class StoreParticipant implements MemberPort {
  readonly id: string;
  /** The kind of store. */
  readonly cluster: string;
  readonly definition: null = null;
  readonly incarnation: number = Date.now();
  readonly startedAtMs: number = Date.now();
  readonly mainElection: string;
  readonly links: MemberPort['links'] = [];
  url = '';
  protected readonly refusalLog: RefusalLog;
  readonly #engine: OpenEngine;
  readonly #open = new Map<string, { readonly election: Election; readonly port: EngineElection }>();
  readonly #listeners = new Set<() => void>();
  readonly #lag = new LoopLag();

  /** `tell` gets warnings. */
  constructor(engine: OpenEngine, mainElection: string, storeName: string, tell: (text: string) => void) {
    this.refusalLog = new RefusalLog(new SystemClock(), tell);
    this.id = engine.name;
    this.cluster = storeName;
    this.mainElection = mainElection;
    this.#engine = engine;
  }

  /** The election of this name, the same object for the same name. Throws E_REFUSED if options are given for one that is open. */
  election(name: string = this.mainElection, options?: ElectionOptions): Election {
    const open = this.#open.get(name);
    if (open !== undefined && options !== undefined) {
      const remedy = 'leave the options out';
      throw new CaucusError('E_REFUSED', `the election ${name} is already open: ${remedy}`);
    }
    return (open ?? this.#add(name, options)).election;
  }

  /** Its elections are shown as all others are. */
  partition(name: string, options: PartitionOptions): Partition {
    const { log } = this.#engine;
    const shown = {
      seat: (election: string) => this.#engine.seat(election),
      opened: (election: Election) => {
        this.#engine.opened?.(election);
        this.#show(election);
      },
      ...(log === undefined ? {} : { log }),
    };
    return new Partition(name, shown, options);
  }

  get voters(): MemberPort['voters'] {
    return [{ id: this.id, url: this.url }];
  }

  get illness(): string | null {
    return [...this.#open.values()].map(({ port }) => port.illness).find((each) => each !== null) ?? null;
  }

  get elections(): readonly ElectionPort[] {
    return [...this.#open.values()].map(({ port }) => port);
  }

  /** A request opens no election but the main one. */
  electionPort(name: string): EngineElection {
    const open = this.#open.get(name);
    if (open !== undefined) return open.port;
    if (name === this.mainElection) return this.#add(name).port;
    const message = `this program has not opened an election ${JSON.stringify(name)}`;
    throw new HttpError(404, 'E_NO_ELECTION', message);
  }

  isConfigured(id: MemberPort['id']): boolean {
    return id === this.id;
  }

  registerVoter(): { readonly accepted: false; readonly reason: string } {
    return { accepted: false, reason: NOT_HERE };
  }

  get refusals(): MemberPort['refusals'] {
    return this.refusalLog.counts;
  }

  countRefusal(refusal: Refusal, told?: { readonly from: string; readonly reason: string }): void {
    if (told === undefined) this.refusalLog.counts[refusal] += 1;
    else this.refusalLog.refused(refusal, told.from, told.reason);
  }

  /** Participants on a store do not talk to each other, so there is nothing to say of peers and saves. */
  diagnose(): SelfReport {
    return { loop: this.#lag.recent, recentRefusals: this.refusalLog.recent };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map(({ election }) => election.close()));
    await this.#engine.close();
    this.refusalLog.close();
    this.#lag.close();
  }

  #add(
    name: string,
    options?: ElectionOptions,
  ): { readonly election: Election; readonly port: EngineElection } {
    return this.#show(new Election(name, this.#engine, options));
  }

  #show(election: Election): { readonly election: Election; readonly port: EngineElection } {
    const port = new EngineElection(election, this.cluster);
    const added = { election, port };
    this.#open.set(election.name, added);
    port.subscribe(() => this.#notify());
    void port.follow();
    this.#notify();
    return added;
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
