import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventStream, HEARTBEAT_MS } from '../../../api/index.ts';
import { readEvents } from '../../../api/wire/index.ts';
import { type Answer, openAnswer } from './ask-member.ts';
import type { Fleet, FleetMember } from './fleet.ts';
import { ANSWER_WITHIN_MS, likelyMembers } from './relay.ts';

const TRY_AGAIN_MS = 500;

/**
 * One stream of events for one page: `state`, from one member, and `fleet`, the states of the processes. When that
 * member dies or is paused, the stream continues with another.
 */
export class WatchRelay {
  readonly #fleet: Fleet;
  readonly #stream: EventStream;
  readonly #path: string;
  readonly #describe: () => string;
  readonly #closed = new AbortController();
  #source: FleetMember | null = null;
  #answer: Answer | null = null;
  #last = '';

  constructor(fleet: Fleet, response: ServerResponse, path: string, describe: () => string) {
    this.#fleet = fleet;
    this.#path = path;
    this.#describe = describe;
    this.#stream = new EventStream(response, HEARTBEAT_MS, { drain: () => {}, close: () => this.close() });
    this.fleetChanged();
    void this.#listen();
  }

  /** The fleet has changed: sends it, and leaves a member that can no longer answer. */
  fleetChanged(): void {
    const text = this.#describe();
    if (text === this.#last) return;
    this.#last = text;
    this.#stream.send('fleet', text);
    const { state } = this.#source ?? {};
    if (state === 'paused' || state === 'down') this.#answer?.cancel();
  }

  close(): void {
    this.#closed.abort();
    this.#answer?.cancel();
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closed;
    let left: FleetMember | null = null;
    while (!signal.aborted) {
      // The last member may be gone without our knowing it yet, so the others are asked first.
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

  /** Settles when this member's stream has ended; with false if it sent nothing. */
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
      // Only complete events are passed on: the next member starts with its own event.
      for await (const { name, data } of readEvents(response.setEncoding('utf8'))) {
        hasSpoken = true;
        this.#stream.send(name, data);
      }
    } catch {
      // The member is gone, or was left.
    } finally {
      this.#answer = null;
    }
    return hasSpoken;
  }
}
