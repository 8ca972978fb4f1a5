import type { Change } from '../api/index.ts';
import type {
  Addresses,
  Effect,
  Input,
  Json,
  MemberId,
  Message,
  RestOffer,
  SeatedDisk,
} from '../core/index.ts';
import type { Resting } from '../host/index.ts';
import type { Clock } from './clock.ts';
import type { Store } from './data-folder.ts';
import type { DoorAround } from './door.ts';
import type { ElectionHost } from './election-host.ts';
import type { Pace } from './pace.ts';

/** What an election needs from its member. */
export interface Surroundings extends DoorAround {
  /** `at`: where the protocol says that the voter is reached. */
  send(to: MemberId, message: Message, at?: string): void;
  /** A message to the voter at an address; `to` is the one that is expected there. Omitted where ids are enough. */
  call?(at: string, message: Message, to?: MemberId): void;
  /** Returns null when the record is durable, or the reason why it may not be. */
  save(record: Json): string | null;
  /** Calls back with the same, and does not block. Omitted: `save` is the only way. */
  readonly saveSoon?: ((record: Json, done: (failure: string | null) => void) => void) | undefined;
  /** Is the next record to be saved by `save`, although there is `saveSoon`? Omitted: no. */
  readonly blocks?: (() => boolean) | undefined;
  /** What was given to `saveSoon` is durable, or was answered with the error, when this returns. */
  readonly settle?: (() => void) | undefined;
  /** The changes of leader that earlier processes of this member saw. Omitted: none are kept. */
  readonly earlier?: readonly Change[];
  /** The election that this member leads could rest (src/support). True: it rests now. */
  readonly mayRest?: ((resting: Resting, offer: RestOffer) => boolean) | undefined;
  /** When this member was last heard while the election rests with it, in milliseconds since 1970, or null. */
  readonly restHeardAtMs?: ((peer: MemberId) => number | null) | undefined;
  /** Called for every step, for a recording. */
  stepped(input: Input, effects: readonly Effect[]): void;
  /** This value, which nothing changes, or an equal one of another election. Omitted: there are few. */
  same?<V extends Json>(value: V): V;
  /** How many elections campaign at a time. Omitted: there are few. */
  readonly pace?: Pace | undefined;
}

/** What the elections of a member need from it. */
export interface ElectionsAround {
  readonly clock: Clock;
  readonly store: Store;
  /** `at`: where the protocol says that the voter is reached. */
  send(to: MemberId, election: string, message: Message, at?: string): void;
  /** What was sent leaves now. */
  flush?(): void;
  /** A message to the voter at an address; `to` is the one that is expected there. */
  call?(election: string, at: string, message: Message, to?: MemberId): void;
  /** Does this voter understand requests for support? Null: it is not connected. Omitted: no election rests. */
  understandsSupport?(voter: MemberId): boolean | null;
  /** The addresses that this member knows now. Omitted where ids are enough. */
  addresses?(): Addresses;
  /** Is this id one of the voters, this member included? */
  isVoter(id: MemberId): boolean;
  /** Does the program of this member use the election? */
  isUsed(name: string): boolean;
  /** Called when one of the elections has changed. */
  changed(host: ElectionHost): void;
  /** The members in the record of the main election, and whether takeovers are paused: when it is opened, and saved. */
  recorded?(seats: readonly SeatedDisk[], isPaused: boolean, isSaved: boolean): void;
}
