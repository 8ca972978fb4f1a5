import { withoutSecrets } from '../secrets.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Address } from './address.ts';
import { type TlsOptions, Transport } from './transport.ts';

/** An error that etcd answered. */
export class EtcdError extends Error {
  /** Whether etcd certainly did nothing; otherwise the request may have had its effect, or may still have it. */
  readonly isDefinite: boolean;

  constructor(message: string, isDefinite: boolean) {
    super(message);
    this.name = 'EtcdError';
    this.isDefinite = isDefinite;
  }

  /** The lease that the request was about has expired. */
  get isLeaseGone(): boolean {
    return this.message.includes('requested lease not found');
  }

  get isDenial(): boolean {
    return this.message.includes(DENIAL);
  }

  /** A transaction has more operations than an operator allows (`--max-txn-ops`). */
  get isTooLong(): boolean {
    return this.message.includes('too many operations');
  }
}

/** How we say that etcd has denied a permission. */
const DENIAL = 'the permission for this election';

/** An answer or an error: alone, or as a line of a streamed answer. */
interface Parsed {
  readonly result?: unknown;
  readonly error?: string | { readonly message?: string };
  readonly message?: string;
}

/** Errors that a new token cures. */
const STALE_TOKEN = /invalid auth token|revision of auth store is old/;

const LOGIN_MS = 10_000;

/** etcd's API as JSON over HTTP. Connects at the first call, and authenticates if necessary. */
export class Client {
  readonly transport: Transport;
  readonly #user: string | undefined;
  readonly #password: string | undefined;
  /** Null: no token is needed, or none was requested yet. */
  #token: string | null = null;
  #isTokenKnown: boolean;
  #loggingIn: Promise<string | null> | null = null;

  constructor(address: Address, tls: TlsOptions) {
    this.transport = new Transport(address.endpoints, address.isSecure ? tls : null);
    this.#user = address.user;
    this.#password = address.password;
    this.#isTokenKnown = address.user === undefined;
  }

  /** Rejects at once when the signal is aborted; the call may still have its effect. */
  async call<T>(path: string, body: object, signal: AbortSignal): Promise<T> {
    for (let tries = 0; ; tries++) {
      const token = await this.#login(signal);
      try {
        return await this.#post<T>(path, body, token, signal);
      } catch (error) {
        const isStale = error instanceof EtcdError && STALE_TOKEN.test(error.message);
        if (!isStale || this.#user === undefined || tries > 0) throw error;
        this.forgetToken(token);
      }
    }
  }

  /** Calls back with each line of a streamed answer, until it ends. */
  async lines(
    path: string,
    body: string,
    signal: AbortSignal,
    onLine: (line: string) => void,
  ): Promise<void> {
    const token = await this.#login(signal);
    await this.transport.lines(path, body, { signal, token }, onLine);
  }

  forgetToken(token: string | null = this.#token): void {
    if (this.#user === undefined || this.#token !== token) return;
    this.#isTokenKnown = false;
    this.#token = null;
  }

  /**
   * All callers share one login. It continues when a caller stops waiting: etcd is slow to check a password, on
   * purpose.
   */
  async #login(signal: AbortSignal): Promise<string | null> {
    if (this.#isTokenKnown) return this.#token;
    if (this.#loggingIn === null) {
      const loggingIn = this.#authenticate(AbortSignal.timeout(LOGIN_MS)).finally(() => {
        this.#loggingIn = null;
      });
      loggingIn.catch(() => {});
      this.#loggingIn = loggingIn;
    }
    return await unlessAborted(this.#loggingIn, signal);
  }

  async #authenticate(signal: AbortSignal): Promise<string | null> {
    try {
      const body = { name: this.#user, password: this.#password };
      const { token } = await this.#post<{ token: string }>('/v3/auth/authenticate', body, null, signal);
      this.#token = token;
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      if (error.message.includes('authentication failed'))
        throw new Error(`it refused the password of user ${this.#user}`, { cause: error });
      // Like etcdctl: if authentication is not enabled, no login is needed.
      if (!error.message.includes('authentication is not enabled')) throw error;
      this.#token = null;
    }
    this.#isTokenKnown = true;
    return this.#token;
  }

  async #post<T>(path: string, body: object, token: string | null, signal: AbortSignal): Promise<T> {
    const { status, text } = await this.transport.post(path, body, { signal, token });
    signal.throwIfAborted();
    let parsed: Parsed;
    try {
      parsed = JSON.parse(text) as Parsed;
    } catch {
      const hint = status === 404 ? ': it must be etcd 3.4 or newer, with its JSON gateway' : '';
      throw new EtcdError(`no etcd answers there (HTTP ${status})${hint}`, status === 404);
    }
    if (status === 200 && parsed.error === undefined) return (parsed.result ?? parsed) as T;
    throw this.#refusal(parsed, status);
  }

  #refusal(parsed: Parsed, status: number): EtcdError {
    const inner = typeof parsed.error === 'object' ? parsed.error : parsed;
    const message = (inner.message ?? `HTTP ${status}`).replace('etcdserver: ', '');
    const isDefinite = status >= 400 && status < 500 && status !== 408 && status !== 499;
    const said = withoutSecrets(message, [this.#password]);
    if (said === 'user name is empty')
      return new EtcdError('it wants a user and a password: etcd://user:password@host', isDefinite);
    if (said === 'permission denied') {
      const who = this.#user === undefined ? 'us' : `user ${this.#user}`;
      return new EtcdError(`it denies ${who} ${DENIAL}`, isDefinite);
    }
    return new EtcdError(said, isDefinite);
  }
}
