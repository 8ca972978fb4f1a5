import { Election, type Engine, type Leadership } from '../../election/index.ts';
import { ExecutionError, ResourceLockedError } from './errors.ts';

/** A resource that we hold. */
export interface Claim {
  readonly resource: string;
  readonly leadership: Leadership;
  /** Gives it back. Rejects if that fails; the lease expires by itself then. */
  release(): Promise<void>;
}

/** How long to wait for a lock. */
export interface Patience {
  readonly waitMs: number;
  /** How long the store may take to say whether it is free at all. */
  readonly answerMs: number;
}

interface Open {
  readonly election: Election;
  users: number;
}

/** One election per resource, for as long as there is a caller that wants or holds it. */
export class Claims {
  readonly #engine: Engine;
  readonly #open = new Map<string, Open>();
  readonly #closing = new Map<string, Promise<unknown>>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Waits until we hold the resource. Rejects with an ExecutionError when the patience is over. */
  async claim(resource: string, patience: Patience): Promise<Claim> {
    const election = await this.#enter(resource);
    try {
      const leadership = await win(election, resource, patience);
      const release = async (): Promise<void> => {
        await leadership.resign().finally(() => this.#leave(resource));
      };
      return { resource, leadership, release };
    } catch (error) {
      await this.#leave(resource);
      throw error;
    }
  }

  async #enter(resource: string): Promise<Election> {
    for (;;) {
      const closing = this.#closing.get(resource);
      if (closing === undefined) break;
      await closing;
    }
    const open = this.#open.get(resource) ?? {
      election: new Election(nameOf(resource), this.#engine),
      users: 0,
    };
    open.users++;
    this.#open.set(resource, open);
    return open.election;
  }

  async #leave(resource: string): Promise<void> {
    const open = this.#open.get(resource)!;
    if (--open.users > 0) return;
    this.#open.delete(resource);
    const closing = open.election.close().catch(() => {});
    this.#closing.set(resource, closing);
    await closing;
    this.#closing.delete(resource);
  }
}

async function win(
  election: Election,
  resource: string,
  { waitMs, answerMs }: Patience,
): Promise<Leadership> {
  const giveUp = new AbortController();
  let isOver = waitMs <= 0;
  let problem = 'the store does not answer';
  const refuseIfHeld = (): void => {
    const holder = election.leader()?.name ?? (election.leadership === null ? null : election.self);
    if (!isOver || holder === null) return;
    const message = `${resource} is locked by ${holder}`;
    giveUp.abort(new ExecutionError(message, new ResourceLockedError(message)));
  };
  const timers: NodeJS.Timeout[] = [];
  if (waitMs !== Number.POSITIVE_INFINITY) {
    const whenOver = (): void => {
      isOver = true;
      refuseIfHeld();
    };
    timers.push(setTimeout(whenOver, waitMs));
    const silent = (): void => giveUp.abort(new ExecutionError(`${resource} was not locked: ${problem}`));
    timers.push(setTimeout(silent, Math.max(waitMs, answerMs)));
  }
  const winning = election.campaign({ signal: giveUp.signal });
  winning.catch(() => {});
  // Held by this very process: it will not change by an answer of the store.
  if (election.leadership !== null) refuseIfHeld();
  const watching = (async () => {
    for await (const { isKnown, isSelf, cause, detail } of election.observe({ signal: giveUp.signal })) {
      if (cause === 'store-unreachable') problem = detail;
      else if (isKnown && !isSelf) refuseIfHeld();
    }
  })();
  try {
    return await winning;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    giveUp.abort();
    await watching;
  }
}

/** Resources may have any name; those of elections have no braces. */
function nameOf(resource: string): string {
  return resource.replace(/[%{}]/g, (each) => encodeURIComponent(each));
}
