import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, openAnswer } from './ask-member.ts';
import type { Fleet, FleetMember } from './fleet.ts';
import { ANSWER_WITHIN_MS, likelyMembers } from './relay.ts';

const TRY_AGAIN_MS = 500;
const HEARTBEAT_MS = 15_000;

/**
 * One stream of events for one page: `state`, in the words of the member that is listened to, and `fleet`, how the processes are.
 * When that member dies or is stopped, another is listened to, and the stream goes on.
 */
export class WatchRelay {
  readonly #fleet: Fleet;
  readonly #response: ServerResponse;
  readonly #path: string;
  readonly #describe: () => string;
  readonly #beat: NodeJS.Timeout;
  readonly #closed = new AbortController();
  #source: FleetMember | null = null;
  #answer: Answer | null = null;
  #last = '';

  constructor(fleet: Fleet, response: ServerResponse, path: string, describe: () => string) {
    this.#fleet = fleet;
    this.#response = response;
    this.#path = path;
    this.#describe = describe;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.write('retry: 1000\n\n');
    this.#beat = setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS).unref();
    this.fleetChanged();
    void this.#listen();
  }

  /** Something has changed in the fleet: it is told, and whoever cannot speak any more is left. */
  fleetChanged(): void {
    const text = this.#describe();
    if (text === this.#last) return;
    this.#last = text;
    this.#response.write(`event: fleet\ndata: ${text}\n\n`);
    const { state } = this.#source ?? {};
    if (state === 'paused' || state === 'down') this.#answer?.cancel();
  }

  close(): void {
    this.#closed.abort();
    clearInterval(this.#beat);
    this.#answer?.cancel();
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closed;
    let left: FleetMember | null = null;
    while (!signal.aborted) {
      // Whoever spoke last may be gone without our knowing it yet, so the others are asked first.
      const others = likelyMembers(this.#fleet).filter((member) => member !== left);
      left = null;
      for (const member of others) {
        if (signal.aborted) return;
        this.#source = member;
        if (await this.#listenTo(member)) {
          left = member;
          break;
        }
      }
      this.#source = null;
      if (left === null) await sleep(TRY_AGAIN_MS, null, { signal }).catch(() => {});
    }
  }

  /** Settles when this member has no more to say; with false if it said nothing. */
  async #listenTo({ url }: FleetMember): Promise<boolean> {
    let hasSpoken = false;
    try {
      this.#answer = await openAnswer(`${url}${this.#path}`, { withinMs: ANSWER_WITHIN_MS });
      if (this.#closed.signal.aborted) this.#answer.cancel();
      const { response } = this.#answer;
      if (response.statusCode !== 200) {
        response.resume();
        return false;
      }
      let rest = '';
      for await (const chunk of response.setEncoding('utf8')) {
        const blocks = `${rest}${chunk}`.split('\n\n');
        rest = blocks.pop()!;
        // Only what is whole is passed on: the next member begins with an event of its own.
        for (const block of blocks.filter((each) => each.startsWith('event:'))) {
          hasSpoken = true;
          this.#response.write(`${block}\n\n`);
        }
      }
    } catch {
      // It is gone, or was left.
    } finally {
      this.#answer = null;
    }
    return hasSpoken;
  }
}
