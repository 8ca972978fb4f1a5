import { CaucusError } from '../election/index.ts';
import { isReserved, NO_PARTICIPANT } from '../leases/index.ts';
import type { Settled } from './options.ts';

/**
 * Who opened the elections of a member. An election costs memory and a record, so other members may open fewer of them
 * than the program itself, and requests over HTTP, which any client can make, fewer than members.
 */
export class Openings {
  readonly #settled: Settled;
  /** Elections that are open only because another member sent a message about them. */
  readonly #foreign = new Set<string>();
  /** Of these, the elections that an HTTP request opened. */
  readonly #requested = new Set<string>();
  #complaint = '';

  constructor(settled: Settled) {
    this.#settled = settled;
  }

  /** The program opened it. */
  byProgram(name: string): void {
    this.#foreign.delete(name);
    this.#requested.delete(name);
  }

  /** Opens it on behalf of another member, unless too many are open for others. */
  forOthers<T>(name: string, open: () => T): T {
    const { electionsOfOthers } = this.#settled.limits;
    // Clients that open many elections must not keep the members from that of their lease managers.
    if (this.#foreign.size >= electionsOfOthers && !isReserved(name))
      throw this.#refusal(
        `${electionsOfOthers} elections were opened by others; limits.electionsOfOthers allows no more`,
      );
    const opened = open();
    this.#foreign.add(name);
    return opened;
  }

  /** The same for a request, which cannot open that of the lease managers: members would stand in it from then on. */
  forRequest<T>(name: string, isKnown: boolean, open: () => T): T {
    if (isReserved(name) && !isKnown) throw new CaucusError('E_REFUSED', NO_PARTICIPANT);
    const most = Math.ceil(this.#settled.limits.electionsOfOthers / 10);
    if (this.#requested.size >= most)
      throw this.#refusal(
        `${most} elections were opened by requests; a tenth of limits.electionsOfOthers is for those`,
      );
    const opened = open();
    this.#requested.add(name);
    return opened;
  }

  /** The same complaint is logged once, not with every message. */
  complain(message: string): void {
    if (message === this.#complaint) return;
    this.#complaint = message;
    this.#settled.log({ level: 'error', message });
  }

  #refusal(reason: string): CaucusError {
    this.complain(reason);
    return new CaucusError('E_REFUSED', reason);
  }
}
