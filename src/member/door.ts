/**
 * Every message enters an election here, whether it came over a connection, by POST, or as the answer to a POST of
 * this member. A message is admitted if it has the shape that the protocol defines and an honest member could have
 * sent it at that moment.
 */
import { RefusedMessage } from '../api/index.ts';
import {
  BadInput,
  type Definition,
  type Effect,
  type MemberId,
  type Message,
  type Protocol,
  type Shape,
  show,
  type View,
  withParsedIds,
} from '../core/index.ts';
import type { Clock } from './clock.ts';
import type { SenderBudgets } from './sender-budgets.ts';

/** How a message came: over a connection, by POST, or as the answer to a POST of this member. */
export type Way = 'link' | 'post' | 'answer';

export interface DoorAround {
  readonly clock: Clock;
  /** Is this id one of the voters, configured or registered? */
  isVoter(id: MemberId): boolean;
  /** How many saves each sender may cause. */
  readonly budgets: SenderBudgets;
}

/**
 * The largest term, version or start count that is plausible now: more than any cluster had before this rule, plus a
 * thousand for every second since. A lying sender can push members up to this limit and no further, and honest
 * members, whose clocks show about the same time, continue from there. A limit that depended on what a member itself
 * heard would separate the members that were lied to from the others.
 */
const MOST_BEFORE = 2 ** 40;
/**
 * The same for messages over a connection. Why more, by thirty years of seconds: a stranger can raise the members up to
 * their limit for messages by POST, with one request in the name of a member that is down. If they could send no more
 * than that to each other, a member whose clock is an hour behind would refuse them for an hour, and one whose clock
 * begins in 1970 for good.
 */
const MOST_BEFORE_LINKED = 2 ** 41;
const MOST_A_SECOND = 1000;
const SINCE_MS = Date.UTC(2026, 0, 1);
/**
 * How far a message may be ahead of this member's own numbers, whatever its clock says. A lying sender gains nothing
 * by it, since saves are rationed.
 */
const NEXT = 100;

export function largestClaim(wallMs: number, way: Way): number {
  const mostBefore = way === 'post' ? MOST_BEFORE : MOST_BEFORE_LINKED;
  return mostBefore + Math.floor(MOST_A_SECOND * Math.max(0, (wallMs - SINCE_MS) / 1000));
}

/** Reads a message by the shape of its type. Throws RefusedMessage if the type is unknown or the shape is wrong. */
export function readMessage(definition: Definition, message: Message, way: Way): Message {
  const { type, ...fields } = message;
  const messages: Readonly<Record<string, Shape<object>>> = definition.messages;
  const shape = Object.hasOwn(messages, type) ? messages[type] : undefined;
  if (shape === undefined)
    throw new RefusedMessage('unknown-type', `${definition.name} has no message ${show(type)}`);
  try {
    // Members of Caucus write ids unchanged; programs in other languages may write numbers as text.
    const written = way === 'link' ? fields : withParsedIds(fields, shape.schema ?? {});
    // What a shape has read is an object of its own, so the type is added to that.
    return Object.assign(shape.read(written, ''), { type });
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    throw new RefusedMessage('bad-shape', `${type}: ${error.message}`, error);
  }
}

/** The election behind the door. */
interface DoorHost {
  readonly state: unknown;
  readonly view: View;
}

export class Door {
  readonly #definition: Definition;
  readonly #protocol: Protocol;
  readonly #host: DoorHost;
  readonly #around: DoorAround;

  constructor(definition: Definition, protocol: Protocol, host: DoorHost, around: DoorAround) {
    this.#definition = definition;
    this.#protocol = protocol;
    this.#host = host;
    this.#around = around;
  }

  /**
   * Returns the message to process. Throws RefusedMessage for one that is refused: it is not saved, answered or
   * passed on.
   */
  admit(from: MemberId, said: Message, way: Way): Message {
    // A voter that answers a request of this member is known already.
    if (way !== 'answer' && !this.#around.isVoter(from))
      throw new RefusedMessage('unknown-member', `${from} is not a voter that this member knows`);
    const message = readMessage(this.#definition, said, way);
    if (way === 'post' && this.#protocol.changesMembers?.(this.#host.state, message))
      throw new RefusedMessage('impossible', 'changes of the members are taken only over a connection');
    const reason = this.#impossible(message, way);
    if (reason !== null) throw new RefusedMessage('impossible', reason);
    const leads = way === 'link' && this.#host.view.leader === from;
    if (leads) this.#around.budgets.ofLeader.add(message);
    if (!this.#around.budgets.maySave(from, leads) && this.#wouldSave(from, message))
      throw new RefusedMessage(
        'too-fast',
        'it causes too many saves; its messages are accepted again within a second',
      );
    return message;
  }

  /** A save for an admitted message took this long. */
  charge(from: MemberId, message: Message, tookMs: number): void {
    this.#around.budgets.saved(from, tookMs, this.#around.budgets.ofLeader.has(message));
  }

  #impossible(message: Message, way: Way): string | null {
    const reason = this.#protocol.objection?.(this.#host.state, message) ?? null;
    if (reason !== null) return reason;
    const introduced = this.#protocol.introduces?.(this.#host.state, message) ?? [];
    const strangers = introduced.filter((id) => !this.#around.isVoter(id));
    if (strangers.length > 0) return `it makes ${show(strangers)} members, which this member cannot reach`;
    const claim = this.#protocol.claim?.(message) ?? 0;
    if (claim <= largestClaim(this.#around.clock.wallNow(), way)) return null;
    // A clock that was set back must not separate this member from the others: numbers that they have reached
    // together stay admissible.
    if (claim <= this.#ownLargest() + NEXT) return null;
    return `${claim} is more terms, elections, versions or starts than there can be by now`;
  }

  #ownLargest(): number {
    const { term = 0, version = 0, election = 0 } = this.#protocol.measure?.(this.#host.state) ?? {};
    return Math.max(term, version, election);
  }

  /**
   * Tries the message on a copy of the state: messages that need no save are still heard from a sender that has
   * caused too many saves.
   */
  #wouldSave(from: MemberId, message: Message): boolean {
    const effects: Effect[] = [];
    this.#protocol.step(structuredClone(this.#host.state), { type: 'message', from, message }, effects);
    return effects.some(({ type }) => type === 'save');
  }
}
