import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import {
  type Api,
  type CertificateStatus,
  closeServer,
  createApi,
  type ElectionPort,
  isLoopback,
  listen,
  type MemberPort,
  type Refusal,
  type SelfReport,
  urlOfServer,
} from '../../../api/index.ts';
import type { ServerTls } from '../../../auth/index.ts';
import { Election, type LogEntry } from '../../../election/index.ts';
import type { OpenEngine } from '../../../engines/index.ts';
import {
  certificateStatus,
  LoopLag,
  MemberAccess,
  RefusalLog,
  SystemClock,
  TlsWatch,
} from '../../../member/index.ts';
import type { Log } from '../../terminal/log.ts';
import { EngineElection } from './engine-election.ts';

const MOST_CONNECTIONS = 2000;
const NOT_HERE = 'this election is held on a store: there are no voters';

interface Rules {
  readonly access: MemberAccess;
  readonly log: Log;
  /** Its certificate; null if its port speaks http. */
  readonly tls: ServerTls | null;
}

/** A participant in elections on a store, with the HTTP API of a member. */
export class EngineMember implements MemberPort {
  readonly id: string;
  readonly cluster: string;
  readonly definition: null = null;
  readonly incarnation: number = Date.now();
  readonly startedAtMs: number = Date.now();
  readonly mainElection: string;
  readonly links: MemberPort['links'] = [];
  url = '';
  readonly election: Election;
  readonly port: EngineElection;
  readonly #engine: OpenEngine;
  #server: Server | null = null;
  #api: Api | null = null;

  readonly #access: MemberAccess;
  readonly #refusals: RefusalLog;
  readonly #log: Log;
  readonly #tls: ServerTls | null;
  readonly #tlsWatch: TlsWatch | null;
  readonly #lag = new LoopLag();

  constructor(
    engine: OpenEngine,
    election: string,
    storeName: string,
    { access, log, tls }: Rules = { access: new MemberAccess([], false, true), log: () => {}, tls: null },
  ) {
    this.#access = access;
    this.#log = log;
    this.#tls = tls;
    const note = ({ level, message }: LogEntry): void =>
      log({ level: level === 'warning' ? 'warn' : level, event: 'note', text: message });
    this.#tlsWatch = tls === null ? null : new TlsWatch(tls, note);
    this.#refusals = new RefusalLog(new SystemClock(), (text) => log({ level: 'warn', event: 'note', text }));
    this.id = engine.name;
    this.cluster = storeName;
    this.mainElection = election;
    this.#engine = engine;
    this.election = new Election(election, engine);
    this.port = new EngineElection(this.election, storeName);
    void this.port.follow();
  }

  async listen(host: string, port: number): Promise<void> {
    const api = createApi(this, {
      hosts: isLoopback(host) ? [host] : null,
      access: () => this.#access.now,
      note: (text) => this.#log({ level: 'info', event: 'note', text }),
    });
    this.#api = api;
    const tell = (address: string, message: string): void =>
      this.#refusals.refused('unauthenticated', address, message);
    const tls = this.#tls === null ? null : { tls: this.#tls, tell };
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => api(request, response);
    this.#server = await listen(host, port, MOST_CONNECTIONS, onRequest, { tls });
    this.url = urlOfServer(this.#server);
  }

  get certificate(): CertificateStatus | null {
    return this.#tls === null ? null : certificateStatus(this.#tls, Date.now());
  }

  /** Reads the files of its certificate again now. They are also read again within a second or two after each change. */
  reloadTls(): void {
    this.#tlsWatch?.reload();
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

  isConfigured(id: MemberPort['id']): boolean {
    return id === this.id;
  }

  registerVoter(): { readonly accepted: false; readonly reason: string } {
    return { accepted: false, reason: NOT_HERE };
  }

  get refusals(): MemberPort['refusals'] {
    return this.#refusals.counts;
  }

  countRefusal(refusal: Refusal, told?: { readonly from: string; readonly reason: string }): void {
    if (told === undefined) this.#refusals.counts[refusal] += 1;
    else this.#refusals.refused(refusal, told.from, told.reason);
  }

  /** Participants on a store do not talk to each other, so there is nothing to say of peers and saves. */
  diagnose(): SelfReport {
    return { loop: this.#lag.recent, recentRefusals: this.#refusals.recent };
  }

  subscribe(listener: () => void): () => void {
    return this.port.subscribe(listener);
  }

  async close(): Promise<void> {
    await this.election.close();
    await this.#engine.close();
    this.#api?.close();
    this.#refusals.close();
    this.#tlsWatch?.close();
    this.#lag.close();
    if (this.#server !== null) await closeServer(this.#server);
  }
}
