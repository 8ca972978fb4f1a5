/**
 * A leader that gives up its leadership tells the other members why, just before it lets go. Without that, a resignation, a stop
 * and a blocked event loop would all look the same to the others ("a hands over to b"), and the histories of three members would tell
 * three causes for one event.
 *
 * It is said by the host and not by the protocol: no decision rests on it, and a member that does not understand it loses nothing
 * but the words. The named successor passes it on before it asks for votes, so it arrives before the votes are asked for even where
 * the word of the leader itself is late.
 */
import {
  BadInput,
  choice,
  type Effect,
  type MemberId,
  type Message,
  memberId,
  nullable,
  record,
  type Self,
  type Shape,
  show,
  text,
  type View,
} from '../core/index.ts';
import { CAUSES, type Cause, type Why } from '../election/index.ts';
import { oneLine } from './one-line.ts';

export interface Farewell extends Message {
  readonly type: 'farewell';
  /** The leadership that ends. */
  readonly leader: MemberId;
  readonly token: string;
  /** The member that is asked to take over, or null. */
  readonly to: MemberId | null;
  readonly cause: Cause;
  readonly detail: string;
}

export const FAREWELL = 'farewell';

/** A program may say why it resigns, in as many words as it likes: this much of it reaches the other members. */
const LONGEST_DETAIL = 240;

const detail: Shape<string> = {
  expected: `one line of at most ${LONGEST_DETAIL} characters`,
  read(value, path) {
    const found = text(LONGEST_DETAIL).read(value, path);
    if (found === oneLine(found)) return found;
    throw new BadInput(path, this.expected, show(found));
  },
};

/** Without `type`, as the shapes of all messages are. */
export const farewellShape: Shape<object> = record({
  leader: memberId,
  token: text(20),
  to: nullable(memberId),
  cause: choice(...CAUSES),
  detail,
});

export class Farewells {
  readonly #self: Self;
  readonly #send: (to: MemberId, message: Message) => void;
  #last: Farewell | null = null;

  constructor(self: Self, send: (to: MemberId, message: Message) => void) {
    this.#self = self;
    this.#send = send;
  }

  /**
   * These effects are about to be carried out. If they let go of a leadership, the other members are told why first. That a named
   * member was asked to take over they see by themselves.
   */
  precede(effects: readonly Effect[], view: View, explain: (next: View) => Why): void {
    const to = successorIn(effects);
    if (to === undefined || view.role !== 'leader' || view.term === null) return;
    const next = effects.findLast((each) => each.type === 'report')?.view ?? view;
    const { cause, detail: words } = explain(next);
    if (cause === 'transferred') return;
    const leader = this.#self.id;
    const said = { leader, token: `${view.term}`, to, cause, detail: bounded(words) };
    this.#tell({ type: FAREWELL, ...said }, next);
  }

  hear(from: MemberId, message: Farewell, view: View): void {
    const { leader, to } = message;
    const { id } = this.#self;
    if (leader === id || (from !== leader && from !== to)) return;
    if (isSameLeadership(this.#last, message) && from !== leader) return;
    this.#last = message;
    if (to === id && from === leader && from === view.leader) this.#tell(message, view);
  }

  /** Why this leadership was given up, if its leader has said so. */
  of(leader: MemberId | null, token: bigint | null): Why | null {
    if (this.#last === null || this.#last.leader !== leader || this.#last.token !== `${token}`) return null;
    const { cause, detail: words } = this.#last;
    return { cause, detail: words };
  }

  #tell(message: Farewell, { members = this.#self.members }: View): void {
    for (const id of members) if (id !== this.#self.id && id !== message.leader) this.#send(id, message);
  }
}

export function isFarewell(message: Message): message is Farewell {
  return message.type === FAREWELL;
}

/** The member to which these effects hand the leadership, null if they free all members; undefined if they do neither. */
export function successorIn(effects: readonly Effect[]): MemberId | null | undefined {
  for (const effect of effects) {
    if (effect.type !== 'send') continue;
    if (effect.message.type === 'transfer') return effect.to;
    if (effect.message.type === 'resign') return null;
  }
  return undefined;
}

function isSameLeadership(a: Farewell | null, b: Farewell): boolean {
  return a !== null && a.leader === b.leader && a.token === b.token;
}

function bounded(words: string): string {
  const line = oneLine(words);
  return line.length > LONGEST_DETAIL ? `${line.slice(0, LONGEST_DETAIL - 1)}…` : line;
}
