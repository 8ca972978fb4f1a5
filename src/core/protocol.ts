import type { Effect } from './effect.ts';
import type { MemberId } from './ids.ts';
import type { Command, Input, Reason, SetTimes } from './input.ts';
import type { Json } from './json.ts';
import type { Resting } from './resting.ts';
import type { Settings, SettingsOf } from './settings.ts';
import type { Shape } from './shape.ts';
import type { View } from './view.ts';

/** `type` is also the message's path in the HTTP API: one name in code, on the wire and in the trace. */
export interface Message {
  readonly type: string;
}

/** A member and its address. */
export interface Located {
  readonly id: MemberId;
  readonly url: string;
}

/** What a member knows of addresses when it starts. */
export interface Addresses {
  /** Where the others reach it. */
  readonly own: string;
  /** The configured members whose addresses are configured too, without itself. */
  readonly peers: readonly Located[];
  /** Addresses at which members may be; which ones is unknown. One may be its own. */
  readonly seeds: readonly string[];
  /** The configured members are only some of the cluster: the others have to be found. */
  readonly isPartial: boolean;
}

/** A protocol instance: its id, and the members that it was configured with. */
export interface Self {
  readonly id: MemberId;
  /** The configured members, sorted, itself included. */
  readonly members: readonly MemberId[];
  /** This member's own settings, if the protocol has any. */
  readonly settings: Readonly<Record<string, unknown>>;
  /**
   * Omitted: an id is all that is needed to reach a member, and the configured members are the whole cluster. Real
   * members always have addresses; in simulations they are an option.
   */
  readonly addresses?: Addresses;
  /**
   * A number that differs between the elections of one process, so that its members campaign first in different ones.
   * Omitted: the election is the only one, or the main one.
   */
  readonly turn?: number;
}

/** The seat of a member. */
export interface SeatedDisk {
  readonly id: MemberId;
  /** The disk that votes for the member; null while the seat is vacant. */
  readonly disk: string | null;
  /** The disk with which the member took part in the first election, if it did. */
  readonly founder: string | null;
  /** Where the member is reached, if it was added while the cluster ran; null if it is configured. */
  readonly url: string | null;
}

/** How one election of a data folder is recovered after a majority of the members was lost for good. */
export interface Recovering {
  /** What a durable record knows; a recovery has to exceed its numbers. */
  read(record: Json): {
    readonly term: number;
    readonly version: number;
    readonly members: readonly MemberId[];
  };
  /** The record with which this member goes on as the only one of a new cluster. */
  recover(id: MemberId, record: Json, as: Recovered): Json;
}

/** With what a recovered election goes on: a disk that no cluster knows, and numbers above all that were used before. */
export interface Recovered {
  readonly disk: string;
  readonly term: number;
  readonly version: number;
}

/** What an operator asks for: a preset such as "wan" or times by name, options by name, or both. */
export interface Reconfiguration {
  readonly timing?: unknown;
  readonly options?: unknown;
}

/** How the timing of a cluster that runs, and some options, are changed, by the command `reconfigure`. */
export interface Retiming<Timing extends Settings = Settings, Options extends Settings = Settings> {
  /** The options that can be changed, beside those that choose the times. */
  readonly options: readonly string[];
  /**
   * The times, and the options that were ever set, after a change that an operator asked for, such as { timing: "wan" } or
   * { options: { maxDrift: 0.05 } }. `before`: what was set last; null if nothing was, and the configuration holds. Throws
   * BadInput.
   */
  change(config: Config<Timing, Options>, before: SetTimes | null, asked: Reconfiguration): SetTimes;
  /** All times as configured, multiplied: for simulations. */
  scaled(config: Config<Timing, Options>, factor: number): SetTimes;
  /** The settings of a member that was configured like this, with these times. */
  config(config: Config<Timing, Options>, set: SetTimes): Config<Timing, Options>;
  /**
   * The same message for a release that understands no more than these features, where that says the same; else the message
   * itself, which that release refuses.
   */
  forEarlierRelease(config: Config<Timing, Options>, message: Message, features: readonly string[]): Message;
}

/** The times that an operator set, as far as one member knows. */
export interface Retimed {
  readonly times: SetTimes;
  /** A majority has them. */
  readonly isCommitted: boolean;
  /** Members that do not have them yet; only a leader knows. */
  readonly lacking: readonly MemberId[];
}

/** The safety properties that are watched from outside; docs/guarantees.md defines them. */
export type Property = 'S1' | 'S2' | 'S3' | 'S4' | 'S6' | 'S9' | 'S10' | 'R1';

/** What is promised of a cluster with few faults; the exam of a swarm checks it, and docs/guarantees.md defines it. */
export type Liveness = 'L3' | 'L4' | 'L5';

/** What must be true of the environment for a promise to hold. */
export type Assumption =
  /** A member finds at its next start what was durable before. */
  | 'disk'
  /**
   * At most one member at a time is without its own disk: from the loss of the disk, or the start of a second process of that
   * member, until the member has its seat again. A membership of one member never loses its only disk.
   */
  | 'one-disk'
  /** No process runs on a copy of a disk: neither on a backup that was restored, nor beside the process it was copied from. */
  | 'no-copy'
  /** No message is forged. (Loss, duplication, delay and reordering are always allowed.) */
  | 'no-forgery'
  /** Every monotonic clock runs within the configured drift. */
  | 'clock'
  /** What the host reports as proof of death is true. */
  | 'proof';

export interface Pledge {
  readonly property: Property;
  readonly assuming: readonly Assumption[];
}

/**
 * What a message says about the end of the leadership that its receiver knew. `freed`: its sender resigned.
 * `receiver`, `sender`: with the consent of the leader, that member takes over. `gone`: its sender has taken over, since the
 * process of that leader is dead. `unheard`: its sender is a candidate,
 * since no leader was heard in time.
 */
export interface Ending {
  readonly how: 'freed' | 'receiver' | 'sender' | 'unheard' | 'gone';
  /** The leader's own reason, if it gave one. */
  readonly why?: Reason | undefined;
}

/**
 * A leader election as data and a pure step. `step` may assign to `state` and push to `out`; it keeps neither
 * and reads no clock, random source or global. State is plain JSON-able data: numbers, strings, booleans, null,
 * arrays and records; no Map, Set, class or undefined.
 */
export interface Protocol<S = unknown, M extends Message = Message, T extends string = string> {
  readonly name: string;
  /** What it promises with these settings. Empty for a best-effort election. */
  readonly pledges: readonly Pledge[];
  /** What it promises of its leaders while a majority is connected. Omitted by a best-effort election. */
  readonly liveness?: readonly Liveness[];
  /** Its leaders have leases. Omitted: a leader that is not heard any more is only silent. */
  readonly hasLeases?: boolean;
  init(self: Self): S;
  step(state: S, input: Input<M, T>, out: Effect<M, T>[]): void;
  /**
   * Why no honest member can have sent this message to a member in this state, or null. `step` ignores such a
   * message; a host asks first, so that it can count and log the refusal.
   */
  objection?(state: S, message: M): string | null;
  /**
   * Members that a message would add to those that a member in this state knows, and does not say where they are. A
   * host accepts only those that it can reach.
   */
  introduces?(state: S, message: M): readonly MemberId[];
  /**
   * Would this message change the members of a cluster that has been founded? A host accepts such a message only over
   * a connection of its sender, not by POST, which any client can send.
   */
  changesMembers?(state: S, message: M): boolean;
  /**
   * The largest number in a message that could be exhausted, such as the term. A host knows how large it can
   * plausibly be.
   */
  claim?(message: M): number;
  /**
   * Reads a message as a vote: "the sender helps the receiver to win this term". With it, S2 and S4 are watched from
   * outside. Omitted by protocols without votes.
   */
  vote?(message: M): { readonly term: number } | null;
  /** Whether a message says that a leadership has ended, and why, or null. Only the history of a member uses it. */
  ending?(message: M): Ending | null;
  /**
   * For about how many milliseconds the leader that a message names has led, as far as the sender says: 0 if it has
   * just been elected, null if the sender only names it. Undefined for a message that names no leader. Only the
   * history of a member uses it.
   */
  ledMs?(message: M): number | null | undefined;
  /**
   * The record of a member of a cluster that was founded and has never run, for simulations and explorations that
   * start there. A real cluster is founded by its members' first election.
   */
  genesis?(self: Self): Json;
  /**
   * What another election starts with on a disk that already takes part in one, given that one's durable record; only
   * for an election that was never opened on this disk before. Null: start with an empty disk.
   */
  inherit?(self: Self, record: Json): Json;
  /**
   * What another election continues with that was opened on this disk before, given its own record and the durable
   * one of the first.
   */
  resume?(record: Json, main: Json): Json;
  /**
   * Does the view of this leader show the newest value that any leader can have committed? A new leader may first have
   * to complete what an earlier one began; until then it must not derive a new value from the one that it shows.
   * Omitted by a protocol without such a register.
   */
  isCurrent?(state: S, view: View): boolean;
  /**
   * The members to which this leader could transfer its leadership now, and which it is not preferred to. Empty if this
   * member does not lead. Omitted by a protocol without transfers.
   */
  successors?(state: S): readonly MemberId[];
  /** The committed members in a durable record, with the disk that has the seat of each, if the protocol has seats. */
  seats?(record: Json): readonly SeatedDisk[];
  /**
   * Has an operator paused takeovers, by a durable record? Also by one that was only accepted: a member that was away
   * learns of a pause from such a record, before it could be elected.
   */
  isPaused?(record: Json): boolean;
  /** Times that an explorer lets operators set: shorter ones and longer ones. */
  readonly timesToTry?: readonly SetTimes[];
  /** The times that an operator set while the cluster ran; null: the configured ones hold. */
  retimed?(state: S): Retimed | null;
  /** Omitted by a protocol whose elections need messages of their own all the time. */
  readonly resting?: Resting<S, M, T>;
  /** The counters of a state that grow without bound, by name: an explorer has to bound them. */
  measure?(state: S): Readonly<Record<string, number>>;
}

/** A protocol in the catalogue: how it is described, configured and created. */
export interface Definition<
  Timing extends Settings = Settings,
  Options extends Settings = Settings,
  M extends Message = Message,
> {
  readonly name: string;
  /** One line for help texts and menus. */
  readonly summary: string;
  readonly timing: Timing;
  readonly options: Options;
  /** What can be set for each member. */
  readonly memberSettings?: Settings;
  /** Why these settings cannot be used together or with these members, or null. */
  check?(config: Config<Timing, Options>, members: readonly MemberId[]): Objection | null;
  /**
   * How long a round trip may take with these settings before leaders lose their leases although nothing fails.
   * Omitted without leases.
   */
  roundTripMs?(config: Config<Timing, Options>): number;
  /**
   * Every time as it is used, if times that are not set are derived from others. Omitted: all times are used as they
   * are set.
   */
  effectiveTiming?(config: Config<Timing, Options>): Readonly<Record<string, unknown>>;
  /** Options that only choose times, so that `effectiveTiming` says all of them. */
  readonly timingOptions?: readonly (keyof Options & string)[];
  /** Omitted if the timing cannot be changed while a cluster runs; then all members must be configured with the same. */
  readonly retiming?: Retiming<Timing, Options>;
  /** The fields of every message that may arrive, by type (without `type` itself). */
  readonly messages: { readonly [K in M['type']]: Shape<object> };
  /** Types of messages that it no longer has: a scenario of an earlier version may still name them. */
  readonly formerMessages?: readonly string[];
  /**
   * The message by which a voter that was not configured registers, and its answer. Omitted by a protocol with fixed
   * voters.
   */
  readonly registration?: { readonly request: M['type']; readonly answer: M['type'] };
  /** The commands it can carry out; it refuses the others. */
  readonly commands: readonly Command['type'][];
  /** Omitted by a protocol whose members elect without the ones that were lost. */
  readonly recovering?: Recovering;
  create(config: Config<Timing, Options>): Protocol<unknown, M>;
}

/** An error in a combination of settings that are valid one by one. */
export interface Objection {
  readonly path: string;
  readonly reason: string;
}

export interface Config<Timing extends Settings = Settings, Options extends Settings = Settings> {
  readonly timing: SettingsOf<Timing>;
  readonly options: SettingsOf<Options>;
}

/** Lets a definition keep its exact types in the catalogue. */
export function define<Timing extends Settings, Options extends Settings, M extends Message>(
  definition: Definition<Timing, Options, M>,
): Definition {
  return definition as unknown as Definition;
}
