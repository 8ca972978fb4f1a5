import type { Change } from '../api/index.ts';
import type { Effect, Input, Json, MemberId, Message } from '../core/index.ts';
import type { DoorAround } from './door.ts';

/** What an election needs from its member. */
export interface Surroundings extends DoorAround {
  /** `at`: where the protocol says that the voter is reached. */
  send(to: MemberId, message: Message, at?: string): void;
  /** A message to the voter at an address; `to` is the one that is expected there. Omitted where ids are enough. */
  call?(at: string, message: Message, to?: MemberId): void;
  /** Returns when the record is durable; throws if it is not. */
  save(record: Json): void;
  /** The changes of leader that earlier processes of this member saw. Omitted: none are kept. */
  readonly earlier?: readonly Change[];
  /** Called for every step, for a recording. */
  stepped(input: Input, effects: readonly Effect[]): void;
}
