/**
 * The side of a voter: it gives support to the processes that lead elections. One promise to a process stands for the
 * promises in all elections that rest with it.
 */
import type { MemberId, Rested } from '../core/index.ts';
import type { HostClock, Rest } from '../host/index.ts';
import { OwnEndings, SeenEndings } from './endings.ts';
import type { SupportAnswer, SupportRequest } from './messages.ts';
import type { RestingHost } from './resting-host.ts';

/** No process sends so many requests between two that arrive. A lying one must not use up the numbers. */
const LARGEST_STEP = 1_000_000;

/** An election that rests on the support of this process. */
class Followed implements Rest {
  readonly lease: null = null;
  readonly host: RestingHost;
  readonly mark: string;
  /** What to add to a round of the requests to get the round of this election. */
  readonly ahead: number;
  readonly #election: string;
  readonly #given: Given;

  constructor(election: string, host: RestingHost, mark: string, ahead: number, given: Given) {
    this.#election = election;
    this.host = host;
    this.mark = mark;
    this.ahead = ahead;
    this.#given = given;
  }

  end(): Rested {
    const given = this.#given;
    given.resting.delete(this.#election);
    given.own.add(this.#election);
    return { as: 'follower', heard: { round: given.round + this.ahead, sentAtMs: given.heardAtMs } };
  }
}

/** The support that this process gives to one process. */
class Given {
  readonly life: string;
  readonly resting = new Map<string, Followed>();
  readonly own = new OwnEndings();
  readonly seen = new SeenEndings();
  round = 0;
  heardAtMs = 0;
  promiseMs = 0;
  cancelAlarm: (() => void) | null = null;

  constructor(life: string) {
    this.life = life;
  }
}

export interface GivingPorts {
  readonly life: string;
  readonly clock: HostClock;
  /** The election of this name, if it is open. */
  find(election: string): RestingHost | null;
  answer(to: MemberId, message: SupportAnswer): void;
}

export class Giving {
  readonly #ports: GivingPorts;
  readonly #given = new Map<MemberId, Given>();

  constructor(ports: GivingPorts) {
    this.#ports = ports;
  }

  /** How many elections rest on the support of this process. */
  get size(): number {
    let size = 0;
    for (const { resting } of this.#given.values()) size += resting.size;
    return size;
  }

  onRequest(from: MemberId, m: SupportRequest): void {
    const given = this.#of(from, m.life);
    if (m.round <= given.round) return; // Late or duplicate: it must not replace a newer promise.
    if (given.round > 0 && m.round > given.round + LARGEST_STEP) return;
    if (m.to === this.#ports.life) given.own.seen(m.seen);
    // What the leader ended is awake before the promise is renewed: its consent to a successor covers earlier rounds
    // only.
    const news = given.seen.news(m.count, m.ended) ?? [...given.resting.keys()];
    for (const election of news) given.resting.get(election)?.host.wake();
    if (m.promiseMs !== given.promiseMs) this.#wakeAll(given);
    given.round = m.round;
    given.promiseMs = m.promiseMs;
    given.heardAtMs = this.#ports.clock.now();
    const [rested, refused]: [string[], string[]] = [[], []];
    for (const offer of m.offers) (this.#rest(from, given, offer) ? rested : refused).push(offer.election);
    this.#watch(given);
    this.#ports.answer(from, {
      type: 'support/answer',
      to: m.life,
      life: this.#ports.life,
      round: m.round,
      count: given.own.count,
      ended: given.own.list,
      seen: given.seen.count,
      rested,
      refused,
    });
  }

  /** When the leader of this election was last heard, if the election rests; else null. */
  heardAtMs(leader: MemberId, election: string): number | null {
    const given = this.#given.get(leader);
    return given?.resting.has(election) === true ? given.heardAtMs : null;
  }

  close(): void {
    for (const given of this.#given.values()) given.cancelAlarm?.();
  }

  #of(from: MemberId, life: string): Given {
    const known = this.#given.get(from);
    if (known?.life === life) return known;
    if (known !== undefined) {
      this.#wakeAll(known);
      known.cancelAlarm?.();
    }
    const given = new Given(life);
    // Perhaps a late message of an earlier process, and the next one is of `known` again: what woke here must not look
    // as if it still rested.
    if (known !== undefined) given.own.addAll(known.own.count);
    this.#given.set(from, given);
    return given;
  }

  #rest(
    leader: MemberId,
    given: Given,
    { election, mark, round }: SupportRequest['offers'][number],
  ): boolean {
    const ahead = round - given.round;
    const known = given.resting.get(election);
    if (known?.mark === mark && known.ahead === ahead) return true; // The earlier answer was lost.
    known?.host.wake(); // Another process of this name was told that the earlier rest ended.
    const host = this.#ports.find(election);
    const { life, promiseMs } = given;
    if (host === null || !host.accepts({ leader, life, mark, promiseMs, round })) return false;
    const followed = new Followed(election, host, mark, ahead, given);
    given.resting.set(election, followed);
    host.begin(followed);
    return true;
  }

  /** Once the promise has ended, every election goes on by itself. One alarm serves all requests. */
  #watch(given: Given): void {
    if (given.cancelAlarm !== null || given.resting.size === 0) return;
    given.cancelAlarm = this.#ports.clock.set(given.heardAtMs + given.promiseMs, () => {
      given.cancelAlarm = null;
      if (this.#ports.clock.now() >= given.heardAtMs + given.promiseMs) this.#wakeAll(given);
      else this.#watch(given);
    });
  }

  #wakeAll(given: Given): void {
    for (const { host } of [...given.resting.values()]) host.wake();
  }
}
