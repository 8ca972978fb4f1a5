/**
 * Keeps the certificates of a running member, or of a participant on a store, fresh: reads the files again when they change, and tells in time when one of them
 * is about to expire. A new file that cannot be used changes nothing but the log.
 */
import { unwatchFile, watchFile } from 'node:fs';
import type { CertificateStatus } from '../api/index.ts';
import { isPem, type ServerTls } from '../auth/index.ts';
import { BadInput } from '../core/index.ts';
import type { LogEntry } from '../election/index.ts';

const LOOK_EVERY_MS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** From this many days on it is told once a day, and from that many on every hour. */
const SOON_DAYS = 30;
const URGENT_DAYS = 7;

/** What is watched: the certificates of a member, or that of a server for clients. */
type WatchedTls = Pick<ServerTls, 'files' | 'fingerprint' | 'expiry' | 'reload'>;

export function certificateStatus(tls: Pick<ServerTls, 'expiry'>, nowMs: number): CertificateStatus {
  const { certificateMs, caMs } = tls.expiry;
  const daysUntil = (atMs: number): number => Math.floor((atMs - nowMs) / DAY_MS);
  const daysLeft = daysUntil(certificateMs);
  const caDaysLeft = caMs === null ? undefined : daysUntil(caMs);
  return {
    expiresAt: new Date(certificateMs).toISOString(),
    daysLeft,
    ...(caDaysLeft === undefined ? {} : { caDaysLeft }),
    warning: warningOf(daysLeft, 'certificate of this member') ?? warningOf(caDaysLeft, 'CA certificate'),
  };
}

function warningOf(days: number | undefined, what: string): string | null {
  if (days === undefined || days >= SOON_DAYS) return null;
  const when = days < 0 ? 'has expired' : days === 0 ? 'expires today' : `expires in ${days} days`;
  return `the ${what} ${when}: replace its file, which is read again by itself`;
}

export class TlsWatch {
  readonly #tls: WatchedTls;
  readonly #log: (entry: LogEntry) => void;
  readonly #files: readonly string[];
  readonly #hourly: NodeJS.Timeout;
  #again: NodeJS.Timeout | null = null;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(tls: WatchedTls, log: (entry: LogEntry) => void) {
    this.#tls = tls;
    this.#log = log;
    const files: readonly string[] = Object.values(tls.files);
    this.#files = [...new Set(files)].filter((each) => !isPem(each));
    // Not by events of the file system: they are lost when a file is replaced, as editors and Kubernetes do.
    for (const file of this.#files)
      watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, this.#onChange);
    this.#hourly = setInterval(() => this.#tellExpiry(), HOUR_MS).unref();
    this.#tellExpiry();
  }

  /** Reads the files again, now. What cannot be used is told, and the old certificates stay in use. */
  reload(): void {
    this.#cancel();
    const before = this.#tls.fingerprint;
    try {
      this.#tls.reload();
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      const message = `the certificates stay as they were: ${error.message}`;
      this.#log({ level: 'error', message });
      return;
    }
    const isSame = this.#tls.fingerprint === before;
    const message = `the certificates were read again; ${isSame ? 'that of this member is the same' : `that of this member is ${this.#tls.fingerprint}`}`;
    this.#log({ level: 'info', message });
    this.#toldAtMs = Number.NEGATIVE_INFINITY;
    this.#tellExpiry();
  }

  close(): void {
    for (const file of this.#files) unwatchFile(file, this.#onChange);
    clearInterval(this.#hourly);
    this.#cancel();
  }

  /** A certificate and its key are two files, written one after the other: both are waited for. */
  readonly #onChange = (): void => {
    this.#cancel();
    this.#again = setTimeout(() => this.reload(), LOOK_EVERY_MS / 2).unref();
  };

  #cancel(): void {
    if (this.#again !== null) clearTimeout(this.#again);
    this.#again = null;
  }

  #tellExpiry(): void {
    const nowMs = Date.now();
    const { daysLeft, caDaysLeft = daysLeft, warning } = certificateStatus(this.#tls, nowMs);
    if (warning === null) return;
    const isUrgent = Math.min(daysLeft, caDaysLeft) < URGENT_DAYS;
    if (!isUrgent && nowMs - this.#toldAtMs < DAY_MS) return;
    this.#toldAtMs = nowMs;
    this.#log({ level: isUrgent ? 'error' : 'warning', message: warning });
  }
}
