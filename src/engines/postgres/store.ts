import { type Json, OWN_TOKEN_JSON } from '../../core/index.ts';
import type { Clock, ResignationRequest, TransactedWork } from '../../election/index.ts';
import type { FirstValue } from '../lease/first-value.ts';
import type { Call, Grant, LeaseStore, Reading } from '../lease/lease-store.ts';
import type { LeaseTimes } from '../lease/settings.ts';
import type { Share } from '../lease/shared-call.ts';
import { SharedRenewal } from '../lease/shared-renewal.ts';
import { Unchanged } from '../lease/unchanged.ts';
import type { Row } from './connection.ts';
import type { Link } from './link.ts';
import type { Listener } from './listener.ts';
import type { Looks } from './looks.ts';
import { lacksColumn } from './problems.ts';
import type { PostgresRenewals, RowToRenew } from './renewals.ts';
import type { Source } from './source.ts';
import type { Statements } from './statements.ts';
import { inTransaction } from './transaction.ts';

/** The token is enough: none is drawn twice, so it identifies the grant. */
export type PostgresGrant = Grant;

/** When to read again while another participant is taking the lease. That takes a commit. */
const SOON_MS = 50;

/** No value has this version. */
const NEVER = -1;

/** What all elections of an engine share. */
export interface Around {
  readonly link: Link;
  readonly listener: Listener | null;
  readonly source: Source;
  /** How long connecting may take. */
  readonly openMs: number;
  /** The statements that suit the table that was found. */
  statements: Statements;
  /** The server, for people. */
  readonly at: string;
  /** Identifies this engine object. */
  readonly incarnation: string;
  /** Numbers our requests, so that one that arrives late does not undo a later one. */
  readonly requests: { last: number };
  readonly clock: Clock;
  readonly times: LeaseTimes;
  /** How long a statement may wait for a lock. Takes and renewals wait for none. */
  readonly lockMs: string;
  readonly renewals: PostgresRenewals;
  readonly looks: Looks;
}

/** One election in PostgreSQL. */
export class PostgresStore implements LeaseStore<PostgresGrant> {
  readonly #around: Around;
  readonly #election: string;
  readonly #name: string;
  /** The token that we were last granted, until we know that it has ended. */
  #granted: bigint | null = null;
  /** Whether an unanswered request may have taken the lease. */
  #isInDoubt = false;
  /** The lease of another participant, as we have seen it. */
  readonly #unchanged = new Unchanged();
  /** What another participant holds, as far as we know, and our part in the polls of the engine. */
  #waiting: {
    readonly token: bigint;
    readonly freeAtMs: number;
    readonly look: Share<Row | undefined>;
  } | null = null;
  /** An attempt to take it has shown that this is not an earlier grant of our own. */
  #hasTried = false;
  readonly #renewal: SharedRenewal<RowToRenew, PostgresGrant>;
  #hint: (news: 'changed' | 'ours') => void = () => {};

  constructor(around: Around, election: string, name: string) {
    this.#around = around;
    this.#election = election;
    this.#name = name;
    this.#renewal = new SharedRenewal(around.renewals);
  }

  async take(
    call: Call,
    first: FirstValue | null = null,
  ): Promise<{ grant: PostgresGrant | null; reading: Reading }> {
    // What an unanswered attempt of ours may hold is not waited for.
    const seen = this.#hasTried && !this.#isInDoubt ? await this.#lookAgain(call) : null;
    if (seen !== null) return { grant: null, reading: seen };
    const { times, clock, lockMs } = this.#around;
    const askedMs = clock.now();
    const over = this.#unchanged.overMark(askedMs) ?? '';
    const opening = [
      first?.after ?? NEVER,
      first === null ? null : JSON.stringify(first.value),
      OWN_TOKEN_JSON,
    ];
    const more = [this.#request(), this.#name, times.leaseMs, lockMs, over, ...opening];
    this.#isInDoubt = true;
    const row = await this.#ask(({ take }) => take, more, call);
    this.#isInDoubt = false;
    this.#hasTried = true;
    this.#granted = row?.granted === 'true' ? BigInt(row.fence!) : null;
    const reading = this.#readingOf(row);
    if (this.#granted !== null) {
      const grant = { token: this.#granted };
      const row = { election: this.#election, token: grant.token };
      this.#renewal.begin(row, grant, askedMs, () => this.#hint('ours'));
      return { grant, reading };
    }
    if (reading.leader !== null) return { grant: null, reading };
    // The lease was free when we read it, and another participant was faster, or is about to be.
    const found = await this.read(call);
    return { grant: null, reading: found.leader === null ? { ...found, freeInMs: SOON_MS } : found };
  }

  async renew(grant: PostgresGrant, call: Call): Promise<PostgresGrant | null> {
    const renewed = await this.#renewal.renew(grant, call);
    if (renewed === null) this.#granted = null;
    return renewed;
  }

  forget(grant: PostgresGrant): void {
    this.#renewal.forget(grant);
  }

  async release({ token }: PostgresGrant, call: Call): Promise<void> {
    this.#granted = null;
    this.#renewal.forget({ token });
    await this.#ask(({ release }) => release, [token, this.#around.lockMs], call);
  }

  async leave(call: Call): Promise<void> {
    if (!this.#isInDoubt) return;
    await this.#ask(({ leave }) => leave, [this.#request(), this.#around.lockMs], call);
    this.#isInDoubt = false;
  }

  async publish({ token }: PostgresGrant, value: Json, call: Call): Promise<number | null> {
    const more = [token, this.#request(), JSON.stringify(value), this.#around.lockMs];
    const row = await this.#ask(({ publish }) => publish, more, call);
    return row === undefined ? null : Number(row.version);
  }

  async transact({ token }: PostgresGrant, work: TransactedWork): Promise<number | null> {
    const { source, openMs, incarnation, statements } = this.#around;
    const holds = [this.#election, incarnation, String(token)];
    const request = (): string => String(this.#request());
    return inTransaction(source, openMs, statements, { holds, request }, work);
  }

  /** The token precedes the reason, so that a later leader ignores a request for an earlier one. */
  async ask({ token, reason }: ResignationRequest, { signal }: Call): Promise<void> {
    const { link, at } = this.#around;
    await this.read({ signal }); // Without a connection, the columns of the table are unknown.
    const { ask } = this.#around.statements;
    if (ask === null) throw lacksColumn(at);
    await link.query(() => ask, [this.#election, token, `${token} ${reason}`, this.#around.lockMs], signal);
  }

  async read(call: Call): Promise<Reading> {
    return (
      (await this.#lookAgain(call)) ?? this.#readingOf(await this.#around.looks.now(this.#election, call))
    );
  }

  /**
   * A poll that is shared with those of other elections: what another participant holds, if it still does. Null: that
   * has to be asked for, since there is nothing to expect, or it has changed.
   */
  async #lookAgain(call: Call): Promise<Reading | null> {
    const { clock, looks } = this.#around;
    const waiting = this.#waiting;
    if (waiting === null || !looks.areShared) return null;
    if (clock.now() < waiting.freeAtMs) {
      const { answer, sentMs } = await waiting.look.ask(call);
      const reading = this.#readingOf(answer, sentMs);
      if (reading.token === waiting.token) return reading;
    }
    this.#waitNoMore();
    return null;
  }

  #waitNoMore(): void {
    this.#waiting?.look.end();
    this.#waiting = null;
    this.#hasTried = false;
  }

  watch(hint: (news: 'changed' | 'ours') => void): () => void {
    this.#hint = hint;
    const { listener } = this.#around;
    const stop = listener?.add(this.#election, (fence, isRequest) => this.#onNotice(fence, isRequest));
    return () => {
      this.#hint = () => {};
      this.#waitNoMore();
      stop?.();
    };
  }

  #onNotice(fence: bigint | null, isRequest: boolean): void {
    if (!isRequest) this.#waitNoMore();
    const isGone = this.#granted !== null && fence !== null && fence > this.#granted;
    const isForUs = isRequest ? fence === this.#granted : isGone;
    if (isForUs) this.#renewal.doubt();
    if (isForUs) this.#hint('ours');
    else if (!isRequest) this.#hint('changed'); // A request to another participant is nothing to read.
  }

  async #ask(
    which: (statements: Statements) => string,
    more: readonly unknown[],
    { signal }: Call,
  ): Promise<Row | undefined> {
    const { link, incarnation } = this.#around;
    const statement = (): string => which(this.#around.statements);
    return (await link.query(statement, [this.#election, incarnation, ...more], signal))[0];
  }

  /**
   * A lease has expired if the server says so, or if it was seen unchanged for as long as it lasts. `sentMs`: when the
   * row was asked for, if that was before this call.
   */
  #readingOf(row: Row | undefined, sentMs?: number): Reading {
    const nowMs = this.#around.clock.now();
    const reading = readingOf(row);
    const isOthers = reading.leader !== null && reading.token !== this.#granted;
    this.#unchanged.see(isOthers ? row!.mark! : null, lastsOf(row), nowMs);
    const unchangedMs = this.#unchanged.freeInMs(nowMs);
    const isHeld = isOthers && unchangedMs > 0 && reading.freeInMs !== null;
    if (!isHeld) this.#waitNoMore();
    if (unchangedMs === 0) return { ...reading, leader: null, token: null, freeInMs: null };
    if (reading.freeInMs === null) return reading;
    const freeInMs = Math.max(0, Math.min(reading.freeInMs - (nowMs - (sentMs ?? nowMs)), unchangedMs));
    if (isHeld) this.#waitFor(reading.token!, nowMs + freeInMs);
    return { ...reading, freeInMs };
  }

  #waitFor(token: bigint, freeAtMs: number): void {
    if (this.#waiting !== null && this.#waiting.token !== token) this.#hasTried = false;
    const look = this.#waiting?.look ?? this.#around.looks.add(this.#election, () => this.#hint('changed'));
    this.#waiting = { token, freeAtMs, look };
  }

  #request(): number {
    this.#around.requests.last += 1;
    return this.#around.requests.last;
  }
}

function readingOf(row: Row | undefined): Reading {
  const leftMs = Number(row?.left_ms ?? 0);
  const isHeld = leftMs > 0;
  return {
    leader: isHeld ? (row?.leader ?? '') : null,
    token: isHeld ? BigInt(row!.fence!) : null,
    freeInMs: isHeld ? leftMs : null,
    value: typeof row?.value === 'string' ? (JSON.parse(row.value) as Json) : null,
    version: Number(row?.version ?? 0),
  };
}

/** The token precedes it: an earlier version of this package leaves old values in the column. */
function lastsOf(row: Row | undefined): number | null {
  const [token, lastsMs] = row?.lasts?.split(' ') ?? [];
  return token !== undefined && token === row?.fence && lastsMs !== undefined ? Number(lastsMs) : null;
}
