/**
 * Where the dashboard gets its data: one stream of events for changes, and questions for the rest, at most one round
 * of them a second. While the page is hidden, it asks nothing.
 */
import { refused } from '../../../src/api/wire/index.ts';
import {
  NO_RUNS,
  readChanges,
  readCluster,
  readElections,
  readFleet,
  readHistory,
  readRuns,
  readState,
  readStatus,
} from './answers.ts';
import { FEW } from './many.ts';
import { openStream, type Stream } from './stream.ts';
import { authorization, onToken } from './token.ts';
import { EMPTY, fallSilent, type Silence, type View } from './view.ts';

const EVERY_MS = 2000;
const SOONEST_MS = 1000;
const ANSWER_WITHIN_MS = 3000;

export class Source {
  readonly #api: string;
  readonly #hasFleet: boolean;
  readonly #show: (view: View) => void;
  #view: View = EMPTY;
  /** Null is the main one, whatever its name. */
  #election: string | null = null;
  /** What the visitor wants to see; null: all elections if there are many. */
  #isOfAll: boolean | null = null;
  /** Lists that are sent again only if they have changed. */
  readonly #lists = new Map<string, { readonly etag: string; readonly value: unknown }>();
  #events: Stream | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #askedAtMs = 0;
  /** Is another round of questions wanted as soon as possible? */
  #isHurried = false;
  /** Counts events of the stream: an answer that was requested before is older. */
  #heard = 0;
  /** Counts openings: late answers of an earlier one are ignored. */
  #round = 0;

  constructor(api: string, hasFleet: boolean, show: (view: View) => void) {
    this.#api = api;
    this.#hasFleet = hasFleet;
    this.#show = show;
  }

  /** Starts; returns a function that stops it. */
  start(): () => void {
    const look = (): void => (document.hidden ? this.#close() : this.#open());
    document.addEventListener('visibilitychange', look);
    const forget = onToken(look);
    look();
    return () => {
      forget();
      document.removeEventListener('visibilitychange', look);
      this.#close();
    };
  }

  choose(election: string): void {
    this.#election = election;
    this.#isOfAll = false;
    this.#update({ status: null, answer: null, members: [], history: [], runs: NO_RUNS, isOfAll: false });
    this.#close();
    this.#open();
  }

  /** Shows all elections. */
  chooseAll(): void {
    this.#election = null;
    this.#isOfAll = true;
    this.#update({ isOfAll: true });
    this.#close();
    this.#open();
  }

  /** A command was given: its result is asked for soon. */
  hurry(): void {
    if (this.#events === null) return;
    this.#isHurried = true;
    if (this.#timer !== undefined) this.#askIn(SOONEST_MS);
  }

  #open(): void {
    this.#close();
    this.#listen();
    void this.#ask();
  }

  #close(): void {
    this.#round += 1;
    this.#events?.close();
    this.#events = null;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #listen(): void {
    const takes: Record<string, (value: unknown) => Partial<View>> = {
      state: (value) => {
        this.#heard += 1;
        return { status: readState(value), silence: null };
      },
      ...(this.#hasFleet ? { fleet: (value: unknown) => ({ fleet: readFleet(value) }) } : {}),
    };
    this.#events?.close();
    const events = openStream(this.#url('watch'), Object.keys(takes), {
      event: (name, data) => {
        const take = takes[name];
        if (this.#events !== events || take === undefined) return;
        try {
          this.#update(take(JSON.parse(data)));
          this.hurry();
        } catch {
          this.#notUnderstood();
        }
      },
      // The next question shows whether the server is there.
      broken: () => this.hurry(),
    });
    this.#events = events;
  }

  /** This long after the last time. */
  #askIn(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), Math.max(0, this.#askedAtMs + delayMs - Date.now()));
  }

  async #ask(): Promise<void> {
    this.#timer = undefined;
    const round = this.#round;
    const heard = this.#heard;
    this.#askedAtMs = Date.now();
    this.#isHurried = false;
    try {
      const [status, cluster, rest] = await Promise.all([
        this.#get('status'),
        this.#get('cluster'),
        this.#askRest(),
      ]);
      if (round !== this.#round) return;
      const answer = readStatus(status);
      this.#update({
        answer,
        ...(heard === this.#heard ? { status: answer } : {}),
        members: readCluster(cluster),
        ...rest,
        silence: null,
      });
      // The browser does not retry a stream that was refused.
      if (this.#events?.isRefused) this.#listen();
    } catch (error) {
      if (round !== this.#round) return;
      if (error instanceof Refusal && error.isToken) {
        // Another token starts it again; without one the answer stays the same.
        this.#close();
        return this.#silent('token', error.message);
      }
      if (error instanceof Refusal) this.#silent('refused', error.message);
      else if (error instanceof TypeError || error instanceof DOMException) this.#silent('no answer', '');
      else this.#notUnderstood();
    }
    this.#askIn(this.#isHurried ? SOONEST_MS : EVERY_MS);
  }

  /** What is shown of all elections, or of one. */
  async #askRest(): Promise<Partial<View>> {
    const asked = this.#getList('elections', readElections);
    const isOfAll = this.#isOfAll ?? (await asked).length > FEW;
    if (isOfAll)
      return { isOfAll, elections: await asked, changes: await this.#getList('changes', readChanges) };
    const [elections, history, runs] = await Promise.all([
      asked,
      this.#get('history').then(readHistory),
      this.#get('runs').then(readRuns, () => NO_RUNS),
    ]);
    return { isOfAll, elections, history, runs };
  }

  async #get(name: string): Promise<unknown> {
    const response = await this.#fetch(name);
    if (response.ok) return response.json();
    throw new Refusal(await messageOf(response), response.status === 401);
  }

  /** A list that has not changed is the same object as before. */
  async #getList<T>(name: string, read: (value: unknown) => T): Promise<T> {
    const had = this.#lists.get(name);
    const response = await this.#fetch(name, had === undefined ? {} : { 'if-none-match': had.etag });
    if (response.status === 304 && had !== undefined) return had.value as T;
    if (!response.ok) throw new Refusal(await messageOf(response), response.status === 401);
    const value = read(await response.json());
    const etag = response.headers.get('etag');
    if (etag !== null) this.#lists.set(name, { etag, value });
    return value;
  }

  #fetch(name: string, more: Record<string, string> = {}): Promise<Response> {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const headers = { ...authorization(), ...more };
    return fetch(this.#url(name), { signal, headers, cache: 'no-store', redirect: 'error' });
  }

  #url(name: string): string {
    const about =
      this.#election === null || name === 'elections' || name === 'changes'
        ? ''
        : `?election=${encodeURIComponent(this.#election)}`;
    return `${this.#api}${name}${about}`;
  }

  #silent(why: Silence['why'], words: string): void {
    this.#view = fallSilent(this.#view, Date.now(), why, words);
    this.#show(this.#view);
  }

  #notUnderstood(): void {
    this.#silent('not understood', '');
  }

  #update(changes: Partial<View>): void {
    this.#view = { ...this.#view, ...changes, nowMs: Date.now() };
    this.#show(this.#view);
  }
}

class Refusal extends Error {
  /** Is a token missing, or not good enough? */
  readonly isToken: boolean;

  constructor(message: string, isToken: boolean) {
    super(message);
    this.isToken = isToken;
  }
}

async function messageOf(response: Response): Promise<string> {
  try {
    return refused.read(await response.json(), '').error.message;
  } catch {
    return `the answer was ${response.status}`;
  }
}
