import type { ServerResponse } from 'node:http';
import { HttpError } from './http-error.ts';
import type { ElectionPort, MemberPort } from './port.ts';
import { statusOf } from './status.ts';

/** More than this at a time is a mistake of a client, and every one costs memory. */
const MOST_WATCHERS = 1000;

/** A reader that takes nothing for this long is gone. */
const UNREAD_MS = 10_000;

/**
 * Streams of server-sent events: first how the election stands, then every change. A reader that is too slow misses what came
 * between, never the newest state.
 */
export class Watchers {
  readonly #member: MemberPort;
  readonly #heartbeatMs: number;
  readonly #open = new Set<() => void>();
  #closed = false;

  constructor(member: MemberPort, heartbeatMs: number) {
    this.#member = member;
    this.#heartbeatMs = heartbeatMs;
  }

  get count(): number {
    return this.#open.size;
  }

  add(election: ElectionPort, response: ServerResponse): void {
    if (this.#closed) throw new HttpError(503, 'E_CLOSED', 'this member is leaving');
    if (this.#open.size >= MOST_WATCHERS) {
      throw new HttpError(503, 'E_TOO_MANY', `${MOST_WATCHERS} watchers are connected already`);
    }
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Proxies that collect answers would hold the events back.
      'x-accel-buffering': 'no',
    });
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    response.write('retry: 1000\n\n');
    let last = '';
    const show = (): void => {
      if (response.writableNeedDrain) return;
      const text = describe(this.#member, election);
      if (text === last) return;
      last = text;
      response.write(`event: state\ndata: ${text}\n\n`);
      // The same cause with a role says that another member has left, which is no end.
      if (election.history.at(-1)?.cause === 'closed' && election.view.role === 'none') end();
    };
    const beat = setInterval(() => {
      if (!response.writableNeedDrain) response.write(': still here\n\n');
    }, this.#heartbeatMs);
    beat.unref();
    const stopElection = election.subscribe(show);
    let { illness } = this.#member;
    const stopMember = this.#member.subscribe(() => {
      if (illness === this.#member.illness) return;
      illness = this.#member.illness;
      show();
    });
    const end = (): void => {
      if (!this.#open.delete(end)) return;
      clearInterval(beat);
      stopElection();
      stopMember();
      response.end();
    };
    this.#open.add(end);
    // A stream whose reader has stopped reading would be held open for ever.
    let unread: NodeJS.Timeout | null = null;
    const look = setInterval(() => {
      if (response.writableNeedDrain) unread ??= setTimeout(() => response.destroy(), UNREAD_MS);
    }, 1000);
    look.unref();
    response.on('drain', () => {
      if (unread !== null) clearTimeout(unread);
      unread = null;
      show();
    });
    response.on('close', () => {
      clearInterval(look);
      if (unread !== null) clearTimeout(unread);
      end();
    });
    show();
  }

  /** Ends all streams, so that the server under them can close. */
  close(): void {
    this.#closed = true;
    for (const end of [...this.#open]) end();
  }
}

/** The time left changes with every heartbeat, which is no news. */
function describe(member: MemberPort, election: ElectionPort): string {
  const { expiresInMs: _, ...rest } = statusOf(member, election);
  return JSON.stringify(rest);
}
