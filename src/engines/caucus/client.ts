import { BadInput, type Shape } from '../../core/index.ts';
import { CaucusError, type Clock } from '../../election/index.ts';
import { withoutSecrets } from '../secrets.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { type Address, type Endpoint, nameOf } from './address.ts';
import { NotSent, type Sending, type TlsOptions, Transport } from './transport.ts';

/** Our API token for the next request, if we have one. */
export type TokenSource = () => string | undefined | Promise<string | undefined>;

/** The body of an error, as a member answers it. */
interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly leaderUrl: string | null;
}

/** The pause after all members were asked in vain. */
const AGAIN_MS = 50;
/** The members need so long at most to elect the first lease manager. */
const OPENING_MS = 10_000;
/** The member cannot answer now, and another one, or the same one later, can. */
const AGAIN: readonly string[] = ['E_NO_MANAGER', 'E_NOT_OPENED', 'E_CLOSED'];
/** A member that has just failed is not asked again because another one names it as the manager. */
const SUSPECT_MS = 1000;

/**
 * Sends requests to the lease manager. It is one of the members of the address: any of them is asked, and one that is
 * not the manager says so, with the URL of the manager. That URL is used only to choose among the members of the address:
 * the token goes nowhere else.
 */
export class Client {
  /** Called when a request failed at a member, or another member is the manager: a stream there may be dead. */
  onTrouble: () => void = () => {};
  readonly #transport: Transport;
  readonly #endpoints: readonly Endpoint[];
  readonly #clock: Clock;
  readonly #tokenNow: TokenSource;
  #token: string | undefined;
  readonly #suspectUntilMs = new Map<Endpoint, number>();
  #at = 0;
  #hasAnswered = false;
  /** When a member first said that there is no manager, while none had ever answered; else null. */
  #openingSinceMs: number | null = null;

  constructor({ endpoints, isSecure }: Address, token: TokenSource, tls: TlsOptions, clock: Clock) {
    this.#endpoints = endpoints;
    this.#tokenNow = token;
    this.#clock = clock;
    this.#transport = new Transport(isSecure ? tls : null);
  }

  close(): void {
    this.#transport.close();
  }

  /** The first participant of a cluster waits until the members have elected a lease manager. */
  get isOpening(): boolean {
    const sinceMs = this.#openingSinceMs;
    return !this.#hasAnswered && sinceMs !== null && this.#clock.now() - sinceMs < OPENING_MS;
  }

  /**
   * `body` makes the body of each request: two requests must not be the same attempt. A request that was sent is sent again
   * only if it certainly had no effect. Rejects with the last reason when the signal is aborted. `unopened` is the answer if
   * most of the members say that they keep no leases yet: a lease would be on the disk of one of them.
   */
  async call<T>(
    path: string,
    body: () => object,
    answer: Shape<T>,
    signal: AbortSignal,
    unopened?: T,
  ): Promise<T> {
    let problem = new Error('no member was asked yet');
    const without = new Set<Endpoint>();
    for (let asked = 1; ; asked++) {
      const endpoint = this.#endpoints[this.#at]!;
      try {
        const { status, text } = await this.#transport.post(
          endpoint,
          path,
          await this.#sending(body(), signal),
        );
        if (status === 200) return this.#read(endpoint, text, answer);
        const refusal = refusalIn(text);
        if (refusal?.code === 'E_NOT_OPENED') without.add(endpoint);
        if (unopened !== undefined && 2 * without.size > this.#endpoints.length) return unopened;
        problem = this.#onRefusal(endpoint, status, refusal);
      } catch (error) {
        if (error instanceof CaucusError || error instanceof Definite) throw error;
        this.#suspect(endpoint);
        if (signal.aborted) throw this.#late(endpoint, problem, asked);
        problem = this.#told(endpoint, error);
        if (!(error instanceof NotSent)) throw problem;
      }
      if (asked % this.#endpoints.length === 0) await this.#pause(problem, signal);
    }
  }

  /** A streamed answer of the manager: calls back with every line. Settles when it has ended, for whatever reason. */
  async lines(
    path: string,
    body: object,
    signal: AbortSignal,
    onLine: (line: string) => void,
  ): Promise<void> {
    const endpoint = this.#endpoints[this.#at]!;
    try {
      await this.#transport.lines(endpoint, path, await this.#sending(body, signal), onLine);
    } catch {
      // The watcher starts again, and the calls report why.
    }
  }

  async #sending(body: object, signal: AbortSignal): Promise<Sending> {
    this.#token = await this.#tokenNow();
    return { body: JSON.stringify(body), token: this.#token, signal };
  }

  #read<T>(endpoint: Endpoint, text: string, answer: Shape<T>): T {
    this.#hasAnswered = true;
    try {
      return answer.read(JSON.parse(text), 'answer');
    } catch (error) {
      const reason = error instanceof BadInput ? error.message : 'its answer is no JSON';
      throw new Definite(`${nameOf(endpoint)} does not answer as a member does: ${reason}`);
    }
  }

  /** Returns the reason if another member is to be asked; throws if that would be refused too. */
  #onRefusal(endpoint: Endpoint, status: number, refusal: Refusal | null): Error {
    const isTls = refusal?.code === 'E_TLS';
    const words = isTls ? 'it speaks TLS only: use caucuss://' : refusal?.message;
    const said = this.#clean(words ?? `HTTP ${status}`);
    const problem = new Error(`${nameOf(endpoint)}: ${said}`);
    if (refusal?.code === 'E_NOT_MANAGER') {
      this.#goTo(refusal.leaderUrl, endpoint);
      return problem;
    }
    if (AGAIN.includes(refusal?.code ?? '')) {
      this.#openingSinceMs ??= this.#clock.now();
      this.#moveOn(endpoint);
      return problem;
    }
    if (status >= 500 || status === 404) this.#suspect(endpoint);
    if (refusal?.code === 'E_FULL' || refusal?.code === 'E_TOO_LARGE')
      throw new CaucusError('E_REFUSED', said);
    throw new Definite(problem.message);
  }

  #goTo(leaderUrl: string | null, from: Endpoint): void {
    this.onTrouble();
    const found = this.#endpoints.findIndex((endpoint) => leaderUrl !== null && isAt(endpoint, leaderUrl));
    const isSuspect =
      found >= 0 && (this.#suspectUntilMs.get(this.#endpoints[found]!) ?? 0) > this.#clock.now();
    if (found < 0 || isSuspect) this.#moveOn(from);
    else this.#at = found;
  }

  #suspect(endpoint: Endpoint): void {
    this.#suspectUntilMs.set(endpoint, this.#clock.now() + SUSPECT_MS);
    this.#moveOn(endpoint);
    this.onTrouble();
  }

  #moveOn(from: Endpoint): void {
    if (this.#endpoints[this.#at] === from) this.#at = (this.#at + 1) % this.#endpoints.length;
  }

  async #pause(problem: Error, signal: AbortSignal): Promise<void> {
    let stop = (): void => {};
    const passed = new Promise<void>((resolve) => {
      stop = this.#clock.after(AGAIN_MS, resolve);
    });
    try {
      await unlessAborted(passed, signal);
    } catch {
      throw problem;
    } finally {
      stop();
    }
  }

  #late(endpoint: Endpoint, problem: Error, asked: number): Error {
    const silent = `${nameOf(endpoint)} has not answered in time`;
    return new Error(asked === 1 ? silent : `${silent}; before, ${problem.message}`);
  }

  #told(endpoint: Endpoint, error: unknown): Error {
    const { code, message } = (error instanceof NotSent ? error.cause : error) as NodeJS.ErrnoException;
    const why =
      code === 'ECONNREFUSED' ? 'refused the connection' : `failed: ${this.#clean(message || code || '')}`;
    return new Error(`${nameOf(endpoint)} ${why}`, { cause: error });
  }

  #clean(text: string): string {
    return withoutSecrets(text, [this.#token]);
  }
}

/** Another member would answer the same, or the request may have had its effect. */
class Definite extends Error {}

function isAt({ host, port }: Endpoint, url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, port: given, protocol } = new URL(url);
  const itsPort = Number(given) || (protocol === 'https:' ? 443 : 80);
  return hostname.replace(/^\[|\]$/g, '').toLowerCase() === host.toLowerCase() && itsPort === port;
}

function refusalIn(text: string): Refusal | null {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<Refusal> };
    const { code, message, leaderUrl } = error ?? {};
    if (typeof code !== 'string' || typeof message !== 'string') return null;
    return { code, message, leaderUrl: typeof leaderUrl === 'string' ? leaderUrl : null };
  } catch {
    return null;
  }
}
