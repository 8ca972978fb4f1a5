/**
 * Lets a WebSocket that was just opened prove itself, if members have a secret, and makes a connection of it. The
 * connections that have not proven themselves yet are bounded in number and time, so that they cannot keep members out.
 */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { Initiator, NONCE_BYTES, Responder, SEAL_BYTES, type Secrets } from '../../auth/index.ts';
import type { MemberId } from '../../core/index.ts';
import type { Identity, Refused } from '../../peers/index.ts';
import { Connection, withoutPort } from './connection.ts';
import type { ResolvedLinkOptions } from './options.ts';
import { type Proven, prove } from './prove.ts';
import { SealedWire } from './sealed-wire.ts';
import { type Stranger, Strangers } from './strangers.ts';

/** A WebSocket that was just opened, by either side. */
interface Opened {
  readonly ws: WebSocket;
  readonly socket: Duplex;
  /** The remote address, for people. */
  readonly remote: string;
  /** The member whose certificate the other side showed when it connected; null if members do not use TLS. */
  readonly certifiedId?: MemberId | null;
}

export const CROWDED: Refused = {
  kind: 'unauthenticated',
  reason: 'too many connections wait that have not shown whose they are; one of them was closed',
};

/** A handshake that is under way. */
interface Proving extends Stranger {
  cancel(): void;
  /** The same, because there are too many. */
  giveWay(): void;
}

type Authenticated =
  | { readonly type: 'open'; readonly connection: Connection }
  | Exclude<Proven, { type: 'proven' }>;

export class LinkAuthentication {
  readonly #own: Pick<Identity, 'id' | 'cluster'>;
  readonly #options: ResolvedLinkOptions;
  /** The handshakes that are under way with processes that connected. */
  readonly #strangers: Strangers<Proving>;

  constructor(own: Pick<Identity, 'id' | 'cluster'>, options: ResolvedLinkOptions) {
    this.#own = own;
    this.#options = options;
    this.#strangers = new Strangers(options.strangers);
  }

  /** The id of this member. */
  get own(): MemberId {
    return this.#own.id;
  }

  /** The largest frame of the WebSocket. */
  get largestFrame(): number {
    return this.#options.frameBytes + (this.#options.secrets === null ? 0 : SEAL_BYTES);
  }

  asInitiator(opened: Opened, peer: MemberId, done: (result: Authenticated) => void): void {
    const { secrets } = this.#options;
    if (secrets === null) return done(this.#open(opened));
    const { cluster, id } = this.#own;
    const parties = { cluster, from: id, to: peer };
    const machine = new Initiator(parties, secrets.list, randomBytes(NONCE_BYTES));
    prove(opened.ws, machine, this.#options, (result) => done(this.#finish(opened, secrets, result, true)));
  }

  asResponder(opened: Opened, done: (result: Authenticated) => void): void {
    const { secrets } = this.#options;
    if (secrets === null) return done(this.#open(opened));
    const { cluster, id } = this.#own;
    const machine = new Responder({ cluster, id }, secrets.list, randomBytes(NONCE_BYTES));
    const cancel = prove(opened.ws, machine, this.#options, (result) => {
      // One that was refused counts until it is closed.
      if (result.type !== 'refused') this.#strangers.delete(stranger);
      done(this.#finish(opened, secrets, result, false));
    });
    const stranger: Proving = {
      address: withoutPort(opened.remote),
      cancel,
      giveWay: () => {
        cancel();
        done({ type: 'refused', refused: CROWDED, verdict: 'refused' });
      },
    };
    opened.ws.on('close', () => this.#strangers.delete(stranger));
    this.#strangers.add(stranger)?.giveWay();
  }

  close(): void {
    for (const stranger of this.#strangers.clear()) stranger.cancel();
  }

  #finish(opened: Opened, secrets: Secrets, result: Proven, isInitiator: boolean): Authenticated {
    if (result.type !== 'proven') return result;
    const { session } = result;
    const ends = { cluster: this.#own.cluster, own: this.#own.id, isInitiator };
    const made = this.#open(opened, (put) => new SealedWire(session, ends, secrets, put));
    // The secrets may have changed since the handshake began.
    if (!secrets.has(session.secret)) made.connection.renew();
    return made;
  }

  #open(
    { ws, socket, remote, certifiedId = null }: Opened,
    seal: ((put: (frame: Buffer) => void) => SealedWire) | null = null,
  ): { type: 'open'; connection: Connection } {
    const connection = new Connection(ws, socket, remote, this.#options, seal, certifiedId);
    return { type: 'open', connection };
  }
}
