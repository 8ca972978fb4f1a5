import type { Registered } from '../api/index.ts';
import type { Clock } from './clock.ts';
import type { Store } from './data-folder.ts';
import type { Links, Peer } from './links/links.ts';
import type { Settled } from './options.ts';
import { Bucket } from './sender-budgets.ts';
import { normalUrl, type Voters } from './voters.ts';

/**
 * So many at once, as when all voters of a large cluster start, and then so many a second. Each one is saved and logged, and any client can
 * register under any name: without a bound, a client that registers without end would keep the member from
 * everything else.
 */
const AT_ONCE = 100;
const PER_SECOND = 5;

export interface RegistrationsAround {
  readonly clock: Clock;
  readonly settled: Settled;
  readonly store: Store;
  readonly voters: Voters;
  readonly links: () => Links;
  changed(): void;
}

/** Voters that were not configured, and register: each is remembered, and called where it says that it is. */
export class Registrations {
  readonly #around: RegistrationsAround;
  readonly #budget: Bucket;

  constructor(around: RegistrationsAround) {
    this.#around = around;
    const { clock, settled } = around;
    this.#budget = new Bucket(
      clock,
      () => Math.max(AT_ONCE, settled.limits.voters),
      () => PER_SECOND,
    );
  }

  /** `mayReplace`: it may take the place of one that does not answer any more. */
  register(voter: Peer, mayReplace: boolean): Registered {
    const { settled, store, voters, links, changed } = this.#around;
    const before = voters.list.find(({ id }) => id === voter.id);
    if (before !== undefined && before.url === normalUrl(voter.url) && voter.id !== settled.id)
      return { accepted: true };
    if (this.#budget.left < 1) {
      const reason = `too many voters register; ${voter.id} is accepted again within a second`;
      return { accepted: false, reason, isTooFast: true };
    }
    const reachable = links()
      .status.filter(({ via }) => via !== 'none')
      .map(({ id }) => id);
    const registered = voters.register(voter, (id) => !mayReplace || reachable.includes(id));
    if (!registered.accepted) return registered;
    this.#budget.take(1);
    try {
      store.saveVoters(voters.registered);
    } catch (error) {
      // The voter will have to register again after a restart. That is no reason to refuse it now.
      const message = `the voter ${voter.id} is not remembered: ${error instanceof Error ? error.message : error}`;
      settled.log({ level: 'warning', message });
    }
    links().setPeers(voters.others);
    settled.log({ level: 'info', message: `the voter ${voter.id} is at ${normalUrl(voter.url)}` });
    changed();
    return registered;
  }
}
