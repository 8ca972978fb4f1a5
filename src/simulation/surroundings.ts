import type { Command, Effect, Input, Json, MemberId, Message, Outcome, View } from '../core/index.ts';
import type { Host } from './host.ts';
import type { Losses } from './losses.ts';
import type { Due } from './queue.ts';
import type { Violation } from './violation.ts';

/** Something that will happen to one host. One shape for all kinds keeps the queue fast. */
export interface Happening extends Due {
  readonly kind: 'start' | 'deliver' | 'alarm' | 'lease-ends' | 'synced' | 'timer';
  readonly host: Host;
  readonly from: MemberId;
  readonly message: Message | null;
  /** What happens, where the kind does not say it. */
  readonly run: (() => void) | null;
  /** Of a timer, its name. A timer stands in no queue of the world: its host has set an alarm for the first that comes due. */
  readonly timer: string;
}

/** Made in one place, so that all have one shape for the engine too. */
export function newHappening(
  atUs: number,
  kind: Happening['kind'],
  host: Host,
  from: MemberId,
  message: Message | null,
  run: (() => void) | null,
  timer = '',
): Happening {
  return { atUs, seq: 0, kind, host, from, message, run, timer };
}

/** What a host needs of the world around it. */
export interface Surroundings {
  readonly seed: number;
  readonly losses: Losses;
  readonly violations: Violation[];
  readonly nowUs: number;
  readonly syncMs: readonly [number, number];
  /** The commands that the protocol knows. */
  readonly commands: readonly Command['type'][];
  schedule(happening: Happening): void;
  /** Something around the members happened: it belongs to the history. */
  note(event: { readonly do: string; readonly [field: string]: Json }): void;
  sent(host: Host, to: MemberId, message: Message): void;
  /** A host tells its user something. */
  reported(host: Host, view: View): void;
  /** Whether the host may act may have changed: with what it told, or with its lease. */
  reviewed(host: Host): void;
  stepped(host: Host, input: Input, effects: readonly Effect[]): void;
  /** A timer was set, or its clock has moved it. */
  timed(host: Host, timer: string, atMs: number): void;
  /** Grows with every call. */
  nextOrder(): number;
  answered(host: Host, command: number, outcome: Outcome): void;
}
