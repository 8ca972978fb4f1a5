/**
 * One process of this host, as `caucus witness` watches it. Its modes and their exits:
 *
 * - `meeting`: a token was read from its local socket, and the member at its URL is asked whether it drew it. Yes: `watched`. No, or
 *   no answer: the watch ends, and the next registration begins a new one. A pid that only looks right is never watched: clones of a
 *   virtual machine have the same boot id, namespaces and pids.
 * - `watched`: the connection to the local socket is open. The kernel closes it when the process dies: `looking`.
 * - `looking`: the connection is closed, which proves nothing. The kernel is asked for the process: dead, and the watch ends with a report;
 *   or alive, and it is connected again.
 */
import type { NeighbourDocument } from '../../api/index.ts';
import type { MemberId } from '../../core/index.ts';
import { isDead, isWithinSight } from '../evidence.ts';
import { Meeting } from '../links/local-socket.ts';

/** A process closes its sockets a little before it is seen to exit. */
const LOOK_EVERY_MS = 1;
const MOST_LOOKS = 20;
/** A process that lives and does not listen is looked at as often as this. */
const RECONNECT_MS = 100;

export interface WatchAround {
  /** Asks the member whether it drew the token. */
  confirm(token: string, done: (isMet: boolean) => void): void;
  met(): void;
  /** The process can never run again. */
  died(): void;
  /** The watch has ended: the process is dead, or is not the one that answers for the member. */
  ended(): void;
}

export class WatchedProcess {
  readonly id: MemberId;
  readonly neighbour: NeighbourDocument;
  readonly #around: WatchAround;
  #mode: 'meeting' | 'watched' | 'looking' | 'ended' = 'meeting';
  #meeting: Meeting | null = null;
  #looksLeft = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(id: MemberId, neighbour: NeighbourDocument, around: WatchAround) {
    this.id = id;
    this.neighbour = neighbour;
    this.#around = around;
    if (isWithinSight(neighbour.process) && !isDead(neighbour.process)) this.#connect();
    else this.#end();
  }

  close(): void {
    this.#mode = 'ended';
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#meeting?.close();
  }

  #connect(): void {
    this.#meeting = new Meeting(
      this.neighbour.localSocket,
      (token) => this.#onToken(token),
      () => this.#onClosed(),
    );
  }

  #onToken(token: string): void {
    // The name of the socket is random, and the process lives: met once, it is the same one.
    if (this.#mode === 'looking') this.#mode = 'watched';
    if (this.#mode !== 'meeting') return;
    this.#around.confirm(token, (isMet) => {
      if (this.#mode !== 'meeting') return;
      if (!isMet || this.#meeting?.isConfirmedBy(token) !== true) return this.#end();
      this.#mode = 'watched';
      this.#around.met();
    });
  }

  #onClosed(): void {
    if (this.#mode === 'ended') return;
    if (this.#mode === 'meeting') return this.#end();
    this.#looksLeft = this.#mode === 'watched' ? MOST_LOOKS : 0;
    this.#mode = 'looking';
    this.#look();
  }

  #look(): void {
    if (isDead(this.neighbour.process)) {
      this.#around.died();
      return this.#end();
    }
    this.#looksLeft--;
    const isEarly = this.#looksLeft > 0;
    this.#timer = setTimeout(
      () => (isEarly ? this.#look() : this.#connect()),
      isEarly ? LOOK_EVERY_MS : RECONNECT_MS,
    );
  }

  #end(): void {
    this.close();
    this.#around.ended();
  }
}
