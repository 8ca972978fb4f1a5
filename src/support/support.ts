/**
 * Support: one liveness protocol for a whole process, whatever the number of its elections.
 *
 * Every heartbeat of an election that has nothing to do would say the same thing: I still lead, renew your promise.
 * So such elections rest, and one request per heartbeat and voter says it for all of them (asking.ts); the voter renews
 * one promise, which stands for the promises in all of them (giving.ts). An election wakes when anything happens to it:
 * a message, a command, the death of its leader, or the end of the support. Then its state becomes what heartbeats of
 * its own would have made of it (core/resting.ts), and it goes on by itself until it rests again.
 *
 * Why that is safe: a request that is heard is a heartbeat that is heard, of every election that rests on both sides;
 * an answer is an answer in each of them, counted from when the request was sent. Which elections rest on both sides is
 * said in the same messages (endings.ts). So a run with support is a run without it, in which the heartbeats of some
 * elections leave, arrive and are lost together. What `quorum` promises of any run, it promises of this one.
 *
 * What it does not promise: independence. A process that loses support loses all its elections at rest at once.
 */
import type { MemberId, RestOffer } from '../core/index.ts';
import type { HostClock } from '../host/index.ts';
import { Asking } from './asking.ts';
import { Giving } from './giving.ts';
import type { SupportAnswer, SupportRequest } from './messages.ts';
import type { RestingHost } from './resting-host.ts';

export interface SupportPorts {
  readonly self: MemberId;
  /** Names this process. */
  readonly life: string;
  readonly clock: HostClock;
  send(to: MemberId, message: SupportRequest | SupportAnswer): void;
  /** Does this voter understand requests for support? Null: it is not connected. */
  understands(voter: MemberId): boolean | null;
  /** The election of this name, if it is open. */
  find(election: string): RestingHost | null;
}

export class Support {
  readonly #asking: Asking;
  readonly #giving: Giving;

  constructor({ self, life, clock, send, understands, find }: SupportPorts) {
    this.#asking = new Asking({ self, life, clock, understands, ask: send });
    this.#giving = new Giving({ life, clock, find, answer: send });
  }

  /** How many elections rest: those that this process leads, and those that it follows. */
  get resting(): { readonly led: number; readonly followed: number } {
    return { led: this.#asking.size, followed: this.#giving.size };
  }

  /** The election that this process leads rests from now on. False: it cannot. */
  rest(name: string, host: RestingHost, offer: RestOffer): boolean {
    return this.#asking.rest(name, host, offer);
  }

  receive(from: MemberId, message: SupportRequest | SupportAnswer): void {
    if (message.type === 'support') this.#giving.onRequest(from, message);
    else this.#asking.onAnswer(from, message);
  }

  /** When this member was last heard in an election that rests with it, as its leader or as a voter; else null. */
  heardAtMs(peer: MemberId, election: string): number | null {
    return this.#giving.heardAtMs(peer, election) ?? this.#asking.heardAtMs(peer, election);
  }

  close(): void {
    this.#asking.close();
    this.#giving.close();
  }
}
