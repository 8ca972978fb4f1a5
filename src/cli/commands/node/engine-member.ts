import type { Server } from 'node:http';
import {
  type Api,
  closeServer,
  createApi,
  type ElectionPort,
  isLoopback,
  listen,
  type MemberPort,
  noRefusals,
  urlOfServer,
} from '../../../api/index.ts';
import { Election } from '../../../election/index.ts';
import type { OpenEngine } from '../../../engines/index.ts';
import { EngineElection } from './engine-election.ts';

const MOST_CONNECTIONS = 2000;
const NOT_HERE = 'this election is held on a store: there are no voters';

/** A participant in elections on a store, with the HTTP API of a member. */
export class EngineMember implements MemberPort {
  readonly id: string;
  readonly cluster: string;
  readonly definition: null = null;
  readonly incarnation: number = Date.now();
  readonly startedAtMs: number = Date.now();
  readonly mainElection: string;
  readonly links: MemberPort['links'] = [];
  readonly refusals: Record<keyof MemberPort['refusals'], number> = noRefusals();
  url = '';
  readonly election: Election;
  readonly port: EngineElection;
  readonly #engine: OpenEngine;
  #server: Server | null = null;
  #api: Api | null = null;

  constructor(engine: OpenEngine, election: string, storeName: string) {
    this.id = engine.name;
    this.cluster = storeName;
    this.mainElection = election;
    this.#engine = engine;
    this.election = new Election(election, engine);
    this.port = new EngineElection(this.election, storeName);
    void this.port.follow();
  }

  async listen(host: string, port: number): Promise<void> {
    const api = createApi(this, { hosts: isLoopback(host) ? [host] : null });
    this.#api = api;
    this.#server = await listen(host, port, MOST_CONNECTIONS, (request, response) => api(request, response));
    this.url = urlOfServer(this.#server);
  }

  get voters(): MemberPort['voters'] {
    return [{ id: this.id, url: this.url }];
  }

  get illness(): string | null {
    return this.port.illness;
  }

  get elections(): readonly ElectionPort[] {
    return [this.port];
  }

  electionPort(): ElectionPort {
    return this.port;
  }

  registerVoter(): { readonly accepted: false; readonly reason: string } {
    return { accepted: false, reason: NOT_HERE };
  }

  countRefusal(refusal: keyof MemberPort['refusals']): void {
    this.refusals[refusal] += 1;
  }

  subscribe(listener: () => void): () => void {
    return this.port.subscribe(listener);
  }

  async close(): Promise<void> {
    await this.election.close();
    await this.#engine.close();
    this.#api?.close();
    if (this.#server !== null) await closeServer(this.#server);
  }
}
