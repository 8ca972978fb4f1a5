import type { ServerResponse } from 'node:http';
import { EventStream, writeEventHead } from './event-stream.ts';
import { HttpError } from './http-error.ts';
import type { ElectionPort, MemberPort } from './port.ts';
import { statusOf } from './status.ts';
import type { State } from './wire/documents.ts';

/** More than this is a mistake of a client, and every stream costs memory. */
const MOST_WATCHERS = 1000;

/**
 * Streams of server-sent events: first the current state, then every change. A slow reader misses states in between,
 * never the newest one.
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
    if (response.req.method === 'HEAD') {
      writeEventHead(response);
      response.end();
      return;
    }
    let last = '';
    const show = (): void => {
      if (stream.isBehind) return;
      const text = describe(this.#member, election);
      if (text === last) return;
      last = text;
      stream.send('state', text);
      // With a role, the same cause means that another member has left; then the stream goes on.
      if (election.history.at(-1)?.cause === 'closed' && election.view.role === 'none') end();
    };
    const stream = new EventStream(response, this.#heartbeatMs, { drain: show, close: () => end() });
    const stopElection = election.subscribe(show);
    let { illness } = this.#member;
    const stopMember = this.#member.subscribe(() => {
      if (illness === this.#member.illness) return;
      illness = this.#member.illness;
      show();
    });
    const end = (): void => {
      if (!this.#open.delete(end)) return;
      stopElection();
      stopMember();
      stream.end();
    };
    this.#open.add(end);
    show();
  }

  /** Ends all streams, so that the server can close. */
  close(): void {
    this.#closed = true;
    for (const end of [...this.#open]) end();
  }
}

/** Without the remaining lease time, the time of day and the times of heartbeats, which change all the time. */
function describe(member: MemberPort, election: ElectionPort): string {
  const { expiresInMs: _, nowMs: _now, certificate: _days, ...rest } = statusOf(member, election);
  const voters = rest.voters.map(({ voterId, voterUrl }) => ({ voterId, voterUrl }));
  return JSON.stringify({ ...rest, voters } satisfies State);
}
