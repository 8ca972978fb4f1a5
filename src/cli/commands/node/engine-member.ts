import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import {
  type Api,
  type CertificateStatus,
  closeServer,
  createApi,
  isLoopback,
  listen,
  urlOfServer,
} from '../../../api/index.ts';
import type { ServerTls } from '../../../auth/index.ts';
import { type EngineElection, StoreParticipant } from '../../../door/store/index.ts';
import type { LogEntry } from '../../../election/index.ts';
import type { OpenEngine } from '../../../engines/index.ts';
import { certificateStatus, MemberAccess, TlsWatch } from '../../../member/index.ts';
import type { Log } from '../../terminal/log.ts';

const MOST_CONNECTIONS = 2000;

interface Rules {
  readonly access: MemberAccess;
  readonly log: Log;
  /** Its certificate; null if its port speaks http. */
  readonly tls: ServerTls | null;
}

/** A participant in one election on a store, with a port of its own for the HTTP API of a member. */
export class EngineMember extends StoreParticipant {
  #server: Server | null = null;
  #api: Api | null = null;

  readonly #access: MemberAccess;
  readonly #log: Log;
  readonly #tls: ServerTls | null;
  readonly #tlsWatch: TlsWatch | null;

  constructor(
    engine: OpenEngine,
    election: string,
    storeName: string,
    { access, log, tls }: Rules = { access: new MemberAccess([], false, true), log: () => {}, tls: null },
  ) {
    super(engine, election, storeName, (text) => log({ level: 'warn', event: 'note', text }));
    this.#access = access;
    this.#log = log;
    this.#tls = tls;
    const note = ({ level, message }: LogEntry): void =>
      log({ level: level === 'warning' ? 'warn' : level, event: 'note', text: message });
    this.#tlsWatch = tls === null ? null : new TlsWatch(tls, note);
    this.election();
  }

  get port(): EngineElection {
    return this.electionPort(this.mainElection);
  }

  async listen(host: string, port: number): Promise<void> {
    const api = createApi(this, {
      hosts: isLoopback(host) ? [host] : null,
      access: () => this.#access.now,
      note: (text) => this.#log({ level: 'info', event: 'note', text }),
    });
    this.#api = api;
    const tell = (address: string, message: string): void =>
      this.refusalLog.refused('unauthenticated', address, message);
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

  override async close(): Promise<void> {
    await super.close();
    this.#api?.close();
    this.#tlsWatch?.close();
    if (this.#server !== null) await closeServer(this.#server);
  }
}
