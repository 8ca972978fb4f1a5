import { setMaxListeners } from 'node:events';
import type { Clock } from '../../election/index.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Call } from './lease-store.ts';

interface SharedCallSettings<T, A> {
  readonly clock: Clock;
  /** How often each share asks. */
  readonly everyMs: number;
  /** The time limit of one request. */
  readonly callMs: number;
  /** A share that was not answered for this long is no longer carried with others: what it stood for is over. */
  readonly lastsMs: number;
  /** The greatest number of shares in one request. */
  readonly most: number;
  /** Sends one request for all of these, and returns an answer for each, in this order. */
  send(items: readonly T[], signal: AbortSignal): readonly Promise<A>[];
}

/** The answer to a share, and when the request that carried it was sent. */
export interface Carried<A> {
  readonly answer: A;
  readonly sentMs: number;
}

/** The part of one election in a shared call. */
export interface Share<A> {
  /** Settles with the next answer. Sends a request only if no recent or pending one has carried this share. */
  ask(call: Call): Promise<Carried<A>>;
  /** Something suggests that the last answer is out of date, and so is one that is on its way. */
  doubt(): void;
  /** Takes it out. An answer that is on its way is ignored. */
  end(): void;
}

interface Request<A> {
  readonly answered: Promise<Carried<A>>;
}

interface Entry<T, A> {
  readonly item: T;
  /** Called when a request that another election has sent was answered for this one too. */
  readonly tell: () => void;
  /** When the last request that was answered for it was sent. */
  sentMs: number;
  request: Request<A> | null;
  /** How many callers wait for that request. */
  waiting: number;
  /** An answer that no caller has waited for. */
  fresh: Carried<A> | null;
  isDoubted: boolean;
}

/** So much of the interval must have passed before a share is carried with others. */
const DUE = 1 / 4;
/** After a failed request, the next one follows no sooner: until then all whose request has failed ask again. */
const REST_MS = 100;

/**
 * One call to a store that is made for all elections of an engine, in place of one for each: a renewal, for example.
 * Each election asks at its own time. The first one sends a request that carries all that will be due soon, and those
 * are told of the answer, from which they count on. So all of them come to ask at the same moment, and one request
 * per interval is left.
 *
 * Consider elections a and b, which ask every 5 s, a at 0 s and b at 2 s. The request of a at 5 s carries b too, which
 * then asks at 10 s in place of 7 s, together with a.
 *
 * An answer is for one share: an error in one leaves the others alone. A share whose last answer was not fetched is
 * not carried again, since it may belong to an election that no longer needs it.
 */
export class SharedCall<T, A> {
  readonly #settings: SharedCallSettings<T, A>;
  readonly #entries = new Set<Entry<T, A>>();
  #restUntilMs = Number.NEGATIVE_INFINITY;

  constructor(settings: SharedCallSettings<T, A>) {
    this.#settings = settings;
  }

  /** `sentMs`: when the request was sent that made the share necessary. */
  add(item: T, sentMs: number, tell: () => void): Share<A> {
    const entry: Entry<T, A> = {
      ...{ item, tell, sentMs },
      ...{ request: null, waiting: 0, fresh: null, isDoubted: false },
    };
    this.#entries.add(entry);
    return {
      ask: (call) => this.#ask(entry, call),
      doubt() {
        entry.isDoubted = true;
      },
      end: () => {
        this.#entries.delete(entry);
      },
    };
  }

  async #ask(entry: Entry<T, A>, { signal }: Call): Promise<Carried<A>> {
    const { clock, everyMs } = this.#settings;
    for (;;) {
      signal.throwIfAborted();
      const { request, fresh } = entry;
      if (request !== null && !entry.isDoubted) return await this.#wait(entry, request, signal);
      if (request !== null) {
        // It was sent before the doubt, so its answer proves nothing. One request at a time carries a share.
        await unlessAborted(settled(request.answered), signal);
        continue;
      }
      entry.fresh = null;
      const isRecent = fresh !== null && clock.now() - fresh.sentMs < everyMs / 2;
      if (isRecent && !entry.isDoubted) return fresh;
      const restMs = this.#restUntilMs - clock.now();
      if (restMs > 0) await this.#rest(restMs, signal);
      else this.#sendWith(entry);
    }
  }

  async #wait(entry: Entry<T, A>, { answered }: Request<A>, signal: AbortSignal): Promise<Carried<A>> {
    entry.waiting += 1;
    try {
      return await unlessAborted(answered, signal);
    } finally {
      entry.waiting -= 1;
    }
  }

  async #rest(restMs: number, signal: AbortSignal): Promise<void> {
    let stop = (): void => {};
    const rested = new Promise<void>((resolve) => {
      stop = this.#settings.clock.after(restMs, resolve);
    });
    await unlessAborted(rested, signal).finally(stop);
  }

  #sendWith(first: Entry<T, A>): void {
    const nowMs = this.#settings.clock.now();
    const others = [...this.#entries].filter((each) => each !== first && this.#isDue(each, nowMs));
    const all = [first, ...others];
    for (let from = 0; from < all.length; from += this.#settings.most)
      this.#send(all.slice(from, from + this.#settings.most));
  }

  #isDue({ request, sentMs, fresh, isDoubted }: Entry<T, A>, nowMs: number): boolean {
    const { everyMs, lastsMs } = this.#settings;
    if (request !== null || fresh !== null || nowMs >= sentMs + lastsMs) return false;
    return isDoubted || nowMs - sentMs >= everyMs * DUE;
  }

  #send(entries: readonly Entry<T, A>[]): void {
    const { clock, callMs, send } = this.#settings;
    const late = new AbortController();
    setMaxListeners(0, late.signal); // A store may need several connections or messages for one request.
    const sentMs = clock.now();
    let stop = (): void => {};
    const isLate = new Promise<never>((_, reject) => {
      stop = clock.after(callMs, () => {
        const error = new Error(`no answer within ${Math.round(callMs)} ms`);
        late.abort(error);
        reject(error);
      });
    });
    const items = entries.map(({ item }) => item);
    const answers = send(items, late.signal);
    const ends = entries.map((entry, index) => {
      const answered = Promise.race([answers[index]!, isLate]).then((answer) => ({ answer, sentMs }));
      entry.isDoubted = false;
      entry.request = { answered };
      return answered.then(
        (carried) => this.#onAnswer(entry, carried),
        () => this.#onFailure(entry, sentMs),
      );
    });
    void Promise.all(ends).then(stop);
  }

  #onAnswer(entry: Entry<T, A>, carried: Carried<A>): void {
    entry.request = null;
    entry.sentMs = carried.sentMs;
    if (entry.waiting > 0 || !this.#entries.has(entry)) return;
    entry.fresh = carried;
    entry.tell();
  }

  #onFailure(entry: Entry<T, A>, sentMs: number): void {
    entry.request = null;
    this.#restUntilMs = sentMs + Math.min(REST_MS, this.#settings.callMs / 4);
  }
}

async function settled(promise: Promise<unknown>): Promise<void> {
  await promise.catch(() => {});
}
