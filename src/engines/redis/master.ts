import { OWN_TOKEN_JSON } from '../../core/index.ts';
import type { Clock, ResignationRequest } from '../../election/index.ts';
import { inHalves } from '../lease/in-halves.ts';
import { Unchanged } from '../lease/unchanged.ts';
import { type Address, type Endpoint, nameOf } from './address.ts';
import { Connection } from './connection.ts';
import { explain } from './explain.ts';
import type { Published } from './known.ts';
import type { Layout } from './layout.ts';
import { Link, type TlsOptions } from './link.ts';
import * as scripts from './scripts.ts';
import { type Claim, type Reply, type View, viewOf } from './view.ts';
import { type Heard, WakeUps } from './wake-ups.ts';

interface MasterSettings {
  readonly address: Address;
  readonly endpoint: Endpoint;
  readonly tls: TlsOptions;
  readonly clock: Clock;
  /** The time limit for one answer. */
  readonly withinMs: number;
  readonly leaseMs: number;
  /** There are no other masters. */
  readonly isOnly: boolean;
  /** How many replicas must have a lease. */
  readonly wait: number;
}

/** The result of a renewal. */
export interface Renewal {
  /** `none`: the lease is free. */
  readonly whose: 'ours' | 'other' | 'none';
  /** The reason if an operator requests our resignation, or null. */
  readonly asked: string | null;
}

/** And a request to resign, or why it has failed. */
type RenewReply = readonly [Renewal['whose'] | 'failed', string?];

const NOBODYS: Claim = { holder: '', attempt: 0 };

/** The election and the claim that a request is about. */
export interface Errand {
  readonly layout: Layout;
  readonly claim: Claim;
}

/** A lease that we hold. */
export interface LeaseToRenew {
  readonly errand: Errand;
  readonly token: bigint;
}

/** A value to publish with a lease, with `OWN_TOKEN` in place of its token, if the last one has the version `after`. */
export interface First {
  readonly after: number;
  readonly json: string;
  readonly version: number;
}

/** One Redis master. Every request is one script, which does all of it or nothing. */
export class Master {
  readonly #settings: MasterSettings;
  readonly #connection: Connection;
  readonly #wakeUps: WakeUps;
  /** By election: the lease of another participant, as we have seen it at this master. */
  readonly #unchanged = new Map<string, Unchanged>();
  #renewals = 0;

  constructor(settings: MasterSettings) {
    this.#settings = settings;
    const { address, endpoint, tls, clock, withinMs } = settings;
    const open = (onEnd: () => void): Link => {
      // The caller times out earlier, and can say more about the error.
      return new Link({ address, endpoint, tls, connectMs: 2 * withinMs }, onEnd);
    };
    // Subscriptions get more time where answers are slow: nothing depends on them.
    this.#wakeUps = new WakeUps(open, clock, Math.max(withinMs, 1000));
    this.#connection = new Connection(open, clock, withinMs, () => this.#wakeUps.renew());
  }

  async take(
    errand: Errand,
    leader: string,
    seen: bigint,
    signal: AbortSignal,
    first: First | null = null,
  ): Promise<View> {
    const { leaseMs, isOnly, wait, clock } = this.#settings;
    const unchanged = this.#unchangedAt(errand.layout);
    const over = unchanged.overMark(clock.now()) ?? '';
    const opening =
      first === null ? ['', '', '', ''] : [first.after, first.json, first.version, OWN_TOKEN_JSON];
    const args = [leader, String(leaseMs), String(seen), isOnly ? '1' : '0', over, ...opening.map(String)];
    const view = this.#viewOf(await this.#run<Reply>(scripts.take, errand, args, signal), errand.layout);
    if (!view.isGranted || wait === 0) return view;
    const have = await this.#ask<number>(
      ['WAIT', String(wait), String(Math.ceil(this.#settings.withinMs / 2))],
      signal,
    );
    if (have >= wait) return view;
    await this.release(errand, false, signal);
    throw new Error(
      `${nameOf(this.#settings.endpoint)}: ${have} of ${wait} replicas had it in time (option wait)`,
    );
  }

  async confirm(
    errand: Errand,
    token: bigint,
    value: Published | null,
    signal: AbortSignal,
  ): Promise<boolean> {
    const args = [String(token), ...fieldsOf(value)];
    return (await this.#run<number>(scripts.confirm, errand, args, signal)) === 1;
  }

  /** Renews all of these with one script. They have one holder. */
  async renew(leases: readonly LeaseToRenew[], signal: AbortSignal): Promise<readonly (Renewal | Error)[]> {
    const renewals = await this.#explained(
      inHalves(leases, (some) => this.#renew(some, signal), isOfSomeKey),
    );
    return renewals.map((each) => (each instanceof Error ? this.#explain(each) : each));
  }

  async #renew(leases: readonly LeaseToRenew[], signal: AbortSignal): Promise<readonly (Renewal | Error)[]> {
    this.#renewals += 1;
    const keys = leases.flatMap(({ errand }) => errand.layout.keys.slice(0, 2));
    const claims = leases.flatMap(({ errand, token }) => [String(errand.claim.attempt), String(token)]);
    const { holder } = leases[0]!.errand.claim;
    const shared = [holder, '', '', String(this.#settings.leaseMs), String(this.#renewals)];
    const args = [...shared, ...claims];
    const answers = await this.#eval<readonly RenewReply[]>(scripts.renew, keys, args, signal);
    return answers.map(([whose, text]) => {
      return whose === 'failed' ? new Error(text) : { whose, asked: text ?? null };
    });
  }

  /** False: another participant holds it by now, or it is free. */
  async ask(layout: Layout, { token, reason }: ResignationRequest, signal: AbortSignal): Promise<boolean> {
    const errand = { layout, claim: NOBODYS };
    return (await this.#run<number>(scripts.ask, errand, [String(token), reason], signal)) === 1;
  }

  async mend(errand: Errand, leader: string, token: bigint, value: Published | null): Promise<void> {
    const args = [leader, String(this.#settings.leaseMs), String(token), ...fieldsOf(value)];
    await this.#run(scripts.mend, errand, args);
  }

  async release(errand: Errand, tell: boolean, signal?: AbortSignal): Promise<void> {
    await this.#run(scripts.release, errand, [tell ? '1' : '0'], signal);
  }

  async publish(errand: Errand, { json, version, token }: Published, signal: AbortSignal): Promise<boolean> {
    const args = [json, String(version), String(token)];
    return (await this.#run<number>(scripts.publish, errand, args, signal)) === 1;
  }

  async read(layout: Layout, signal: AbortSignal): Promise<View> {
    const errand = { layout, claim: NOBODYS };
    return this.#viewOf(await this.#run<Reply>(scripts.read, errand, [], signal), layout);
  }

  listen(channel: string, heard: Heard): () => void {
    return this.#wakeUps.listen(channel, heard);
  }

  async close(): Promise<void> {
    this.#wakeUps.close();
    await this.#connection.close();
  }

  /** A lease has expired if Redis says so, or if it was seen unchanged for as long as it lasts. */
  #viewOf(reply: Reply, layout: Layout): View {
    const view = viewOf(reply);
    const { lease } = view;
    const nowMs = this.#settings.clock.now();
    const unchanged = this.#unchangedAt(layout);
    unchanged.see(view.isGranted ? null : (lease?.mark ?? null), lease?.lastsMs ?? null, nowMs);
    if (lease === null || unchanged.overMark(nowMs) !== null) return { ...view, lease: null };
    return { ...view, lease: { ...lease, freeInMs: Math.min(lease.freeInMs, unchanged.freeInMs(nowMs)) } };
  }

  #unchangedAt({ channel }: Layout): Unchanged {
    const known = this.#unchanged.get(channel) ?? new Unchanged();
    this.#unchanged.set(channel, known);
    return known;
  }

  #run<T>(script: scripts.Script, errand: Errand, args: readonly string[], signal?: AbortSignal): Promise<T> {
    const { layout, claim } = errand;
    const { keys, channel } = layout;
    const all = [claim.holder, String(claim.attempt), channel, ...args];
    return this.#explained(this.#eval<T>(script, keys, all, signal));
  }

  #eval<T>(
    script: scripts.Script,
    keys: readonly string[],
    args: readonly string[],
    signal?: AbortSignal,
  ): Promise<T> {
    const all = [String(keys.length), ...keys, ...args];
    return this.#connection.send(async (client) => {
      try {
        return await client.sendCommand<T>(['EVALSHA', script.sha, ...all]);
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
        return await client.sendCommand<T>(['EVAL', script.text, ...all]);
      }
    }, signal);
  }

  #ask<T>(command: readonly string[], signal: AbortSignal): Promise<T> {
    return this.#explained(this.#connection.send((client) => client.sendCommand<T>(command), signal));
  }

  async #explained<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): Error {
    const { address, endpoint } = this.#settings;
    const explained = explain(error, address);
    const name = nameOf(endpoint);
    if (!explained.message.includes(name)) explained.message = `${name}: ${explained.message}`;
    return explained;
  }
}

/**
 * The user may not use some of the keys, or a proxy keeps elections on several servers: fewer keys may be accepted.
 */
function isOfSomeKey(error: unknown): boolean {
  return error instanceof Error && /^(NOPERM|CROSSSLOT)/.test(error.message);
}

function fieldsOf(value: Published | null): [string, string, string] {
  return value === null ? ['', '', ''] : [value.json, String(value.version), String(value.token)];
}
