import type { Delay, Effect, Input, Json, MemberId, Message, Outcome, View } from '../core/index.ts';
import type { Write } from './disk.ts';
import type { Host } from './host.ts';
import type { Losses } from './losses.ts';
import type { Due } from './queue.ts';
import type { Violation } from './world.ts';

/** Something that will happen to one host. One shape for all kinds keeps the queue fast. */
export interface Happening extends Due {
  readonly kind: 'start' | 'deliver' | 'timer' | 'synced';
  readonly host: Host;
  /** The timer's name, and what it was set for. */
  readonly timer: string;
  readonly delayMs: Delay;
  readonly from: MemberId;
  readonly message: Message | null;
  readonly write: Write | null;
}

/** Made in one place, so that all have one shape for the engine too. */
export function newHappening(
  atUs: number,
  kind: Happening['kind'],
  host: Host,
  timer: string,
  delayMs: Delay,
  from: MemberId,
  message: Message | null,
  write: Write | null,
): Happening {
  return { atUs, seq: 0, kind, host, timer, delayMs, from, message, write };
}

/** What a host needs of the world around it. */
export interface Surroundings {
  readonly seed: number;
  readonly losses: Losses;
  readonly violations: Violation[];
  readonly nowUs: number;
  readonly syncMs: readonly [number, number];
  schedule(happening: Happening): void;
  /** Something around the members happened: it belongs to the history. */
  note(event: { readonly do: string; readonly [field: string]: Json }): void;
  sent(host: Host, to: MemberId, message: Message): void;
  /** A host tells its user something. */
  reported(host: Host, view: View): void;
  /** The view is the same as before, but whether the host may act on it may have changed with its lease timer. */
  reviewed(host: Host): void;
  stepped(host: Host, input: Input, effects: readonly Effect[]): void;
  answered(host: Host, command: number, outcome: Outcome): void;
}
