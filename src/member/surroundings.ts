import type { Effect, Input, Json, MemberId, Message } from '../core/index.ts';
import type { DoorAround } from './door.ts';

/** What an election needs from its member. */
export interface Surroundings extends DoorAround {
  send(to: MemberId, message: Message): void;
  /** Returns when the record is durable; throws if it is not. */
  save(record: Json): void;
  /** Called for every step, for a recording. */
  stepped(input: Input, effects: readonly Effect[]): void;
}
