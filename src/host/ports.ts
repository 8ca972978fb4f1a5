import type {
  Delay,
  Effect,
  Input,
  Json,
  MemberId,
  Message,
  Outcome,
  RestOffer,
  View,
} from '../core/index.ts';
import type { HostClock } from './clock.ts';

/** What a host is given. */
export interface HostPorts {
  readonly clock: HostClock;
  /** Uniform in [0, 1). */
  fraction(): number;
  /** 64 random bits as a decimal number. */
  draw64(): string;
  /** `at`: where the protocol says that the member is reached. */
  send(to: MemberId, message: Message, at?: string): void;
  /** A message to the member at an address. A host without addresses has no need of it. */
  call?(at: string, message: Message, to?: MemberId): void;
  /**
   * Makes a record durable, then calls `done`, possibly before it returns: with null, or with the reason of the
   * failure.
   */
  save(record: Json, done: (failure: string | null) => void): void;
  /** Called for every step, for a recording. */
  stepped(input: Input, effects: readonly Effect[]): void;
  /** Called for every timer that is set, with the moment when it comes due, for a recording. */
  timed?(timer: string, delay: Delay, atMs: number): void;
  /** The view changed or was reported again. */
  reported(view: View): void;
  answered(command: number, outcome: Outcome): void;
  /**
   * The election has nothing to do but to renew a lease, and could rest. True: it rests now, since `rest` was called.
   * Omitted where elections do not rest.
   */
  mayRest?(offer: RestOffer): boolean;
  /**
   * A timer is due with which an election would begin (its delay was drawn from a range). True: it waits for
   * `ProtocolHost.goOn`. Omitted where none waits.
   */
  waits?(): boolean;
  /** This value, which nothing changes, or an equal one of another election. Omitted: the process has few. */
  same?<V extends Json>(value: V): V;
  /** An input was processed. Listeners read the host again. */
  changed(): void;
}
