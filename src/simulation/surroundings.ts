import type { Command, Effect, Input, Json, MemberId, Message, Outcome, View } from '../core/index.ts';
import type { Host } from './host.ts';
import type { Losses } from './losses.ts';
import type { Alarm } from './process-clock.ts';
import type { Due } from './queue.ts';
import type { Violation } from './violation.ts';

/** Something that will happen to one host. One shape for all kinds keeps the queue fast. */
export interface Happening extends Due {
  readonly kind: 'start' | 'deliver' | 'alarm' | 'lease-ends' | 'synced' | 'timer';
  readonly host: Host;
  readonly from: MemberId;
  readonly message: Message | null;
  /** What happens, if the kind does not say it. */
  readonly run: (() => void) | null;
  /**
   * The name of a timer. A timer is not in the world's queue: its host has set an alarm for the first one that comes
   * due.
   */
  readonly timer: string;
  /** What rings, of the kind `alarm`. */
  readonly alarm: Alarm | null;
}

/** Created in one place, so that the JavaScript engine sees one object shape. */
export function newHappening(
  atUs: number,
  kind: Happening['kind'],
  host: Host,
  from: MemberId,
  message: Message | null,
  run: (() => void) | null,
  timer = '',
  alarm: Alarm | null = null,
): Happening {
  return { atUs, seq: 0, kind, host, from, message, run, timer, alarm };
}

/** What a host needs of the world. */
export interface Surroundings {
  readonly seed: number;
  readonly losses: Losses;
  readonly violations: Violation[];
  readonly nowUs: number;
  readonly syncMs: readonly [number, number];
  /** The commands of the protocol. */
  readonly commands: readonly Command['type'][];
  /** May a timer be made to come due by hand? Then the hosts keep when each was set. */
  readonly firesTimers: boolean;
  schedule(happening: Happening): void;
  /** Records an event outside the members in the history. */
  note(event: { readonly do: string; readonly [field: string]: Json }): void;
  /** `at`: where the protocol says that the member is. */
  sent(host: Host, to: MemberId, message: Message, at?: string): void;
  /** A message to the process at an address. */
  called(host: Host, at: string, message: Message): void;
  /** A host reports a view. Not `isNew`: only its lease differs from the one before. */
  reported(host: Host, view: View, isNew: boolean): void;
  /** The right of the host to act may have changed: by its report, or by its lease. */
  reviewed(host: Host): void;
  stepped(host: Host, input: Input, effects: readonly Effect[]): void;
  /** A timer was set, or its clock has moved it. */
  timed(host: Host, timer: string, atMs: number): void;
  /** Increases with every call. */
  nextOrder(): number;
  answered(host: Host, command: number, outcome: Outcome): void;
}
