import { RefusedMessage } from '../api/index.ts';
import {
  BadInput,
  type MemberId,
  type Message,
  type Protocol,
  type RestOffer,
  type Shape,
  show,
} from '../core/index.ts';
import type { Resting } from '../host/index.ts';
import {
  ALL_ELECTIONS,
  Support,
  type SupportAnswer,
  type SupportRequest,
  supportMessages,
} from '../support/index.ts';
import type { ElectionsAround } from './surroundings.ts';

/**
 * The elections of a member rest on the support between its process and the others, all but two kinds. The main
 * election does not: it is the one that members without another have, and its heartbeats carry the priorities and the
 * register by which the cluster is changed. Nor does an election that is recorded: a recording shows every step.
 */
export class ElectionSupport {
  readonly #around: ElectionsAround;
  /** Null if elections of this protocol have heartbeats of their own at all times. */
  readonly #support: Support | null;
  #isClosed = false;

  constructor(
    self: MemberId,
    { resting }: Protocol,
    around: ElectionsAround,
    find: (election: string) => Resting | null,
  ) {
    this.#around = around;
    const { clock, store, understandsSupport } = around;
    this.#support =
      resting === undefined || understandsSupport === undefined
        ? null
        : new Support({
            self,
            life: store.member.life,
            clock,
            send: (to, message) => around.send(to, ALL_ELECTIONS, message),
            understands: understandsSupport,
            find,
          });
  }

  /** Can elections rest at all? */
  get isThere(): boolean {
    return this.#support !== null;
  }

  /** The election that this member leads could rest. True: it rests now. */
  mayRest(election: string, resting: Resting, offer: RestOffer): boolean {
    return this.#support?.rest(election, resting, offer) === true;
  }

  /** When this member was last heard while the election rests with it, in milliseconds since 1970, or null. */
  heardAtMs(election: string, peer: MemberId): number | null {
    const { clock } = this.#around;
    const atMs = this.#support?.heardAtMs(peer, election) ?? null;
    return atMs === null ? null : Math.floor(clock.wallNow() - (clock.now() - atMs));
  }

  /** A message over a connection. Throws RefusedMessage if it is refused. */
  receive(from: MemberId, message: Message): void {
    const read = readSupport(message);
    if (!this.#isClosed && this.#around.isVoter(from)) this.#support?.receive(from, read);
  }

  close(): void {
    this.#isClosed = true;
    this.#support?.close();
  }
}

function readSupport(message: Message): SupportRequest | SupportAnswer {
  const { type, ...fields } = message;
  const messages: Readonly<Record<string, Shape<object>>> = supportMessages;
  const shape = Object.hasOwn(messages, type) ? messages[type] : undefined;
  if (shape === undefined)
    throw new RefusedMessage('unknown-type', `there is no message ${show(type)} about all elections`);
  try {
    return Object.assign(shape.read(fields, ''), { type }) as SupportRequest | SupportAnswer;
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    throw new RefusedMessage('bad-shape', `${type}: ${error.message}`, error);
  }
}
