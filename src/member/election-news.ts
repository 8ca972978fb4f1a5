import { type Change, lackWords } from '../api/index.ts';
import type { ElectionHost } from './election-host.ts';
import type { HistoryLog } from './history-file.ts';
import type { LogEntry } from './join-options.ts';

/** The same for all elections of a member. */
export interface NewsPorts {
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
    setImmediate(() => this.tell());
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
