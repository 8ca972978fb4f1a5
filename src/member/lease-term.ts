/**
 * One leadership of the lease manager, from its beginning to its end: lets the manager decide, publishes what it decided,
 * and answers once that is committed and the leadership is still valid, by the clock, at the moment of the answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpError, type LeasePort, type LeaseWatcher } from '../api/index.ts';
import type { Json } from '../core/index.ts';
import type { Leadership } from '../election/index.ts';
import type { LeaseManager, News } from '../leases/index.ts';

/** The pause after a publication that failed: no majority answers, or the members are being changed. */
const AGAIN_MS = 50;
/** Node.js fires timers with longer delays at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Waiting {
  readonly after: number;
  readonly go: () => void;
  readonly fail: () => void;
}

const REFUSALS = {
  full: 'the register of all elections is full: it holds 65,536 characters, some 300 elections; resign elections, or publish null in those that need their value no more',
  'value-too-large': 'a value has at most 16,384 characters',
  'term-used-up': 'the manager has given out all tokens of its term, and resigns',
} as const;

export class LeaseTerm {
  /** Settles when the leadership has ended. */
  readonly over: Promise<void>;
  readonly #manager: LeaseManager;
  readonly #leadership: Leadership;
  readonly #watchers = new Set<LeaseWatcher>();
  #waiting: Waiting[] = [];
  #isPublishing = false;
  #timer: NodeJS.Timeout | null = null;
  #end: () => void = () => {};

  constructor(manager: LeaseManager, leadership: Leadership) {
    this.#manager = manager;
    this.#leadership = leadership;
    this.over = new Promise((resolve) => {
      this.#end = () => {
        this.#close();
        resolve();
      };
    });
    if (leadership.signal.aborted) this.#end();
    else {
      leadership.signal.addEventListener('abort', this.#end, { once: true });
      this.#setTimer();
    }
  }

  get isValid(): boolean {
    return this.#leadership.isValid();
  }

  readonly decide: LeasePort['decide'] = async (ask) => {
    const decision = ask(this.#manager, performance.now());
    if ('refused' in decision) throw this.#refusal(decision.refused);
    const { after, answer } = decision;
    if (after > 0) {
      this.#setTimer();
      const committed = new Promise<void>((resolve, reject) => {
        this.#waiting.push({ after, go: resolve, fail: () => reject(lost()) });
      });
      void this.#publish();
      await committed;
    }
    if (!this.isValid) throw lost();
    return answer;
  };

  /** Tells of every change of these elections. Returns a function that stops it. */
  watch(watcher: LeaseWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** What is decided meanwhile is published together, with the next draft. */
  async #publish(): Promise<void> {
    if (this.#isPublishing) return;
    this.#isPublishing = true;
    for (let draft = this.#manager.draft(); draft !== null && this.isValid; draft = this.#manager.draft()) {
      try {
        await this.#leadership.publish(draft.register as unknown as Json);
      } catch {
        // It may still be committed. The next draft holds all of it, too.
        await sleep(AGAIN_MS, undefined, { ref: false });
        continue;
      }
      this.#onCommitted(draft.number);
    }
    this.#isPublishing = false;
  }

  #onCommitted(number: number): void {
    const news = this.#manager.commit(number);
    const ready = this.#waiting.filter(({ after }) => after <= number);
    this.#waiting = this.#waiting.filter(({ after }) => after > number);
    for (const { go } of ready) go();
    for (const each of news) for (const watcher of this.#watchers) tell(watcher, each);
  }

  /** Ends leases when their time is up. Renewals do not move the timer: it looks, and is set again. */
  #setTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const { dueMs } = this.#manager;
    if (dueMs === Number.POSITIVE_INFINITY || this.#leadership.signal.aborted) return;
    const delayMs = Math.min(Math.max(0, Math.ceil(dueMs - performance.now())), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => {
      if (this.#manager.expire(performance.now())) void this.#publish();
      this.#setTimer();
    }, delayMs).unref();
  }

  #refusal(why: keyof typeof REFUSALS): HttpError {
    if (why === 'term-used-up') {
      void this.#leadership.resign().catch(() => {});
      return new HttpError(503, 'E_NO_MANAGER', REFUSALS[why], { details: { outcome: 'definite' } });
    }
    const code = why === 'full' ? 'E_FULL' : 'E_TOO_LARGE';
    return new HttpError(409, code, REFUSALS[why], { details: { outcome: 'definite' } });
  }

  #close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const { fail } of this.#waiting.splice(0)) fail();
    for (const watcher of [...this.#watchers]) watcher.end();
    this.#watchers.clear();
  }
}

/** A holder is told only what it does not know: that it is asked to resign, or has lost what it held. */
function tell({ session, elections, news }: LeaseWatcher, { election, before, after }: News): void {
  if (!elections.has(election)) return;
  const isHolder = after?.session === session;
  if (isHolder && before?.asked === after.asked) return;
  if (isHolder && after.asked === null) return;
  news({ election, news: isHolder || before?.session === session ? 'ours' : 'changed' });
}

function lost(): HttpError {
  const message =
    'this member stopped managing the leases before it could answer; another one does, or soon will';
  return new HttpError(503, 'E_MANAGER_LOST', message, { details: { outcome: 'indefinite' } });
}
