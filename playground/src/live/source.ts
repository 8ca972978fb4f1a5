/**
 * Where the dashboard gets its data: one stream of events for changes, and questions for the rest, at most one round
 * of them a second. While the page is hidden, it asks nothing.
 */
import { refused } from '../../../src/api/wire/index.ts';
import { readCluster, readElections, readFleet, readHistory, readState, readStatus } from './answers.ts';
import { EMPTY, fallSilent, type View } from './view.ts';

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
  #events: EventSource | null = null;
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
    look();
    return () => {
      document.removeEventListener('visibilitychange', look);
      this.#close();
    };
  }

  choose(election: string): void {
    this.#election = election;
    this.#update({ status: null, answer: null, members: [], history: [] });
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
    const events = new EventSource(this.#url('watch'));
    this.#events?.close();
    this.#events = events;
    const hear = (name: string, take: (value: unknown) => Partial<View>): void =>
      events.addEventListener(name, ({ data }) => {
        if (this.#events !== events) return;
        try {
          this.#update(take(JSON.parse(data)));
          this.hurry();
        } catch {
          this.#notUnderstood();
        }
      });
    hear('state', (value) => {
      this.#heard += 1;
      return { status: readState(value), silence: null };
    });
    if (this.#hasFleet) hear('fleet', (value) => ({ fleet: readFleet(value) }));
    // The next question shows whether the server is there.
    events.addEventListener('error', () => this.hurry());
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
      const names = ['status', 'cluster', 'history', 'elections'];
      const answers = await Promise.all(names.map((name) => this.#get(name)));
      if (round !== this.#round) return;
      const [status, cluster, history, elections] = answers;
      const answer = readStatus(status);
      this.#update({
        answer,
        ...(heard === this.#heard ? { status: answer } : {}),
        members: readCluster(cluster),
        history: readHistory(history),
        elections: readElections(elections),
        silence: null,
      });
      // The browser does not retry a stream that was refused.
      if (this.#events?.readyState === EventSource.CLOSED) this.#listen();
    } catch (error) {
      if (round !== this.#round) return;
      if (error instanceof Refusal) this.#silent('refused', error.message);
      else if (error instanceof TypeError || error instanceof DOMException) this.#silent('no answer', '');
      else this.#notUnderstood();
    }
    this.#askIn(this.#isHurried ? SOONEST_MS : EVERY_MS);
  }

  async #get(name: string): Promise<unknown> {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const response = await fetch(this.#url(name), { signal, cache: 'no-store' });
    if (response.ok) return response.json();
    throw new Refusal(await messageOf(response));
  }

  #url(name: string): string {
    const about =
      this.#election === null || name === 'elections'
        ? ''
        : `?election=${encodeURIComponent(this.#election)}`;
    return `${this.#api}${name}${about}`;
  }

  #silent(why: 'no answer' | 'refused' | 'not understood', words: string): void {
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

class Refusal extends Error {}

async function messageOf(response: Response): Promise<string> {
  try {
    return refused.read(await response.json(), '').error.message;
  } catch {
    return `the answer was ${response.status}`;
  }
}
