import { type Change, lackWords } from '../api/index.ts';
import type { ElectionHost } from './election-host.ts';
import type { HistoryLog } from './history-file.ts';
import type { LogEntry } from './join-options.ts';

/** No more elections tell what has changed before messages are read again. */
const AT_ONCE = 32;

/**
 * The elections that have news, in their order. They share one turn of the event loop, since each turn has a cost of its own;
 * and when thousands change at once, messages come first: an election that has lost its leader often has another one by the
 * time it tells of that, and then tells of both.
 */
export class NewsTurns {
  #due: ElectionNews[] = [];
  #isWaiting = false;

  add(news: ElectionNews): void {
    this.#due.push(news);
    this.#wait();
  }

  #wait(): void {
    if (this.#isWaiting || this.#due.length === 0) return;
    this.#isWaiting = true;
    setImmediate(() => this.#tell());
  }

  #tell(): void {
    this.#isWaiting = false;
    const due = this.#due.slice(0, AT_ONCE);
    this.#due = this.#due.slice(AT_ONCE);
    let told = 0;
    try {
      for (const news of due) {
        told += 1;
        news.tell();
      }
    } finally {
      // A log of the program that throws ends its own turn, and not the news of the others.
      this.#due.unshift(...due.slice(told));
      this.#wait();
    }
  }
}

/** The same for all elections of a member. */
export interface NewsPorts {
  readonly turns: NewsTurns;
  log(entry: LogEntry): void;
  /** Is the log told of this election? */
  isShown(host: ElectionHost): boolean;
  /** The rest of the member looks at the election. */
  changed(host: ElectionHost): void;
}

/**
 * Tells the history, the log and the rest of the member what has changed in an election. All of that waits until the
 * event loop has sent the messages of the step: the other members need these for a takeover, and a program that has
 * become the leader is told by its seat, at once.
 */
export class ElectionNews {
  readonly #host: ElectionHost;
  readonly #history: HistoryLog;
  readonly #ports: NewsPorts;
  #told: Change | undefined;
  #lack: string | null = null;
  #isDue = false;

  constructor(host: ElectionHost, history: HistoryLog, ports: NewsPorts) {
    this.#host = host;
    this.#history = history;
    this.#ports = ports;
    host.subscribe(() => this.#onChange());
  }

  /** What is due is told now. */
  tell(): void {
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#tellChanges();
    this.tellLack();
    this.#ports.changed(this.#host);
  }

  /** Logs what an election waits for before it can have a leader. */
  tellLack(): void {
    const { name, view } = this.#host;
    const missing = view.lack === undefined ? null : lackWords(view.lack);
    if (missing !== null && missing !== this.#lack)
      this.#ports.log({ level: 'info', message: `${name}: waits for ${missing}` });
    this.#lack = missing;
  }

  #onChange(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#ports.turns.add(this);
  }

  #tellChanges(): void {
    const { log, isShown } = this.#ports;
    const { name, history: all } = this.#host;
    // The oldest changes are dropped, so an index into the list would not stay valid.
    const changes = this.#told === undefined ? all : all.slice(all.lastIndexOf(this.#told) + 1);
    for (const change of changes) {
      this.#history.add(change);
      if (isShown(this.#host)) log({ level: 'info', message: `${name}: ${change.detail} (${change.cause})` });
    }
    this.#told = all.at(-1);
  }
}
