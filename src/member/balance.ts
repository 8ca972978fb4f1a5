/**
 * Spreads the leaders of the elections evenly over the members (`balance: true`): a member that leads too many transfers
 * one at a time (src/balance). It has two states:
 *   settled  as even as can be, as far as this member knows: no timer → looking (an election or a peer has changed)
 *   looking  a timer runs → settled | looks again, or transfers one election, when it comes due
 *
 * The main election stays where it is, and so do those of lease managers, of occasions and of partitions: the leader of
 * the main election is chosen by its priority alone, and the work of the others is spread by other rules.
 */
import { type Counts, countsOf, hasTooMany, type Movable, nextMove, turnOf } from '../balance/index.ts';
import {
  BadInput,
  type Config,
  type Definition,
  type Input,
  type MemberId,
  type Protocol,
} from '../core/index.ts';
import { isRecorded, type LogEntry } from '../election/index.ts';
import { isReserved } from '../leases/index.ts';
import type { Clock } from './clock.ts';
import type { ElectionHost } from './election-host.ts';
import type { AnyJoinOptions } from './join-options.ts';
import type { Settled } from './options.ts';
import type { ElectionsAround } from './surroundings.ts';

/**
 * The members transfer one election per interval. If each hears of a transfer within less than half of it, no two of them
 * move at once; else a few more elections move than would have to.
 */
const MOVE_EVERY_MS = 200;
/** Nothing moves for this long after a takeover, or after a member was gone or back, and no election moves again earlier. */
const CALM_MS = 3000;
/** If no member could take over any election, this is how soon that is looked at again. */
const LOOK_AGAIN_MS = 1000;

/** The part of an election that is needed here. */
type Balanced = Pick<ElectionHost, 'name' | 'view' | 'history' | 'command'>;

interface BalanceAround<E extends Balanced> {
  readonly self: MemberId;
  readonly main: string;
  readonly clock: Clock;
  readonly elections: () => Iterable<E>;
  /** The members that could take over this election, if this one leads it, without being less preferred. */
  successors(election: E): readonly MemberId[];
  /** An election at rest learns which members answered meanwhile. */
  wake(election: E): void;
  isConnected(member: MemberId): boolean;
  log(entry: LogEntry): void;
}

/** The last leadership that was seen of an election, and since when. */
interface Seen {
  readonly leader: MemberId | null;
  readonly term: number | null;
  readonly sinceMs: number;
}

export class Balance<E extends Balanced = Balanced> {
  readonly #around: BalanceAround<E>;
  readonly #seen = new Map<string, Seen>();
  #changedAtMs = Number.NEGATIVE_INFINITY;
  #calmAtMs = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | null = null;
  #isMoving = false;
  #isClosed = false;

  constructor(around: BalanceAround<E>) {
    this.#around = around;
  }

  /** An election has changed. Cheap, since after a crash thousands do. */
  changed(election: Balanced): void {
    const { name, view } = election;
    const seen = this.#seen.get(name);
    const { leader, term } = view;
    if (seen?.leader === leader && seen.term === term) return;
    const nowMs = this.#around.clock.now();
    this.#seen.set(name, { leader, term, sinceMs: nowMs });
    if (!this.#isBalanced(election)) return;
    this.#changedAtMs = nowMs;
    if (!wasGivenUp(election)) this.#calmAtMs = nowMs + CALM_MS;
    this.#arm(nowMs + MOVE_EVERY_MS);
  }

  /** An input for all elections: a member is gone, or back. */
  heard(input: Input): void {
    if (input.type !== 'peer-gone' && input.type !== 'peer-back') return;
    const nowMs = this.#around.clock.now();
    this.#calmAtMs = nowMs + CALM_MS;
    this.#arm(nowMs + MOVE_EVERY_MS);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #arm(atMs: number): void {
    if (this.#cancel !== null || this.#isMoving || this.#isClosed) return;
    this.#cancel = this.#around.clock.set(atMs, () => {
      this.#cancel = null;
      this.#look();
    });
  }

  #isBalanced({ name, view }: Balanced): boolean {
    return name !== this.#around.main && !isReserved(name) && !isRecorded(view.value);
  }

  #look(): void {
    const { self, clock } = this.#around;
    const all = [...this.#around.elections()].filter((each) => this.#isBalanced(each));
    const counts = countsOf(all.map(({ view }) => view.leader));
    const own = all.filter(({ view }) => view.role === 'leader');
    if (!hasTooMany(self, counts, own[0]?.view.members ?? [])) return;
    const nowMs = clock.now();
    // Each member counts from the same event, so that their turns come one after the other.
    const fromMs = Math.max(this.#calmAtMs, this.#changedAtMs);
    const dueMs = fromMs + MOVE_EVERY_MS * (1 + turnOf(self, counts));
    if (nowMs < dueMs) return this.#arm(dueMs);
    const move = nextMove(self, counts, this.#movable(own, nowMs));
    if (move === null) return this.#arm(nowMs + LOOK_AGAIN_MS);
    const election = own.find(({ name }) => name === move.election)!;
    this.#around.wake(election);
    // A member that has stopped answering while the election rested could not take over.
    if (!this.#around.successors(election).includes(move.to)) return this.#arm(nowMs + LOOK_AGAIN_MS);
    void this.#move(election, move.to, counts);
  }

  /** The ones that came last move first, so that those of long ago stay. */
  #movable(own: readonly E[], nowMs: number): readonly Movable[] {
    const sinceOf = ({ name }: Balanced): number => this.#seen.get(name)?.sinceMs ?? nowMs;
    return own
      .filter((each) => nowMs - sinceOf(each) >= CALM_MS)
      .sort((a, b) => sinceOf(b) - sinceOf(a))
      .map((each) => ({
        election: each.name,
        successors: this.#around.successors(each).filter((id) => this.#around.isConnected(id)),
      }));
  }

  async #move(election: E, to: MemberId, counts: Counts): Promise<void> {
    const { self, clock, log } = this.#around;
    this.#isMoving = true;
    const outcome = await election.command({ type: 'transfer', to });
    this.#isMoving = false;
    const nowMs = clock.now();
    this.#changedAtMs = nowMs;
    const why = `${self} led ${counts.get(self) ?? 0} elections and ${to} ${counts.get(to) ?? 0}`;
    if (outcome.status === 'done') {
      log({ level: 'info', message: `${election.name}: transferred to ${to} for balance: ${why}` });
    } else {
      this.#calmAtMs = nowMs + CALM_MS;
      const message = `${election.name}: could not be transferred to ${to} for balance: ${outcome.reason}`;
      log({ level: 'warning', message });
    }
    this.#arm(nowMs + MOVE_EVERY_MS);
  }
}

/** Did the last leader resign or transfer on purpose? Else the new one has taken over. */
function wasGivenUp({ view, history }: Balanced): boolean {
  const ended = history.at(view.leader === null ? -1 : -2);
  return ended !== undefined && (ended.cause === 'transferred' || ended.cause === 'resigned');
}

/** What a member balances its elections with; null if it does not. */
export function balanceOf(
  { id, election, balance, log }: Settled,
  { clock, understandsSupport }: ElectionsAround,
  { successors }: Protocol,
  hosts: () => Iterable<ElectionHost>,
): Balance<ElectionHost> | null {
  if (!balance) return null;
  return new Balance({
    self: id,
    main: election,
    clock,
    log,
    elections: hosts,
    successors: ({ host }) => successors?.(host.state) ?? [],
    wake: ({ host }) => host.wake(),
    // Null: it is not connected.
    isConnected: (member) => understandsSupport?.(member) != null,
  });
}

/** Throws BadInput for a protocol whose leaders cannot transfer elections. */
export function readBalance(
  { balance = false }: AnyJoinOptions,
  definition: Definition,
  config: Config,
): boolean {
  if (!balance || definition.create(config).successors !== undefined) return balance;
  throw new BadInput(
    'balance',
    `false, since leaders of ${definition.name} cannot transfer elections`,
    'true',
  );
}
