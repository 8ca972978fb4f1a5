import { Election, type Leadership, type Observation } from '../../election/index.ts';
import type { LeaseEngineOptions } from '../lease/lease-engine.ts';
import type { EngineKit, Participant } from './kit.ts';

/** A participant with this retry interval wakes only by a hint. */
const FOR_EVER_MS = 3_600_000;

/**
 * A lease that lasts for as long as a case does. The cases that use it are not about its end: on a busy machine a
 * short one is lost in between. No renewal comes before a hint, either.
 */
export const CALM_MS = 60_000;

/** One election with its participants, for the length of one case. */
export class Stage {
  readonly name: string;
  readonly kit: EngineKit;
  readonly #participants: Participant[] = [];

  constructor(kit: EngineKit, name: string) {
    this.kit = kit;
    this.name = name;
  }

  async participant(options: LeaseEngineOptions = {}): Promise<Participant> {
    const made = await this.kit.open({ leaseMs: this.kit.leaseMs, ...options });
    this.#participants.push(made);
    return made;
  }

  async join(options: LeaseEngineOptions = {}): Promise<{ engine: Participant; election: Election }> {
    const engine = await this.participant(options);
    return { engine, election: new Election(this.name, engine) };
  }

  /** A participant with a long lease. In one election all participants must have one: some stores hold one length. */
  calm(): Promise<{ engine: Participant; election: Election }> {
    return this.join({ leaseMs: CALM_MS });
  }

  /** The same, but it looks only when it is woken, so that a case fails if the wake-up does not come. */
  patient(): Promise<{ engine: Participant; election: Election }> {
    return this.join({ leaseMs: CALM_MS, retryMs: FOR_EVER_MS });
  }

  async crash(participant: Participant): Promise<void> {
    const { kit } = this;
    if (kit.crash === undefined) throw new Error('the kit has neither crash() nor a reason in cannot.crash');
    await kit.crash(participant);
  }

  async close(): Promise<void> {
    await Promise.all(this.#participants.map((each) => each.close().catch(() => {})));
  }
}

/** Waits until the election is in this state; fails with the last state seen. */
export async function seen(
  election: Election,
  what: string,
  fits: (observation: Observation) => boolean,
  withinMs = 30_000,
): Promise<Observation> {
  let last: Observation | undefined;
  const signal = AbortSignal.timeout(withinMs);
  try {
    for await (const observation of election.observe({ signal })) {
      last = observation;
      if (fits(observation)) return observation;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const found = JSON.stringify(last, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  throw new Error(`${election.self}: expected ${what} within ${withinMs} ms, last seen: ${found}`);
}

/** Campaigns; fails with a clear error when the time is up. */
export async function won(election: Election, withinMs = 30_000): Promise<Leadership> {
  const signal = AbortSignal.timeout(withinMs);
  try {
    return await election.campaign({ signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Error(`${election.self}: expected to win ${election.name} within ${withinMs} ms`);
  }
}

/** Waits until the leader's signal is aborted. */
export async function aborted(signal: AbortSignal, withinMs = 60_000): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve, reject) => {
    const late = `expected the signal of a leadership to be aborted within ${withinMs} ms`;
    const timer = setTimeout(() => reject(new Error(late)), withinMs);
    const onAbort = (): void => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Compares fields: the texts differ between engines. */
export function hasNoLeader({ leader, token, isSelf }: Observation): boolean {
  return leader === null && token === null && !isSelf;
}

export function isGreater<T extends bigint | number>(after: T, before: T, what: string): void {
  if (!(after > before)) throw new Error(`expected a ${what} above ${before}, found ${after}`);
}
