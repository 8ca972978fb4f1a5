import { compareIds, type MemberId } from '../../core/index.ts';
import { BackOff } from './back-off.ts';
import type { Connection } from './connection.ts';
import { type Dial, type Dialled, dial } from './dial.ts';
import { encodeHello, objection, type Refused } from './frames.ts';
import { awaitHello, type Greeting } from './greeting.ts';
import type { Hub } from './hub.ts';
import type { Identity } from './links.ts';

export interface DialEvents {
  /** The peer answered and said who it is. */
  onHello(connection: Connection, identity: Identity): void;
  /** There is a server, but one that keeps no links. */
  onRest(): void;
  /** The peer cannot be reached at the moment, or will not have us (then the reason is told elsewhere: null); another attempt follows. */
  onUnreachable(reason: string | null): void;
}

/** Tries to reach one peer, again and again until it is told to stop. */
export class Dialler {
  url: string;

  readonly #id: MemberId;
  readonly #hub: Hub;
  readonly #events: DialEvents;
  readonly #firstMs: number;
  readonly #backOff: BackOff;
  #dial: Dial | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Counts the calls of `stop`: what was begun before the last one has no say any more. */
  #stops = 0;

  constructor(id: MemberId, url: string, hub: Hub, events: DialEvents) {
    this.#id = id;
    this.url = url;
    this.#hub = hub;
    this.#events = events;
    this.#firstMs = compareIds(hub.own.id, id) < 0 ? 0 : hub.options.yieldMs;
    this.#backOff = new BackOff(hub.options.backOffMs);
  }

  /** Begins to dial, for the first time or at a new address. */
  start(): void {
    this.#backOff.reset();
    this.#after(this.#firstMs);
  }

  /** A connection was lost. After failures it goes on backing off, unless the connection was a lasting one. */
  again(wasLasting: boolean): void {
    if (wasLasting) this.#backOff.reset();
    const { redialMs } = this.#hub.options;
    this.#after(this.#backOff.failures === 0 ? this.#firstMs + redialMs : this.#backOff.nextMs());
  }

  /**
   * An attempt whose connection is open already goes on: the other side may have heard of it, and it may be the one
   * that stays.
   */
  stop(): void {
    this.#stops++;
    this.#cancel();
  }

  #cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#dial?.abort();
    this.#dial = null;
  }

  #after(delayMs: number): void {
    this.#cancel();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#dial = dial(this.url, this.#hub.options, (result) => this.#onDialled(result));
    }, delayMs);
  }

  #onDialled(result: Dialled): void {
    this.#dial = null;
    if (result.type === 'open') {
      this.#greet(result.connection);
    } else if (result.type === 'rest') {
      this.#backOff.reset();
      this.#after(this.#hub.options.restRecheckMs);
      this.#events.onRest();
    } else {
      this.#retry(result.reason);
    }
  }

  #greet(connection: Connection): void {
    const { helloMs, probeMs } = this.#hub.options;
    const stops = this.#stops;
    this.#hub.track(connection);
    connection.send(encodeHello(this.#hub.own));
    // However this ends, there will be another attempt if the dialling was not stopped by then.
    this.#after(helloMs + 2 * probeMs);
    awaitHello(connection, helloMs, (greeting) =>
      this.#onGreeting(connection, greeting, stops === this.#stops),
    );
  }

  #onGreeting(connection: Connection, greeting: Greeting, isWanted: boolean): void {
    if (greeting.type === 'closed') {
      if (isWanted) this.#retry('it closed the connection before it had said who it is');
      return;
    }
    const refused = greeting.type === 'hello' ? this.#object(greeting.identity) : greeting.refused;
    if (greeting.type === 'hello' && refused === null) {
      this.#events.onHello(connection, greeting.identity);
      return;
    }
    if (greeting.type === 'refused') connection.close('it refused us');
    else connection.refuse(refused!);
    if (!this.#hub.closed) this.#hub.events.onRefused(refused!.reason, this.url, refused!.kind);
    if (isWanted) this.#retry(null, this.#hub.options.refusedBackOffMs);
  }

  #object(other: Identity): Refused | null {
    const refused = objection(this.#hub.own, other, () => true);
    if (refused !== null || other.id === this.#id) return refused;
    const reason = `${this.url} should be member ${this.#id}, but is member ${other.id}`;
    return { kind: 'unknown-member', reason };
  }

  #retry(reason: string | null, delayMs?: number): void {
    this.#backOff.fail();
    this.#after(delayMs ?? this.#backOff.nextMs());
    this.#events.onUnreachable(reason);
  }
}
