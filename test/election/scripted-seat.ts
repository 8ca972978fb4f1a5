import type { Json } from '../../src/core/index.ts';
import {
  CaucusError,
  type Cause,
  type Held,
  type Seat,
  type Standing,
  type Why,
} from '../../src/election/index.ts';

/** A seat whose fortunes a test decides: it wins, loses and is renewed when told. It keeps a log of what it was asked. */
export class ScriptedSeat implements Seat {
  readonly election = 'report';
  readonly name = 'a';
  /** What speaks against a transfer, known beforehand. */
  objection: CaucusError | null = null;
  readonly log: string[] = [];
  /** Why it was last told to let go. */
  why: Why | null = null;
  /** Where set, these decide when and how an answer comes. */
  onRelease: () => Promise<void> = async () => {};
  onTransfer: (to: string) => Promise<void> = async () => {};
  onPublish: (value: Json) => Promise<number> = async () => this.standing.version + 1;
  standing: Standing = {
    leader: null,
    token: null,
    held: null,
    value: null,
    version: 0,
    cause: 'started',
    detail: '',
  };
  readonly #listeners = new Set<(standing: Standing) => void>();
  #token = 0n;

  get watchers(): number {
    return this.#listeners.size;
  }

  watch(listener: (standing: Standing) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(part: Partial<Standing>): void {
    this.standing = { ...this.standing, ...part };
    for (const each of [...this.#listeners]) each(this.standing);
  }

  /** Wins with a lease that ends at this moment of the clock; it can be moved. */
  win(expiresAtMs: number = Number.POSITIVE_INFINITY): { expiresAtMs: number; readonly token: bigint } {
    this.#token += 1n;
    const held = { token: this.#token, expiresAtMs };
    this.change({ leader: 'a', token: held.token, held, cause: 'won', detail: 'a was elected' });
    return held;
  }

  lose(cause: Cause, detail: string, leader: string | null = null): void {
    this.#token += 1n;
    this.change({ leader, token: leader === null ? null : this.#token, held: null, cause, detail });
  }

  stand(): void {
    this.log.push('stand');
  }

  async withdraw(why?: Why): Promise<void> {
    this.log.push('withdraw');
    this.why = why ?? null;
    await this.#release(this.standing.held);
  }

  async resign(why?: Why): Promise<void> {
    this.log.push('resign');
    this.why = why ?? null;
    await this.#release(this.standing.held);
  }

  refuseTransfer(): CaucusError | null {
    return this.objection;
  }

  async transfer(to: string): Promise<void> {
    this.log.push(`transfer ${to}`);
    await this.onTransfer(to);
    this.lose('transferred', `handed to ${to}`, to);
  }

  async publish(value: Json): Promise<number> {
    if (this.standing.held === null) throw new CaucusError('E_NOT_LEADER', 'not the leader');
    const version = await this.onPublish(value);
    this.change({ value, version });
    return version;
  }

  async close(): Promise<void> {
    this.log.push('close');
    if (this.standing.held !== null) this.lose('closed', 'closed');
  }

  async #release(held: Held | null): Promise<void> {
    await this.onRelease();
    if (held !== null && this.standing.held === held) this.lose('resigned', 'a resigned');
  }
}
